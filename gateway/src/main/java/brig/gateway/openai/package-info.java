/** Agents as models: answers in the form of OpenAI's API, converted from frames. */
@NullMarked
package brig.gateway.openai;

import org.jspecify.annotations.NullMarked;
