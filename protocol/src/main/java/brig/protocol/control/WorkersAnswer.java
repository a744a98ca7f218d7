package brig.protocol.control;

import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import java.util.List;

/**
 * The workers of a worker-agent.
 *
 * @param starting spawn ids of workers that are starting
 */
@Extensible
public record WorkersAnswer(List<WorkerView> workers, List<String> starting) {
    /**
     * A worker that runs, or has ended with frames not acknowledged yet.
     *
     * @param spawned the answer to its spawn request
     * @param lastSeq the number of its newest frame
     * @param working whether it has an unfinished message
     * @param asks those of its agent that wait for an answer, the oldest first
     */
    @Extensible
    public record WorkerView(
            String spawnId,
            @Flat SpawnAnswer spawned,
            @Range(max = Limits.SEQ_MAX) long lastSeq,
            boolean ended,
            boolean working,
            @OmitEmpty List<Frame.Ask> asks) {}
}
