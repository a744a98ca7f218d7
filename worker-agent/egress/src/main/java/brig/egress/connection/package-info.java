/** Connections beyond the wall: how a host is reached, and how two connections are joined. */
@NullMarked
package brig.egress.connection;

import org.jspecify.annotations.NullMarked;
