/**
 * Resource limits of workers, enforced by the best mechanism of this host.
 *
 * <p>More than 14 classes: three mechanisms, and where there is no group, the memory of a wall counted from outside.
 */
@NullMarked
package brig.workeragent.limits;

import org.jspecify.annotations.NullMarked;
