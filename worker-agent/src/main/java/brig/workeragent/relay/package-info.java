/**
 * Bytes between walls, and between connections of a gateway and sockets of walls. Networks of workers of this host that are served at home
 * are here: each connection of a program takes a connection of the gateway that waits for one.
 */
@NullMarked
package brig.workeragent.relay;

import org.jspecify.annotations.NullMarked;
