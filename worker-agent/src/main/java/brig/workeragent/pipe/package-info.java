/**
 * Pipes of agents on a few event loops, as a thread for each would cost two changes of threads for each line of each
 * agent: {@link brig.workeragent.pipe.PipeLoops} opens them, {@link brig.workeragent.pipe.OutputPipe} is what their
 * readers see.
 *
 * <p>Decision 0174.
 */
@NullMarked
package brig.workeragent.pipe;

import org.jspecify.annotations.NullMarked;
