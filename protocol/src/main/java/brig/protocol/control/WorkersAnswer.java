package brig.protocol.control;

import brig.protocol.Limits;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Range;
import java.util.List;

/**
 * The workers of a worker-agent.
 *
 * @param starting spawn ids of those that are on their way
 */
@Extensible
public record WorkersAnswer(List<WorkerView> workers, List<String> starting) {
    /**
     * One that runs, or has ended and has frames that are not acknowledged yet.
     *
     * @param spawned as it was answered to its spawn
     * @param lastSeq the number of its newest frame
     * @param working whether it has a message that it has not done
     */
    @Extensible
    public record WorkerView(
            String spawnId,
            @Flat SpawnAnswer spawned,
            @Range(max = Limits.SEQ_MAX) long lastSeq,
            boolean ended,
            boolean working) {}
}
