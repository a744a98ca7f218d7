/** Agents as models: the parts of OpenAI's API that a client of models speaks, told from frames. */
@NullMarked
package brig.gateway.openai;

import org.jspecify.annotations.NullMarked;
