/** Time as an argument: a clock to read and timers to set, so that tests need neither. */
@NullMarked
package brig.gateway.time;

import org.jspecify.annotations.NullMarked;
