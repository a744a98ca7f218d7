/** A request for a worker and its whole life: limits, states, recovery after a restart. */
@NullMarked
package brig.gateway.spawn;

import org.jspecify.annotations.NullMarked;
