/** What a wall was found to enforce: measured from inside by process 1 of the wall, before the agent starts. */
@NullMarked
package brig.workeragent.posture;

import org.jspecify.annotations.NullMarked;
