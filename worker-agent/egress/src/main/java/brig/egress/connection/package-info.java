/** Connections to hosts outside the wall: dialling, and relaying between two connections. */
@NullMarked
package brig.egress.connection;

import org.jspecify.annotations.NullMarked;
