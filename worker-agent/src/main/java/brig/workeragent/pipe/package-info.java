/**
 * Pipes of agents on a few event loops, as a thread for each would cost two changes of threads for each line of each
 * agent: {@link brig.workeragent.pipe.PipeLoops} opens them. Readers see an {@link brig.workeragent.pipe.OutputPipe},
 * writers an {@link brig.workeragent.pipe.InputPipe}.
 *
 * <p>Decision 0174.
 */
@NullMarked
package brig.workeragent.pipe;

import org.jspecify.annotations.NullMarked;
