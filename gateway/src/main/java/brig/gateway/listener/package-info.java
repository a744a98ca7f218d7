/** The ways into a session: its Unix socket, WebSockets, server-sent events; and the door that all of them share. */
@NullMarked
package brig.gateway.listener;

import org.jspecify.annotations.NullMarked;
