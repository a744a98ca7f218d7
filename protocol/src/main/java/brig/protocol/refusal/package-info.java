/** Refusals as answers: on a line, over HTTP, and where a session is not ready. */
@NullMarked
package brig.protocol.refusal;

import org.jspecify.annotations.NullMarked;
