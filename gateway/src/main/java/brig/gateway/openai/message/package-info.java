/** The messages of OpenAI's API, as it has them ("API reference", OpenAI): requests as far as an agent takes them, and answers. */
@NullMarked
package brig.gateway.openai.message;

import org.jspecify.annotations.NullMarked;
