/**
 * What a worker may use of the host, and who enforces it: the best mechanism that this host really offers.
 */
@NullMarked
package brig.workeragent.limits;

import org.jspecify.annotations.NullMarked;
