/** Time as a dependency: a clock and timers that tests can replace. */
@NullMarked
package brig.gateway.time;

import org.jspecify.annotations.NullMarked;
