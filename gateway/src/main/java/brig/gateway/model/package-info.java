/** Agents as models of OpenAI's API: requests become sessions and messages. */
@NullMarked
package brig.gateway.model;

import org.jspecify.annotations.NullMarked;
