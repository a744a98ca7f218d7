/**
 * The proxy itself, on Netty. All sockets of a worker, inside and outside, belong to one event loop, which
 * therefore owns all state of the worker: nothing here is locked.
 */
@NullMarked
package brig.egress.proxy;

import org.jspecify.annotations.NullMarked;
