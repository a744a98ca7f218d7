/** Cassettes: recordings of what goes through the pipes of an agent. */
@NullMarked
package brig.workeragent.recording;

import org.jspecify.annotations.NullMarked;
