/**
 * What gateways share, in NATS JetStream: a stream for each host, key-value buckets, request and reply. Calls block on
 * threads of this package; results come on the event loop.
 *
 * <p>Decision 0218.
 */
@NullMarked
package brig.gateway.nats;

import org.jspecify.annotations.NullMarked;
