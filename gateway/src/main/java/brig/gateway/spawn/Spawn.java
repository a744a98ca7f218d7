package brig.gateway.spawn;

import brig.gateway.limits.Lease;
import brig.gateway.store.SpawnRecord;
import brig.gateway.stream.StreamLog;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One spawn: what was asked for, the state it is in, its log, and the way to its worker while there is one. Changes of
 * state go through {@link #become} and nowhere else. State owned by the event loop.
 */
public final class Spawn {
    private static final Logger logger = LoggerFactory.getLogger(Spawn.class);

    private final String spawnId;
    private final String taskId;
    private final String request;
    private final String agent;
    private final String captain;
    private final String captainHash;
    private final String watcherHash;
    private final long createdMs;
    private final StreamLog log;
    private final List<Lease> leases = new ArrayList<>();
    private SpawnState state;
    private String workspace;
    private long endedMs;
    private @Nullable String lastError;
    private Map<String, @Nullable Object> posture = Map.of();
    private @Nullable WorkerStream worker;

    Spawn(SpawnRecord record, String agent, StreamLog log) {
        this.spawnId = record.spawnId();
        this.taskId = record.taskId();
        this.request = record.request();
        this.agent = agent;
        this.captain = record.captain();
        this.captainHash = record.captainHash();
        this.watcherHash = record.watcherHash();
        this.createdMs = record.createdMs();
        this.log = log;
        this.state = SpawnState.valueOf(record.state());
        this.workspace = record.workspace();
        this.endedMs = record.endedMs();
        this.lastError = record.lastError();
        String measured = record.posture();
        if (measured != null) {
            this.posture = Json.parseObject(measured.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The only transition. @throws IllegalStateException where the states of {@link SpawnState} do not allow it */
    void become(SpawnState next, long nowMs) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(spawnId + " cannot become " + next + " from " + state);
        }
        logger.info("spawn_id={} task_id={} agent={} state={}->{} after_ms={}",
                spawnId, taskId, agent, state.wireName(), next.wireName(), nowMs - createdMs);
        state = next;
        if (next.isFinal()) {
            endedMs = nowMs;
            leases.forEach(Lease::close);
            leases.clear();
        }
    }

    /** Keeps a lease until the spawn ends. */
    void hold(Lease lease) {
        leases.add(lease);
    }

    void setWorkspace(String realPath) {
        workspace = realPath;
    }

    void setPosture(Map<String, @Nullable Object> measured) {
        posture = measured;
    }

    void setLastError(String message) {
        lastError = message;
    }

    void connect(WorkerStream stream) {
        worker = stream;
        log.connect(stream);
    }

    boolean isConnected() {
        return worker != null;
    }

    void disconnect() {
        if (worker != null) {
            worker.close();
            worker = null;
        }
    }

    /** Whether a reader of this spawn can be let in; a spawn that is not running yet has nothing to read. */
    public boolean isAttachable() {
        return state == SpawnState.RUNNING || state == SpawnState.UNKNOWN || log.lastSeq() > 0;
    }

    /** The way to the worker. @throws BrigException {@code SESSION_ENDED} or {@code SESSION_NOT_READY} where there is none */
    public WorkerStream worker() {
        if (worker == null) {
            throw notReady();
        }
        return worker;
    }

    /** The refusal of whoever wants something of a spawn that has not begun, or is over. */
    public BrigException notReady() {
        String message = "the session is " + state.wireName();
        return (state.isFinal()
                ? new BrigException(ErrorCode.SESSION_ENDED, message)
                : new BrigException(ErrorCode.SESSION_NOT_READY, message, 1)).about(spawnId, state.wireName());
    }

    void ack(long seq) {
        if (worker != null) {
            worker.ack(seq);
        }
    }

    SpawnRecord record() {
        return new SpawnRecord(spawnId, taskId, log.epoch(), request, captain, workspace, state.name(), captainHash,
                watcherHash, createdMs, endedMs, lastError,
                posture.isEmpty() ? null : new String(Json.write(posture), StandardCharsets.UTF_8));
    }

    /** What status and the HTTP interface show of this spawn alone: the view, and what its wall enforces. */
    public Map<String, @Nullable Object> fullView() {
        Map<String, @Nullable Object> view = view();
        if (!posture.isEmpty()) {
            view.put("posture", posture);
        }
        return view;
    }

    /** What its wall was found to enforce before the agent started. @throws BrigException {@code NOT_FOUND} where nobody looked */
    public Map<String, @Nullable Object> posture() {
        if (posture.isEmpty()) {
            throw new BrigException(ErrorCode.NOT_FOUND, "nothing is known of the wall of this spawn").about(spawnId, state.wireName());
        }
        return posture;
    }

    /** What lists show; times in milliseconds since 1970. */
    public Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("spawn_id", spawnId);
        view.put("task_id", taskId);
        view.put("agent", agent);
        view.put("state", state.wireName());
        if (log.isThrottled() && !state.isFinal()) {
            view.put("throttled", true);
        }
        view.put("workspace", workspace);
        view.put("captain", captain);
        view.put("created_ms", createdMs);
        if (state.isFinal()) {
            view.put("ended_ms", endedMs);
        }
        view.put("epoch", log.epoch());
        view.put("first_seq", log.firstSeq());
        view.put("last_seq", log.lastSeq());
        view.put("readers", log.readerCount());
        if (lastError != null) {
            view.put("last_error", lastError);
        }
        return view;
    }

    public boolean isCaptainToken(String token) {
        return Ids.isToken(token, captainHash);
    }

    public boolean isWatcherToken(String token) {
        return Ids.isToken(token, watcherHash);
    }

    public String spawnId() {
        return spawnId;
    }

    public String taskId() {
        return taskId;
    }

    public SpawnState state() {
        return state;
    }

    public StreamLog log() {
        return log;
    }
}
