/** The ways in: Unix sockets, HTTP, WebSocket and server-sent events. Each ends in the same session. */
@NullMarked
package brig.gateway.listener;

import org.jspecify.annotations.NullMarked;
