/** The benchmark as data: scenarios, the figures that they show, and the bounds for Brig. */
@NullMarked
package brig.loadtests.suite;

import org.jspecify.annotations.NullMarked;
