package brig.gateway.spawn;

import brig.gateway.store.SpawnRecord;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture;
import brig.protocol.wire.FrameDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tracked sessions, whose agents Brig did not start. They have a stream, a record and a tree. They have no wall, no
 * worker and no place among the workers, and they take no messages and cannot be ended through Brig. Owned by the event
 * loop.
 */
final class TrackedSessions {
    /** Their value of the provider field. */
    static final String PROVIDER = "tracked";

    private static final int TRACKED_MAX = 100;
    private static final int RETRY_SECONDS = 30;
    private static final Pattern AGENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final int FOLDER_CHARS_MAX = 4096;
    private static final Posture POSTURE = new Posture(
            "none", null, List.of(new Posture.Property("wall", FindingStatus.NONE, "none: not started by Brig")), null);

    private final Spawner.Services parts;
    private final Spawns spawns;
    private final Transitions transitions;

    TrackedSessions(Spawner.Services parts, Spawns spawns, Transitions transitions) {
        this.parts = parts;
        this.spawns = spawns;
        this.transitions = transitions;
    }

    /**
     * Begins a session, in state running.
     *
     * @param captain the captain of the {@code brig track} client
     * @param teller the stream back to that client
     * @throws BrigException {@code INVALID_FIELD}, {@code TASK_ID_IN_USE}, {@code MAX_WORKERS}
     */
    CompletionStage<TrackedSession> begin(SpawnerRequest.Track request, String captain, WorkerStream teller) {
        String agent = request.agent();
        String taskId = request.taskId();
        String folder = request.workspace() == null ? "" : request.workspace();
        if (!AGENT.matcher(agent).matches()) {
            throw BrigException.invalid("agent", "must match " + AGENT);
        }
        if (taskId != null && !Ids.isTaskId(taskId)) {
            throw BrigException.invalid("task_id", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
        }
        if (folder.length() > FOLDER_CHARS_MAX || !(folder.isEmpty() || folder.startsWith("/"))) {
            throw BrigException.invalid("workspace", "must be an absolute path");
        }
        if (taskId != null && spawns.isLive(taskId)) {
            throw new BrigException(ErrorCode.TASK_ID_IN_USE, "task_id '" + taskId + "' belongs to a live session");
        }
        if (spawns.live().stream().filter(Spawn::isTracked).count() >= TRACKED_MAX) {
            throw new BrigException(ErrorCode.MAX_WORKERS, TRACKED_MAX + " agents are tracked already", RETRY_SECONDS);
        }
        return begin(admit(agent, taskId, captain), folder, teller);
    }

    private Spawn admit(String agent, @Nullable String taskId, String captain) {
        long nowMs = parts.clock().nowMs();
        String spawnId = Ids.newSpawnId(nowMs);
        // Its initial tokens are unknown to everybody; others can be minted.
        SpawnRecord.Hashes hashes =
                new SpawnRecord.Hashes(Ids.hashToken(Ids.newToken()), Ids.hashToken(Ids.newToken()));
        SpawnRecord record = new SpawnRecord(
                spawnId,
                taskId == null ? spawnId : taskId,
                null,
                Ids.newEpoch(),
                new SpawnRecord.Origin(null, "", PROVIDER, captain, agent, "{}"),
                hashes,
                SpawnRecord.Course.requested(new ProviderBinding(spawnId, null).toJson()),
                new SpawnRecord.Times(nowMs, 0, nowMs, 0));
        Spawn spawn = new Spawn(record, parts.logs().create(spawnId, record.epoch(), 0));
        spawns.add(spawn);
        return spawn;
    }

    private CompletionStage<TrackedSession> begin(Spawn spawn, String folder, WorkerStream teller) {
        spawn.become(SpawnState.SPAWNING, transitions.nowMs());
        List<FrameDecoder.Sink> sinks = new ArrayList<>(1);
        transitions.becomeRunning(spawn, folder, POSTURE, frames -> {
            sinks.add(frames);
            return teller;
        });
        // Its turns are not reported: it counts as working until it has ended.
        spawn.activity().handleMessage();
        TrackedSession tracked = new TrackedSession(
                spawn,
                sinks.getFirst(),
                () -> transitions.endTracked(
                        spawn,
                        new BrigException(
                                ErrorCode.WORKER_LOST,
                                "the client that tracked the agent is gone; the agent may still run"),
                        "worker_lost"));
        return spawn.settled().thenApply(settled -> tracked);
    }
}
