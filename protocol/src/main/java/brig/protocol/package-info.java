/**
 * Brig's wire protocol: frames, identifiers, error codes, limits, and decoders for untrusted input.
 *
 * <p>This package implements {@code protocol/PROTOCOL.md}, which client authors read. It uses no sockets, threads or
 * clocks.
 */
@NullMarked
package brig.protocol;

import org.jspecify.annotations.NullMarked;
