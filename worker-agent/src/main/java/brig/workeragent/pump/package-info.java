/**
 * From the agent's pipes to numbered frames: {@link brig.workeragent.pump.OutputPump} reads a pipe, {@link
 * brig.workeragent.pump.Outbox} numbers the frames and keeps them until the gateway has stored them, in memory or in a
 * {@link brig.workeragent.pump.SpillFolder}.
 */
@NullMarked
package brig.workeragent.pump;

import org.jspecify.annotations.NullMarked;
