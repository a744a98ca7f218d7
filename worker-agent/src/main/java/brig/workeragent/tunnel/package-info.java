/**
 * Agents whose files and commands are those of another host: the folder mounted here, and the shell there.
 *
 * <p>Decision 0165.
 */
@NullMarked
package brig.workeragent.tunnel;

import org.jspecify.annotations.NullMarked;
