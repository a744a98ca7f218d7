/**
 * A client of the protocol that checks all that it reads.
 *
 * <p>More than 14 classes: one for each way into a stream, and what they have in common.
 */
@NullMarked
package brig.loadtests.client;

import org.jspecify.annotations.NullMarked;
