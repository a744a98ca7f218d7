/** The format of a line of the log, the same in all processes, and the removal of what may be a secret. */
@NullMarked
package brig.protocol.log;

import org.jspecify.annotations.NullMarked;
