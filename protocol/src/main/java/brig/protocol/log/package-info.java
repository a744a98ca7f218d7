/** The log line format of all processes, the removal of possible secrets, and how lines are written. */
@NullMarked
package brig.protocol.log;

import org.jspecify.annotations.NullMarked;
