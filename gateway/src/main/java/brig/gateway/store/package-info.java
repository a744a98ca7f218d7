/** What survives the process: spawns in a database, frames in files. Ports, and what fulfils them. */
@NullMarked
package brig.gateway.store;

import org.jspecify.annotations.NullMarked;
