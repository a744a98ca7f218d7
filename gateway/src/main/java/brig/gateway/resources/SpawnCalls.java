package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.fork.PastReader;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.http.Who;
import brig.gateway.limits.Admission;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.GrantedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.spawn.SpawnRequest;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Operations on spawns and the workspaces that they leave behind.
 *
 * <p>Decision 0036.
 */
public final class SpawnCalls {
    private static final int PAGE = 100;
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,3})s?");
    private static final int WAIT_SECONDS_MAX = 300;

    private final ListenerServices listeners;
    private final Sessions sessions;
    private final Spawner spawner;
    private final WorkerAgent workers;

    public SpawnCalls(ListenerServices listeners, Spawner spawner, WorkerAgent workers) {
        this.listeners = listeners;
        this.sessions = listeners.sessions();
        this.spawner = spawner;
        this.workers = workers;
    }

    public void spawn(Call call, SpawnerRequest.Spawn in) {
        SpawnRequest request =
                claimed(placed(call.caller(), in.request()), call.request().getHeader("Idempotency-Key"));
        long waitMs = waitMs(in.waitFor());
        CompletableFuture<Void> late = new CompletableFuture<>();
        Timers.Timer deadline = waitMs == 0 ? () -> {} : listeners.timers().after(waitMs, () -> late.complete(null));
        call.answer(spawner.spawn(request, applicant(call.caller(), in, waitMs))
                .thenCompose(accepted -> {
                    call.response().putHeader("Location", "/api/v1/spawns/" + accepted.spawnId());
                    return waitMs == 0
                            ? CompletableFuture.completedFuture(requested(accepted))
                            : running(accepted, late);
                })
                .whenComplete((answered, failure) -> deadline.cancel()));
    }

    /** Starts a worker; completes when it runs. */
    public CompletionStage<SpawnAnswer> spawn(Caller caller, SpawnerRequest.Spawn in) {
        return spawner.spawn(placed(caller, in.request()), applicant(caller, in, waitMs(in.waitFor())))
                .thenCompose(AcceptedSpawn::running)
                .thenApply(SpawnCalls::granted);
    }

    /** Names the parent by its spawn_id. @throws BrigException unless the caller is a captain of it */
    private SpawnRequest placed(Caller caller, SpawnRequest request) {
        if (request.parent() == null) {
            return request;
        }
        Spawn parent = sessions.find(request.parent()).spawn();
        caller.own().in(parent).requireCaptain();
        if (sessions.withAncestors(parent).size() > Sessions.DEPTH_MAX) {
            throw BrigException.invalid("parent", "has " + Sessions.DEPTH_MAX + " sessions above it already");
        }
        return request.below(parent.spawnId());
    }

    private static Admission.Applicant applicant(Caller caller, SpawnerRequest.Spawn in, long waitMs) {
        return new Admission.Applicant(caller.access().asker(caller.via(in.client())), waitMs, caller::isGone);
    }

    /** The answer of a waiting request: the running worker, or the failure, or at the deadline the pending spawn. */
    private static CompletionStage<Call.Answer> running(AcceptedSpawn accepted, CompletableFuture<Void> late) {
        return CompletableFuture.anyOf(accepted.running().toCompletableFuture(), late)
                .thenApply(first -> first instanceof GrantedSpawn granted
                        ? new Call.Answer(201, granted(granted))
                        : requested(accepted));
    }

    private static Call.Answer requested(AcceptedSpawn accepted) {
        return new Call.Answer(
                202,
                new SpawnAnswer(
                        accepted.taskId(),
                        accepted.spawnId(),
                        null,
                        accepted.captainToken(),
                        accepted.watcherToken(),
                        accepted.ioSocket(),
                        SpawnAnswer.Status.REQUESTED));
    }

    /** The header is equivalent to the field request_id; its value is a quoted or bare string. */
    private static SpawnRequest claimed(SpawnRequest request, @Nullable String header) {
        if (header == null) {
            return request;
        }
        boolean quoted = header.length() > 1 && header.startsWith("\"") && header.endsWith("\"");
        String requestId = Ids.requestId("Idempotency-Key", quoted ? header.substring(1, header.length() - 1) : header);
        String field = request.claim().requestId();
        if (field != null && !field.equals(requestId)) {
            throw BrigException.invalid("Idempotency-Key", "is another id than the field request_id");
        }
        return request.claimedAs(requestId);
    }

    /** {@code 30s}: how long a request waits for a place, and over HTTP for the worker. */
    private static long waitMs(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        Matcher seconds = SECONDS.matcher(text);
        if (!seconds.matches() || Integer.parseInt(seconds.group(1)) > WAIT_SECONDS_MAX) {
            throw BrigException.invalid("wait", "must be seconds, at most " + WAIT_SECONDS_MAX + "s, such as 30s");
        }
        return Integer.parseInt(seconds.group(1)) * 1000L;
    }

    /** The answer for a running spawn, the same on every interface. */
    private static SpawnAnswer granted(GrantedSpawn granted) {
        return new SpawnAnswer(
                granted.taskId(),
                granted.spawnId(),
                granted.workspace(),
                granted.captainToken(),
                granted.watcherToken(),
                granted.ioSocket(),
                SpawnAnswer.Status.SPAWNED);
    }

    /** The requested page, newest first. */
    public SpawnList list(Caller caller, HttpRequest.ListSpawns in) {
        Predicate<Spawn> wanted = spawn -> isOr(in.state(), spawn.state())
                && isOr(in.agent(), spawn.agent())
                && isOr(in.captain(), spawn.captain())
                && isOr(in.taskId(), spawn.taskId());
        Page page = page(caller, in.limit(), in.after(), wanted);
        return new SpawnList(page.shown(), page.next());
    }

    /** All spawns visible to the caller, newest first. */
    public SpawnList list(Caller caller) {
        return new SpawnList(sessions.views(caller.access()), null);
    }

    private static boolean isOr(@Nullable Object wanted, Object value) {
        return wanted == null || wanted.equals(value);
    }

    /** @param next the {@code after} of the next page; null for none */
    record Page(List<SpawnView> shown, @Nullable String next) {}

    /** @param limit 0 for the default */
    Page page(Caller caller, int limit, @Nullable String after, Predicate<Spawn> wanted) {
        int size = limit == 0 ? PAGE : limit;
        List<Spawn> found = sessions.all().stream()
                .filter(spawn -> after == null || spawn.spawnId().compareTo(after) < 0)
                .filter(caller.access()::sees)
                .filter(wanted)
                .limit(size + 1L)
                .toList();
        return new Page(
                found.stream()
                        .limit(size)
                        .map(spawn -> sessions.of(spawn).view())
                        .toList(),
                found.size() > size ? found.get(size - 1).spawnId() : null);
    }

    public CompletionStage<DiffAnswer> diff(Caller caller, SpawnerRequest.Diff in) {
        String to = in.to();
        if (to == null) {
            return leaver(caller, in.id()).thenCompose(spawnId -> workers.diff(spawnId, null, in.stat()));
        }
        caller.access().requireCaptain();
        return leaver(caller, in.id())
                .thenCompose(
                        spawnId -> other(caller, to).thenCompose(otherId -> workers.diff(spawnId, otherId, in.stat())));
    }

    public CompletionStage<ApplyAnswer> apply(Caller caller, SpawnerRequest.Apply in) {
        return leaver(caller, in.id()).thenCompose(spawnId -> workers.apply(spawnId, in.check(), in.allow()));
    }

    public CompletionStage<CheckpointAnswer> checkpoint(Caller caller) {
        Spawn spawn = caller.session().spawn();
        return workers.checkpoint(spawn.spawnId(), spawn.log().nextSeq() - 1);
    }

    public CompletionStage<CheckpointsAnswer> checkpoints(Caller caller) {
        return workers.checkpoints(caller.session().spawn().spawnId());
    }

    public CompletionStage<CheckpointAnswer> restore(Caller caller, SpawnerRequest.Restore in) {
        Spawn spawn = caller.session().spawn();
        return workers.restore(spawn.spawnId(), in.at(), spawn.log().nextSeq() - 1);
    }

    /**
     * Starts a session that begins with a checkpoint of another one: its request again, in the name of the caller.
     */
    public CompletionStage<SpawnAnswer> fork(Caller caller, SpawnerRequest.Fork in) {
        Who.STARTER.require(caller.own());
        Spawn origin = caller.session().spawn();
        if (origin.isTracked() || origin.host() != null) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE,
                    origin.isTracked()
                            ? "Brig did not start that session, and has no checkpoints of it"
                            : "that session is on the host " + origin.host()
                                    + ": only those of the gateway's own host can be forked");
        }
        SpawnRequest request = placed(caller, origin.request().again(in.taskId(), in.prompt(), in.once()));
        if (!request.workspaceMode().isWorktree()) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE,
                    "only a session with a worktree has checkpoints to fork from: start one with --repository");
        }
        return checkpointFor(origin, in.at())
                .thenCompose(
                        seq -> PastReader.fork(origin.log(), origin.taskId(), new ForkedFrom(origin.spawnId(), seq)))
                .thenApply(fork -> isContinued(fork.session()) ? fork.withoutSession() : fork)
                .thenCompose(fork -> spawner.fork(
                        request,
                        fork,
                        new Admission.Applicant(caller.own().asker(caller.via(null)), 0, caller::isGone)))
                .thenCompose(AcceptedSpawn::running)
                .thenApply(SpawnCalls::granted);
    }

    /** Whether another session went on with that one of the agent, so that its conversation may be longer. */
    private boolean isContinued(@Nullable String session) {
        return session != null
                && sessions.all().stream()
                        .anyMatch(spawn -> !spawn.isTracked()
                                && session.equals(spawn.request().talk().resume()));
    }

    /** The number of the newest checkpoint at or before that frame; of one that is taken now if that is null. */
    private CompletionStage<Long> checkpointFor(Spawn origin, @Nullable Long at) {
        if (at == null) {
            return workers.checkpoint(origin.spawnId(), origin.log().nextSeq() - 1)
                    .thenApply(taken -> taken.checkpoint().seq());
        }
        return workers.checkpoints(origin.spawnId())
                .thenApply(all -> all.checkpoints().stream()
                        .map(Checkpoint::seq)
                        .filter(seq -> seq <= at)
                        .max(Comparator.naturalOrder())
                        .orElseThrow(() -> new BrigException(
                                ErrorCode.NOT_FOUND, "this session has no checkpoint at or before frame " + at)));
    }

    /** As {@link #leaver}, of a session that the operation names besides its own. @throws BrigException unless a captain asks */
    private CompletionStage<String> other(Caller caller, String id) {
        if (sessions.knows(id) || !caller.access().isAdmin()) {
            Spawn spawn = sessions.find(id).spawn();
            caller.access().in(spawn).requireCaptain();
            return CompletableFuture.completedFuture(spawn.spawnId());
        }
        return left(id);
    }

    /**
     * The spawn_id of a spawn that has, or left behind, a workspace. One that another gateway started is known by its workspace
     * alone, and of several with that task_id the last is meant.
     */
    private CompletionStage<String> leaver(Caller caller, String id) {
        if (caller.knows(id)) {
            return CompletableFuture.completedFuture(caller.spawnId(id));
        }
        return left(id);
    }

    private CompletionStage<String> left(String id) {
        return workers.workspaces()
                .thenApply(kept -> kept.workspaces().stream()
                        .filter(one -> one.taskId().equals(id))
                        .max(Comparator.comparingLong(WorkspacesAnswer.KeptWorkspace::endedMs))
                        .orElseThrow(() -> new BrigException(
                                ErrorCode.NOT_FOUND,
                                "no session '" + id + "' is known, and none of that name left changes: "
                                        + "'brig workspaces' lists those that did"))
                        .spawnId());
    }

    public CompletionStage<SpawnView> end(Caller caller) {
        Spawn spawn = caller.session().spawn();
        return spawner.terminate(spawn, "requested", caller.access().captain()).thenApply(begun -> spawn.view());
    }

    public CompletionStage<SpawnView> rebind(Caller caller) {
        return spawner.rebind(caller.session().spawn()).thenApply(Spawn::view);
    }

    /** The workspaces and roots left by the caller's spawns, or by all for an admin. */
    public CompletionStage<WorkspacesAnswer> workspaces(Caller caller) {
        Access access = caller.access();
        return workers.workspaces()
                .thenApply(kept -> access.isAdmin()
                        ? kept
                        : new WorkspacesAnswer(
                                kept.workspaces().stream()
                                        .filter(one -> sessions.isOf(one.spawnId(), access))
                                        .toList(),
                                kept.roots().stream()
                                        .filter(one -> access.captain().equals(one.captain()))
                                        .toList(),
                                kept.outOfReach()));
    }

    public CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(Caller caller, SpawnerRequest.DiscardRoot in) {
        Access access = caller.access();
        return workers.discardRoot(in.id(), new SpawnRequest.Asker(access.captain(), access.isAdmin()));
    }

    public CompletionStage<DiscardAnswer> discard(Caller caller, SpawnerRequest.Discard in) {
        return leaver(caller, in.id()).thenCompose(workers::discard);
    }
}
