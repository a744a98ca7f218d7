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
import brig.protocol.frame.ForkedFrom;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.log.Redaction;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One spawn: its request, its state, its log, and its worker's stream while there is one. State changes only through
 * {@link #become}. Owned by the event loop.
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
    private final SessionAsks asks = new SessionAsks(this);
    private final Activity activity = new Activity(asks, this::handleChanged);
    private final FinalFrames lastWords = new FinalFrames();
    private final long createdMs;
    private final long leaseMs;
    private final @Nullable String parent;
    private final @Nullable ForkedFrom forkedFrom;
    private final boolean onTerminal;
    private boolean ttySmallest;
    private final List<Lease> leases = new ArrayList<>();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final ProviderBinding binding;
    private @Nullable String sessionId;
    private SpawnState state;
    private String workspace;
    private @Nullable Integer broughtPercent;
    private long runningMs;
    private long changedMs;
    private long endedMs;
    private @Nullable String lastError;
    /** As JSON, since the parsed form would dominate the memory of an ended spawn. Null until known. */
    private @Nullable String posture;

    private SpawnView.@Nullable Exit exit;
    private @Nullable WorkerStream worker;
    private boolean unwanted;
    private List<Consumer<Spawn>> listeners = List.of();
    /** The path of its session socket, empty until that is open. */
    private String ioSocket = "";

    Spawn(SpawnRecord record, StreamLog log) {
        this.spawnId = record.spawnId();
        this.taskId = record.taskId();
        this.origin = record.origin();
        this.hashes = record.hashes();
        this.log = log;
        this.tree = new SpawnTree(log);
        watch(log);
        this.createdMs = record.times().createdMs();
        JsonObject request = JsonObject.read(origin.request().getBytes(StandardCharsets.UTF_8));
        this.leaseMs = TimeUnit.SECONDS.toMillis(request.number("lease_seconds", 0));
        this.parent = request.text("parent");
        this.forkedFrom =
                request.has("forked_from") ? request.object("forked_from").as(ForkedFrom.class) : null;
        this.onTerminal = request.has("tty");
        if (onTerminal) {
            activity.handleMessage();
            log.findScreen();
        }
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

    /** Tells those listeners whenever a view of it would be another one; the list may change. */
    void tell(List<Consumer<Spawn>> all) {
        listeners = all;
    }

    /** A view of it would be another one than before. */
    public void handleChanged() {
        listeners.forEach(listener -> listener.accept(this));
    }

    private void watch(StreamLog its) {
        its.atChange(() -> {
            if (!state.isFinal()) {
                handleChanged();
            }
        });
    }

    /** The only state transition. @throws IllegalStateException if {@link SpawnState} does not allow it */
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
        handleChanged();
    }

    /** Log fields of a state change; the duration is that of the state being left. */
    JsonObject transition(SpawnState next, long nowMs) {
        return names().put("state", state.wireName() + "->" + next.wireName())
                .put("duration_ms", nowMs - changedMs)
                .build();
    }

    /** All its names, for a log line. */
    private JsonObject.Builder names() {
        return JsonObject.builder()
                .put("request_id", origin.requestId())
                .put("provider", origin.provider())
                .put("spawn_id", spawnId)
                .put("session_id", sessionId)
                .put("task_id", taskId);
    }

    /** Its log fields with the acting captain, for the audit; null if nobody acted. */
    JsonObject audited(@Nullable String captain) {
        return names().put("captain", captain).put("agent", origin.agent()).build();
    }

    /** Signals once that its start is settled: it ran, or is over. */
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
        handleChanged();
    }

    void setTtySmallest(boolean smallest) {
        ttySmallest = smallest;
    }

    /** Whether the smallest of its captains' sizes is that of its terminal, not that of who typed last. */
    public boolean isTtySmallest() {
        return ttySmallest;
    }

    void setPosture(Posture measured) {
        posture = text(measured);
    }

    /** Whether its posture is known. */
    boolean isMeasured() {
        return posture != null;
    }

    void setExit(SpawnView.Exit how) {
        exit = how;
        handleChanged();
    }

    void setLastError(BrigException error) {
        lastError = Redaction.redact(error.code() + ": " + error.getMessage());
        handleChanged();
    }

    void setSessionId(String id) {
        sessionId = id;
        handleChanged();
    }

    /** The provider's side of the spawn. */
    ProviderBinding binding() {
        return binding;
    }

    /** The name of its worker at the worker-agent. */
    public String workerId() {
        return binding.workerId();
    }

    /** The name of the host that its worker is on; null for the gateway's own. */
    public @Nullable String host() {
        return binding.host();
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

    /** It is to end, but has no worker yet that could be told. */
    void setUnwanted() {
        unwanted = true;
    }

    boolean isUnwanted() {
        return unwanted;
    }

    /** Takes frames from that stream, in place of the one before. */
    void connect(WorkerStream stream) {
        disconnect();
        worker = stream;
        log.setHeldByCaptains(stream.isDirect());
        log.connect(stream);
    }

    /** Takes over what another gateway tells of it; the state only through {@link #become}. */
    void follow(SpawnRecord told) {
        sessionId = told.sessionId();
        workspace = told.course().workspace();
        posture = told.course().posture();
        exit = read(told.course().exit(), SpawnView.Exit.class);
        lastError = told.course().lastError();
        runningMs = told.times().runningMs();
        handleChanged();
    }

    /** Replaces the log: the stream on disk differs from the one that subscribers knew. */
    void restart(StreamLog fresh) {
        log = fresh;
        tree.restart(fresh);
        watch(fresh);
        handleChanged();
        if (onTerminal) {
            fresh.findScreen();
        }
    }

    /** The sub-agents derived from its frames. */
    public SpawnTree tree() {
        return tree;
    }

    FinalFrames lastWords() {
        return lastWords;
    }

    /** Its current activity, for views. */
    public SpawnActivity doing() {
        return activity.in(state, exit);
    }

    /** The provider of models that its requests wait for, as it is told by its frames; null for none. */
    public @Nullable String throttlingProvider() {
        return state.isFinal() ? null : activity.provider();
    }

    /** How much of its repository is on its host, while that is brought there. */
    @Nullable
    Integer broughtPercent() {
        return state == SpawnState.SPAWNING ? broughtPercent : null;
    }

    void handleBrought(int percent) {
        broughtPercent = percent < 100 ? percent : null;
        handleChanged();
    }

    /** Its asks that wait for an answer. */
    public SessionAsks asks() {
        return asks;
    }

    /** Its activity, as derived from frames. */
    Activity activity() {
        return activity;
    }

    public boolean isConnected() {
        return worker != null;
    }

    /** Whether frames come from its worker-agent itself. */
    boolean isFollowed() {
        return worker != null && worker.isDirect();
    }

    void disconnect() {
        if (worker != null) {
            worker.close();
            worker = null;
        }
    }

    /** Whether its agent is on a terminal, and so has no turns. */
    public boolean isOnTerminal() {
        return onTerminal;
    }

    /** Whether its worker was ever up. */
    public boolean hasRun() {
        return runningMs > 0;
    }

    /** Whether a provider makes a sandbox for it. */
    public boolean isSandboxed() {
        return !isTracked() && !origin.provider().equals(Spawner.PROVIDER);
    }

    /** Whether it is recorded what became of its sandbox: all that is kept of it was brought home before. */
    public boolean isSandboxSettled() {
        return binding.alive() != null;
    }

    /** Who runs its worker. */
    public String provider() {
        return origin.provider();
    }

    /** The captain's id of the request; null for none. */
    public @Nullable String requestId() {
        return origin.requestId();
    }

    /** Whether Brig did not start its agent. */
    public boolean isTracked() {
        return origin.provider().equals(TrackedSessions.PROVIDER);
    }

    /** Whether its worker is out of reach, so that it may have ended. */
    boolean isDoubtful() {
        return state == SpawnState.UNKNOWN || state == SpawnState.UNREACHABLE;
    }

    /** Whether subscribers can be admitted; a spawn that does not run yet has no frames. */
    public boolean isAttachable() {
        return state == SpawnState.RUNNING || (isDoubtful() && hasRun()) || log.lastSeq() > 0;
    }

    /** Its worker's stream. @throws BrigException {@code SESSION_ENDED} or {@code SESSION_NOT_READY} without one */
    public WorkerStream worker() {
        if (worker == null) {
            throw notReady();
        }
        return worker;
    }

    /** The refusal of a request to a spawn that does not run yet, or is over. */
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

    /** The failure it ended with. */
    Optional<BrigException> failure() {
        int colon = lastError == null ? -1 : lastError.indexOf(": ");
        return lastError == null || colon < 0 || state != SpawnState.FAILED
                ? Optional.empty()
                : Optional.of(new BrigException(
                                ErrorCode.valueOf(lastError.substring(0, colon)), lastError.substring(colon + 2), 1)
                        .about(spawnId, state.wireName()));
    }

    /** Whether it was given up although its worker may be alive: the operator decides about it. */
    boolean isGivenUp() {
        return failure()
                .filter(failure -> failure.code() == ErrorCode.RECONCILE_TIMEOUT)
                .isPresent();
    }

    /** Whether it is over, completely recorded, not being read, and its worker certainly gone. */
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

    /** The view for lists. */
    public SpawnView view() {
        return SpawnViews.of(this);
    }

    /** The view of this spawn alone, including what its wall enforces. */
    public SpawnView fullView() {
        return view().whole(read(posture, Posture.class));
    }

    /** What its wall enforces, as measured at its start. @throws BrigException {@code NOT_FOUND} if unmeasured */
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

    /** The captain that requested it. */
    public String captain() {
        return origin.captain();
    }

    /** Name of the agent profile. */
    public String agent() {
        return origin.agent();
    }

    /** How the agent's last process ended; null for none. */
    SpawnView.@Nullable Exit exit() {
        return exit;
    }

    /** {@code CODE: message}; null without an error. */
    @Nullable
    String lastError() {
        return lastError;
    }

    /** When it was first known to run, milliseconds since 1970; 0 for never. */
    long runningMs() {
        return runningMs;
    }

    /** When it ended, milliseconds since 1970; 0 if it has not. */
    long endedMs() {
        return endedMs;
    }

    /** When it was requested, milliseconds since 1970. */
    public long createdMs() {
        return createdMs;
    }

    /** How long it survives without a connected captain; 0 for no limit. */
    public long leaseMs() {
        return leaseMs;
    }

    /** The spawn_id of the session that it works for; null for none. */
    public @Nullable String parent() {
        return parent;
    }

    /** Where it began, if it is a fork; null otherwise. */
    @Nullable
    ForkedFrom forkedFrom() {
        return forkedFrom;
    }

    /** What was asked for, without the prompt. */
    public SpawnRequest request() {
        return StoredRequest.read(origin).request();
    }

    /** The agent's own session id; null until it is known. */
    public @Nullable String sessionId() {
        return sessionId;
    }

    /** The idempotency key of its request; empty without an id. */
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
