/** What can be asked for, over HTTP and on the spawner socket: one table of operations, and who may use each. */
@NullMarked
package brig.gateway.api;

import org.jspecify.annotations.NullMarked;
