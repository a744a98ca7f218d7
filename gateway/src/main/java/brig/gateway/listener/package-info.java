/** The interfaces to a session: Unix socket, WebSockets, server-sent events, and their shared services. */
@NullMarked
package brig.gateway.listener;

import org.jspecify.annotations.NullMarked;
