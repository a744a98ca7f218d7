/** The messages of OpenAI's API ("API reference", OpenAI): requests, limited to what an agent supports, and answers. */
@NullMarked
package brig.gateway.openai.message;

import org.jspecify.annotations.NullMarked;
