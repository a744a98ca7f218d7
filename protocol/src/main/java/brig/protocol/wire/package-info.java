/** Bytes to frames and back: lines, UTF-8, chunks, the type and the owner of a frame. */
@NullMarked
package brig.protocol.wire;

import org.jspecify.annotations.NullMarked;
