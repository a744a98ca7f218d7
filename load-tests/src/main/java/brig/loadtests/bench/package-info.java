/** Runs scenarios against peers in interleaved rounds, and judges the results. */
@NullMarked
package brig.loadtests.bench;

import org.jspecify.annotations.NullMarked;
