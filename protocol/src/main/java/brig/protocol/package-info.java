/**
 * Brig's wire protocol: frames, identifiers, codes, limits and the decoders that bound what comes from outside.
 *
 * <p>The text that an outsider writes a client from is {@code protocol/PROTOCOL.md}; this package is its code. It knows
 * no sockets, no threads and no clock.
 */
@NullMarked
package brig.protocol;

import org.jspecify.annotations.NullMarked;
