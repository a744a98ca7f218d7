/**
 * Several gateways as one: who owns a host, the frames of its workers in a log that all read, and what is asked of the
 * owner. No sockets, no threads, no clock: NATS is behind {@link brig.gateway.cluster.SharedLog}, {@link
 * brig.gateway.cluster.SharedTable} and {@link brig.gateway.cluster.Post}.
 *
 * <p>More than 14 classes: the parts of a takeover are apart, so that each can be tested with what others lose.
 *
 * <p>Decision 0218.
 */
@NullMarked
package brig.gateway.cluster;

import org.jspecify.annotations.NullMarked;
