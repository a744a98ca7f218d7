/** The whole path of a frame, from the agent's write to the reader's read, and what each process has to do with it. */
@NullMarked
package brig.loadtests.whole;

import org.jspecify.annotations.NullMarked;
