/** The log line format of all processes, and the removal of possible secrets. */
@NullMarked
package brig.protocol.log;

import org.jspecify.annotations.NullMarked;
