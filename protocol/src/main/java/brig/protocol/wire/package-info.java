/** Encoding and decoding of bytes: lines, UTF-8, chunks, the type and the owner of a frame. */
@NullMarked
package brig.protocol.wire;

import org.jspecify.annotations.NullMarked;
