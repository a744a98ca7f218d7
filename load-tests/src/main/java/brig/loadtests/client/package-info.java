/**
 * A client of the protocol that checks all that it reads.
 *
 * <p>More than 14 classes: one per transport, and their common parts.
 */
@NullMarked
package brig.loadtests.client;

import org.jspecify.annotations.NullMarked;
