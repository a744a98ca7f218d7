package brig.gateway.spawn;

import brig.gateway.stream.StreamRecorder;
import brig.gateway.time.Clock;
import java.util.function.LongConsumer;

/** Makes the frames of spawns durable before their workers may forget them. */
@FunctionalInterface
public interface Recorders {
    /** Those that write to the log's archive, and nowhere else. */
    static Recorders onDisk(Clock clock) {
        return (spawn, acknowledge, finished) -> new StreamRecorder(spawn.log(), clock, acknowledge, finished).start();
    }

    /**
     * Begins with the next frame of the spawn's log; or goes on, if it began for that log before.
     *
     * @param acknowledge called with the number up to which every frame is durable, or given up
     * @param finished called when the stream ended and all of it is durable, or given up
     */
    void begin(Spawn spawn, LongConsumer acknowledge, Runnable finished);
}
