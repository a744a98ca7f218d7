/** Resource limits of workers, enforced by the best mechanism of this host. */
@NullMarked
package brig.workeragent.limits;

import org.jspecify.annotations.NullMarked;
