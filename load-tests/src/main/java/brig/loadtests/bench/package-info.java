/** Runs scenarios against peers in interleaved rounds, and judges what was measured. */
@NullMarked
package brig.loadtests.bench;

import org.jspecify.annotations.NullMarked;
