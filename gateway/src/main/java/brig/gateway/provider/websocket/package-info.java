/** WebSockets as their clients see them, and bytes over them. Knows no sockets. */
@NullMarked
package brig.gateway.provider.websocket;

import org.jspecify.annotations.NullMarked;
