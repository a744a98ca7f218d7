/** The operations of HTTP and of the spawner socket: one table of them, with their permissions. */
@NullMarked
package brig.gateway.api;

import org.jspecify.annotations.NullMarked;
