/** Fault injection: sessions and readers while processes are killed and disks are full. */
@NullMarked
package brig.loadtests.chaos;

import org.jspecify.annotations.NullMarked;
