package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import brig.protocol.api.SpawnView;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as lists and answers show it: {@code view} in PROTOCOL.md, section 4.1.
 *
 * <p>Decision 0134.
 */
final class SpawnViews {
    private SpawnViews() {}

    static SpawnView of(Spawn spawn) {
        StreamLog log = spawn.log();
        boolean isFinal = spawn.state().isFinal();
        String project = spawn.origin().project();
        return new SpawnView(
                spawn.spawnId(),
                spawn.taskId(),
                spawn.sessionId(),
                spawn.origin().requestId(),
                project.isEmpty() ? null : project,
                spawn.parent(),
                spawn.forkedFrom(),
                spawn.origin().provider(),
                spawn.host(),
                spawn.agent(),
                spawn.state(),
                spawn.doing(),
                spawn.broughtPercent(),
                spawn.asks().size(),
                log.isThrottled() && !isFinal,
                spawn.isOnTerminal(),
                spawn.workspace(),
                spawn.captain(),
                spawn.createdMs(),
                spawn.runningMs(),
                isFinal ? spawn.endedMs() : 0,
                spawn.exit(),
                log.epoch(),
                log.firstSeq(),
                log.lastSeq(),
                log.readerCount(),
                spawn.lastError(),
                givenUp(spawn),
                null,
                null,
                spawn.tree().budget(),
                null);
    }

    private static SpawnView.@Nullable GivenUp givenUp(Spawn spawn) {
        boolean sandboxLives = spawn.isSandboxed()
                && spawn.state().isFinal()
                && Boolean.TRUE.equals(spawn.binding().alive());
        return spawn.isGivenUp() || sandboxLives
                ? new SpawnView.GivenUp(spawn.binding().alive())
                : null;
    }
}
