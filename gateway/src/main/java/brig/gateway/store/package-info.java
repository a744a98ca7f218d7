/**
 * Persistence: spawns in a database, frames in files. Interfaces and their implementations.
 *
 * <p>More than 14 classes: the interfaces are beside their implementations, which share one connection.
 */
@NullMarked
package brig.gateway.store;

import org.jspecify.annotations.NullMarked;
