/** The writing side of a connection: lines, server-sent events and WebSocket messages on a bounded queue. */
@NullMarked
package brig.gateway.connection;

import org.jspecify.annotations.NullMarked;
