/**
 * The proxy, on Netty. All sockets of a worker, inside and outside, belong to one event loop. It owns all of the
 * worker's state, so nothing here is locked.
 *
 * <p>More than 14 classes: each kind of connection is one.
 */
@NullMarked
package brig.egress.proxy;

import org.jspecify.annotations.NullMarked;
