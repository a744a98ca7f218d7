/**
 * What survives the process: spawns in a database, frames in files. Ports, and what fulfils them.
 *
 * <p>More than 14 classes: the ports lie beside their implementations, which share one connection.
 */
@NullMarked
package brig.gateway.store;

import org.jspecify.annotations.NullMarked;
