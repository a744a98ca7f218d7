package brig.gateway.spawn;

import brig.gateway.limits.Lease;
import brig.gateway.store.RequestRecord;
import brig.gateway.store.SpawnRecord;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.LogEvents;
import brig.gateway.tree.SpawnTree;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.control.Posture;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.log.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One spawn: what was asked for, the state it is in, its log, and the way to its worker while there is one. Changes of
 * state go through {@link #become} and nowhere else. State owned by the event loop.
 *
 * <p>Decision 0026.
 */
public final class Spawn {
    private static final Logger logger = LoggerFactory.getLogger(Spawn.class);
    private static final int NOT_READY_SECONDS = 5;

    private final String spawnId;
    private final String taskId;
    private final SpawnRecord.Origin origin;
    private final SpawnRecord.Hashes hashes;
    private StreamLog log;
    private final SpawnTree tree;
    private final Activity activity = new Activity();
    private final FinalFrames lastWords = new FinalFrames();
    private final long createdMs;
    private final long leaseMs;
    private final List<Lease> leases = new ArrayList<>();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final ProviderBinding binding;
    private @Nullable String sessionId;
    private SpawnState state;
    private String workspace;
    private long runningMs;
    private long changedMs;
    private long endedMs;
    private @Nullable String lastError;
    /** As JSON: parsed it would be most of what a spawn that has ended takes. Null until it is known. */
    private @Nullable String posture;

    private SpawnView.@Nullable Exit exit;
    private @Nullable WorkerStream worker;
    private boolean unwanted;
    /** The path of its session socket, empty until that is open. */
    private String ioSocket = "";

    Spawn(SpawnRecord record, StreamLog log) {
        this.spawnId = record.spawnId();
        this.taskId = record.taskId();
        this.origin = record.origin();
        this.hashes = record.hashes();
        this.log = log;
        this.tree = new SpawnTree(log);
        this.createdMs = record.times().createdMs();
        this.leaseMs =
                TimeUnit.SECONDS.toMillis(JsonObject.read(origin.request().getBytes(StandardCharsets.UTF_8))
                        .number("lease_seconds", 0));
        this.sessionId = record.sessionId();
        this.state = SpawnState.valueOf(record.course().state());
        this.workspace = record.course().workspace();
        this.binding = ProviderBinding.read(spawnId, record.course().providerIds());
        this.runningMs = record.times().runningMs();
        this.changedMs = record.times().updatedMs();
        this.endedMs = record.times().endedMs();
        this.lastError = record.course().lastError();
        this.posture = record.course().posture();
        this.exit = read(record.course().exit(), SpawnView.Exit.class);
    }

    private static <T> @Nullable T read(@Nullable String json, Class<T> type) {
        return json == null ? null : Json.read(json.getBytes(StandardCharsets.UTF_8), type);
    }

    private static @Nullable String text(@Nullable Record record) {
        return record == null ? null : new String(Json.write(record), StandardCharsets.UTF_8);
    }

    /** The only transition. @throws IllegalStateException where the states of {@link SpawnState} do not allow it */
    void become(SpawnState next, long nowMs) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(spawnId + " cannot become " + next + " from " + state);
        }
        LogEvents.log(logger, Level.INFO, "transition", transition(next, nowMs));
        state = next;
        changedMs = nowMs;
        if (next == SpawnState.RUNNING && runningMs == 0) {
            runningMs = nowMs;
        }
        if (next.isFinal()) {
            endedMs = nowMs;
            leases.forEach(Lease::close);
            leases.clear();
        }
    }

    /** What a change of state is logged with; the duration is that of the state which it leaves. */
    JsonObject transition(SpawnState next, long nowMs) {
        return names().put("state", state.wireName() + "->" + next.wireName())
                .put("duration_ms", nowMs - changedMs)
                .build();
    }

    /** All that it is called, for a line of the log. */
    private JsonObject.Builder names() {
        return JsonObject.builder()
                .put("request_id", origin.requestId())
                .put("provider", origin.provider())
                .put("spawn_id", spawnId)
                .put("session_id", sessionId)
                .put("task_id", taskId);
    }

    /** The same with who did it, for the audit. */
    JsonObject audited(String captain) {
        return names().put("captain", captain).put("agent", origin.agent()).build();
    }

    /** Tells those who wait for its start what became of it: it ran, or is over. Once. */
    void settle() {
        settled.complete(null);
    }

    /** Completes when it ran or is over. */
    public CompletionStage<Void> settled() {
        return settled;
    }

    /** Keeps a lease until the spawn ends. */
    void hold(Lease lease) {
        leases.add(lease);
    }

    void setWorkspace(String realPath) {
        workspace = realPath;
    }

    void setPosture(Posture measured) {
        posture = text(measured);
    }

    void setExit(SpawnView.Exit how) {
        exit = how;
    }

    void setLastError(BrigException error) {
        lastError = Redaction.redact(error.code() + ": " + error.getMessage());
    }

    void setSessionId(String id) {
        sessionId = id;
    }

    /** What its provider has for it. */
    ProviderBinding binding() {
        return binding;
    }

    /** What the worker-agent knows its worker by. */
    public String workerId() {
        return binding.workerId();
    }

    void setIoSocket(String socketPath) {
        ioSocket = socketPath;
    }

    String ioSocket() {
        return ioSocket;
    }

    String workspace() {
        return workspace;
    }

    /** Somebody wants its end, and there is no worker yet to be told. */
    void setUnwanted() {
        unwanted = true;
    }

    boolean isUnwanted() {
        return unwanted;
    }

    void connect(WorkerStream stream) {
        worker = stream;
        log.connect(stream);
    }

    /** What is on disk of it is another stream than the one that readers knew. */
    void restart(StreamLog fresh) {
        log = fresh;
        tree.restart(fresh);
    }

    /** The sub-agents that its frames tell of. */
    public SpawnTree tree() {
        return tree;
    }

    FinalFrames lastWords() {
        return lastWords;
    }

    /** What it does now, as views say it. */
    public SpawnActivity doing() {
        return activity.in(state, exit);
    }

    /** What its frames say of what it does. */
    Activity activity() {
        return activity;
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

    /** Whether its worker was up at any time. */
    boolean hasRun() {
        return runningMs > 0;
    }

    /** Whether it is of an agent that Brig did not start. */
    public boolean isTracked() {
        return origin.provider().equals(TrackedSessions.PROVIDER);
    }

    /** Whether a reader of this spawn can be let in; a spawn that is not running yet has nothing to read. */
    public boolean isAttachable() {
        return state == SpawnState.RUNNING || (state == SpawnState.UNKNOWN && hasRun()) || log.lastSeq() > 0;
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
        String message = state == SpawnState.FAILED && lastError != null
                ? "the spawn failed: " + lastError
                : "the session is " + state.wireName();
        return (state.isFinal()
                        ? new BrigException(ErrorCode.SESSION_ENDED, message)
                        : new BrigException(ErrorCode.SESSION_NOT_READY, message, NOT_READY_SECONDS))
                .about(spawnId, state.wireName())
                .withSessionId(sessionId);
    }

    /** What it failed with. */
    Optional<BrigException> failure() {
        int colon = lastError == null ? -1 : lastError.indexOf(": ");
        return lastError == null || colon < 0 || state != SpawnState.FAILED
                ? Optional.empty()
                : Optional.of(new BrigException(
                                ErrorCode.valueOf(lastError.substring(0, colon)), lastError.substring(colon + 2), 1)
                        .about(spawnId, state.wireName()));
    }

    /** Whether it was given up while its worker may live: an operator decides what becomes of that. */
    boolean isGivenUp() {
        return failure()
                .filter(failure -> failure.code() == ErrorCode.RECONCILE_TIMEOUT)
                .isPresent();
    }

    /** Whether it is over, its record is whole, nobody reads it, and its worker is gone for sure. */
    boolean isForgettable() {
        boolean workerMayLive = isGivenUp() && !Boolean.FALSE.equals(binding.alive());
        return state.isFinal() && !isConnected() && log.readerCount() == 0 && !workerMayLive;
    }

    void ack(long seq) {
        if (worker != null) {
            worker.ack(seq);
        }
    }

    SpawnRecord record() {
        return new SpawnRecord(
                spawnId,
                taskId,
                sessionId,
                log.epoch(),
                origin,
                hashes,
                new SpawnRecord.Course(state.name(), workspace, binding.toJson(), posture, text(exit), lastError),
                new SpawnRecord.Times(createdMs, runningMs, changedMs, endedMs));
    }

    /** What lists show. */
    public SpawnView view() {
        return SpawnViews.of(this);
    }

    /** What status and the HTTP interface show of this spawn alone: the view, and what its wall enforces. */
    public SpawnView fullView() {
        return view().whole(read(posture, Posture.class));
    }

    /** What its wall was found to enforce before the agent started. @throws BrigException {@code NOT_FOUND} where nobody looked */
    public Posture posture() {
        Posture measured = read(posture, Posture.class);
        if (measured == null) {
            throw new BrigException(ErrorCode.NOT_FOUND, "nothing is known of the wall of this spawn")
                    .about(spawnId, state.wireName());
        }
        return measured;
    }

    public boolean isCaptainToken(String token) {
        return Ids.isToken(token, hashes.captain());
    }

    public boolean isWatcherToken(String token) {
        return Ids.isToken(token, hashes.watcher());
    }

    public String spawnId() {
        return spawnId;
    }

    public String taskId() {
        return taskId;
    }

    /** SHA-256 of its captain's token, in hexadecimal. */
    public String captainHash() {
        return hashes.captain();
    }

    /** SHA-256 of its watchers' token, in hexadecimal. */
    public String watcherHash() {
        return hashes.watcher();
    }

    /** Who asked for it. */
    public String captain() {
        return origin.captain();
    }

    /** Name of the agent profile. */
    public String agent() {
        return origin.agent();
    }

    /** How a process of the agent ended last; null where none has. */
    SpawnView.@Nullable Exit exit() {
        return exit;
    }

    /** {@code CODE: message}; null where nothing went wrong. */
    @Nullable
    String lastError() {
        return lastError;
    }

    /** When it was known to run first, milliseconds since 1970; 0 for never. */
    long runningMs() {
        return runningMs;
    }

    /** When it ended, milliseconds since 1970; 0 where it has not. */
    long endedMs() {
        return endedMs;
    }

    /** When it was asked for, milliseconds since 1970. */
    public long createdMs() {
        return createdMs;
    }

    /** How long it stays while no captain is connected; 0 for as long as it likes. */
    public long leaseMs() {
        return leaseMs;
    }

    /** The agent's own id; null until it is known. */
    public @Nullable String sessionId() {
        return sessionId;
    }

    /** What repetitions of its request are known by; empty where it had no id. */
    Optional<RequestRecord.Key> requestKey() {
        String requestId = origin.requestId();
        return requestId == null
                ? Optional.empty()
                : Optional.of(new RequestRecord.Key(origin.provider(), origin.project(), requestId));
    }

    SpawnRecord.Origin origin() {
        return origin;
    }

    SpawnRecord.Hashes hashes() {
        return hashes;
    }

    public SpawnState state() {
        return state;
    }

    public StreamLog log() {
        return log;
    }
}
