/** Cassettes: recordings of the data in an agent's pipes. */
@NullMarked
package brig.workeragent.recording;

import org.jspecify.annotations.NullMarked;
