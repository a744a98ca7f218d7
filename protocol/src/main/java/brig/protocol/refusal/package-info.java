/** The forms of a refusal: as a line, over HTTP, and for a session that is not ready. */
@NullMarked
package brig.protocol.refusal;

import org.jspecify.annotations.NullMarked;
