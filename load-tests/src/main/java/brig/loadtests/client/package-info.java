/** A client of the protocol that checks all that it reads. */
@NullMarked
package brig.loadtests.client;

import org.jspecify.annotations.NullMarked;
