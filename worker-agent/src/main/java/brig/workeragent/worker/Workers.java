package brig.workeragent.worker;

import brig.egress.policy.EgressPolicy;
import brig.formats.adapter.ScreenCheckpoints;
import brig.formats.adapter.TerminalAdapter;
import brig.formats.adapter.TerminalFollower;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.NewestMap;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.Posture;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkersAnswer.WorkerView;
import brig.protocol.egress.EgressEvent;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.budget.Budgets;
import brig.workeragent.handover.HandedOver;
import brig.workeragent.home.AgentHomes;
import brig.workeragent.image.Images;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.Policy;
import brig.workeragent.profile.Programs;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.SpillFolder;
import brig.workeragent.recording.Cassettes;
import brig.workeragent.recording.Recorder;
import brig.workeragent.relay.RelayedNetworks;
import brig.workeragent.service.SessionServices;
import brig.workeragent.tunnel.Tunnel;
import brig.workeragent.tunnel.Tunnels;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.Walls;
import brig.workeragent.workspace.Lending;
import brig.workeragent.workspace.MadeWorkspaces;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All workers of this host by spawn_id: creates them, finds them, and forgets them once their last frame is stored.
 *
 * <p>Thread-safe; a spawn blocks its caller until the worker is up.
 *
 * <p>Decisions 0131, 0145.
 */
public final class Workers {
    /** The dependencies for creating workers. */
    public record Services(
            AgentProfiles profiles,
            Programs programs,
            Policies policies,
            HandedOver handed,
            Walls walls,
            MadeWorkspaces made,
            Images images,
            Timers timers,
            EgressSessions egress,
            Budgets budgets,
            RelayedNetworks relayed,
            SpillFolder spills,
            Tunnels tunnels,
            Executor threads) {}

    /**
     * Settings: {@code newWorkspaces} is the base of unnamed workspaces, folders created below {@code scratchBases} go with their
     * session, {@code cassettes} holds recordings, {@code owners} the owners of folders that Brig created.
     */
    public record Bounds(
            Path newWorkspaces,
            List<Path> scratchBases,
            Path cassettes,
            Path owners,
            long unackedBytesMax,
            StopTimes times,
            int startsPerSecondMax,
            int workersMax) {}

    /** {@code posture} completes when the worker is up. */
    private record Entry(
            Worker worker,
            CompletableFuture<Posture> posture,
            CompletableFuture<Void> ended,
            CompletableFuture<Void> drained) {
        Entry(Worker worker) {
            this(worker, new CompletableFuture<>(), new CompletableFuture<>(), new CompletableFuture<>());
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);
    private static final TerminalFollower.Factory FOLLOWERS = ScreenCheckpoints::new;
    static final int FORGOTTEN_MAX = 4096;
    private static final long LAST_ACK_MS = 1000;

    private final Services parts;
    private final Bounds bounds;
    private final Choices choices;
    private final Workspaces workplaces;
    private final AgentHomes homes;
    private final Cassettes cassettes;
    private final Worker.Services context;
    private final ConcurrentHashMap<String, Entry> workers = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Each spawn's answer, until the worker is forgotten. Guarded by the lock. */
    private final Map<String, CompletableFuture<SpawnAnswer>> answers = new LinkedHashMap<>();
    /** Forgotten workers, so that a late repetition of a request does not start a second one. */
    private final Map<String, Boolean> forgotten = new NewestMap<>(FORGOTTEN_MAX);

    private final StartRate rate;
    /** Discarded workers: they end as soon as they are up, and nobody acknowledges their frames. */
    private final Set<String> unwanted = new HashSet<>();

    private boolean closing;

    /** Removes leftovers of a worker-agent that died. */
    public void sweep() {
        parts.spills().sweep();
        parts.tunnels().sweep();
        workplaces.sweep();
    }

    public Workers(Services parts, Bounds bounds) {
        this.parts = parts;
        this.bounds = bounds;
        this.choices = new Choices(parts.profiles(), parts.policies(), parts.handed());
        this.rate = new StartRate(bounds.startsPerSecondMax(), parts.timers().nowMs());
        this.workplaces = new Workspaces(
                parts.walls(),
                parts.made(),
                parts.images(),
                bounds.newWorkspaces(),
                new WorkspaceOwners(bounds.owners()),
                bounds.scratchBases());
        this.homes = new AgentHomes(parts.walls(), bounds.newWorkspaces());
        this.cassettes = new Cassettes(bounds.cassettes(), homes, parts.timers()::nowMs);
        Worker.Listener listener = new Worker.Listener() {
            @Override
            public void handleEnded(Worker worker) {
                Workers.this.handleEnded(worker);
            }

            @Override
            public void handleDrained(Worker worker) {
                forget(worker);
            }
        };
        this.context = new Worker.Services(bounds.times(), parts.timers(), parts.threads(), listener);
    }

    /**
     * Whether a request would be refused, as far as can be told without creating anything, so that an invalid one is
     * known before it is stored.
     *
     * @param handed whether home hands over its profile and policy, and checks them
     * @throws BrigException a refusal as that of {@link #spawn}
     */
    public void check(SpawnRequest request, SpawnRequest.Asker asker, boolean handed) {
        workplaces.check(handed ? request : choices.here(request).request(), asker);
        lock.lock();
        try {
            requirePlace();
            rate.check(parts.timers().nowMs());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Checks that a repository of this host may be lent to a spawn on another one. The policy that says which files are
     * private must be known here.
     *
     * @param spawnId the spawn whose changes may be applied to it; null only checks
     * @return the name of its mirrors
     * @throws BrigException a refusal as that of {@link #check}
     */
    public String lendable(@Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        choices.privateFiles(request);
        return workplaces.lendable(spawnId, request, asker);
    }

    /**
     * Packs what a mirror lacks of such a repository.
     *
     * @param have commits that the mirror says it has
     */
    public Lending.Loan lend(SpawnRequest request, SpawnRequest.Asker asker, List<String> have) {
        return workplaces.lend(request, asker, choices.privateFiles(request), have);
    }

    /**
     * Creates the worker of that id, or waits for the existing one; returns when it is up.
     *
     * @param with what it needs besides the request
     * @throws BrigException a refusal; nothing of the worker is left then, and the id may be used again
     */
    public SpawnAnswer spawn(String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with)
            throws InterruptedException {
        CompletableFuture<SpawnAnswer> mine = new CompletableFuture<>();
        CompletableFuture<SpawnAnswer> first = register(spawnId, mine);
        if (first == mine) {
            try {
                mine.complete(make(spawnId, request, asker, with));
            } catch (InterruptedException | RuntimeException | Error e) {
                unregister(spawnId);
                mine.completeExceptionally(e);
                throw e;
            }
        }
        return await(first);
    }

    private CompletableFuture<SpawnAnswer> register(String spawnId, CompletableFuture<SpawnAnswer> mine) {
        lock.lock();
        try {
            CompletableFuture<SpawnAnswer> earlier = answers.get(spawnId);
            if (earlier != null) {
                return earlier;
            }
            if (closing) {
                throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
            }
            if (forgotten.containsKey(spawnId)) {
                throw new BrigException(
                        ErrorCode.SESSION_ENDED, "this worker ended, and its last frame was acknowledged");
            }
            requirePlace();
            rate.take(parts.timers().nowMs());
            answers.put(spawnId, mine);
            return mine;
        } finally {
            lock.unlock();
        }
    }

    private void requirePlace() {
        if (answers.size() >= bounds.workersMax()) {
            throw new BrigException(
                    ErrorCode.MAX_WORKERS, "worker.workersMax (" + bounds.workersMax() + ") is reached", 1);
        }
    }

    private void unregister(String spawnId) {
        parts.handed().forget(spawnId);
        lock.lock();
        try {
            answers.remove(spawnId);
            if (unwanted.remove(spawnId)) {
                forgotten.put(spawnId, true);
            }
        } finally {
            lock.unlock();
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BrigException refusal ? refusal : new CompletionException(e.getCause());
        }
    }

    private SpawnAnswer make(String spawnId, SpawnRequest asked, SpawnRequest.Asker asker, Provision with)
            throws InterruptedException {
        @Nullable EgressGrant grant = with.grant();
        Choices.Choice choice = with.handed() ? choices.handed(spawnId, asked) : choices.here(asked);
        AgentProfiles.Named agent = choice.agent();
        SpawnRequest adapted = choice.request();
        AgentProfile profile = agent.profile();
        Programs.Found found = parts.programs().find(agent);
        @Nullable TerminalSize tty = adapted.talk().tty();
        Cassettes.Played format = tty == null
                ? cassettes.formatOf(profile, adapted.model())
                : new Cassettes.Played(new TerminalAdapter(tty, FOLLOWERS, profile.transcripts()), List.of());
        Policies.Named policy = choice.policy();
        choice.logWithheld(spawnId);
        SpawnBudget spend = new SpawnBudget(choice, asker);
        Budgets.Terms terms = parts.budgets().admit(spawnId, adapted.parent(), spend.budget());
        Workspaces.Workplace place = workplaces.take(spawnId, adapted, asker, policy.confinement(), with);
        Tunnel tunnel = null;
        try {
            tunnel = parts.tunnels().open(spawnId, asked.place(), with.ways(), Tunnels.Bounds.of(policy.confinement()));
            SpawnRequest request = tunnel == null ? adapted : profile.toldOf(tunnel.instructions(), adapted);
            // The project's file is read at the start only: an agent's later changes have no effect.
            Policy.Project project = policy.policy().projectIn(place.folder(), adapted);
            place = workplaces.overlaid(place, spawnId, adapted, asker, project.overlay(), with.fork() != null);
            List<Confinement.Mount> kept = homes.mounts(agent, request, asker);
            @Nullable EgressPolicy granted = grant == null ? null : RelayedNetworks.policy(grant);
            Confinement own = policy.confinement();
            Confinement narrowed = project.narrowing().apply(granted == null ? own : own.with(granted));
            Confinement may = (granted == null ? narrowed : narrowed.with(granted))
                    .with(found.mounts())
                    .with(format.mounts())
                    .with(kept)
                    .with(place.mounts())
                    .with(tunnel == null ? List.of() : tunnel.mounts())
                    .narrowedTo(request.bounds().envAllowlist())
                    .behind(profile.wall(), request.bounds().wall())
                    .letting(tty == null ? Set.of() : AgentProfile.TERMINAL.keySet());
            Outbox outbox = new Outbox(bounds.unackedBytesMax(), parts.spills().of(spawnId));
            Wall built = SessionServices.around(
                    new SessionServices.Host(parts.walls(), parts.images(), outbox, parts.timers()::nowMs),
                    new Walls.Plan(
                            spawnId,
                            agent.name(),
                            place.folder(),
                            AgentHomes.environment(profile.environment(request), kept),
                            may,
                            grant == null ? null : parts.relayed().gate(grant),
                            tunnel == null ? null : tunnel.shell(),
                            place.root(),
                            List.of()),
                    profile.services());
            Recorder recorder = null;
            Worker worker;
            try {
                WorkerPlan.Keeper keeper = workplaces.keeper(spawnId, request, parts.timers());
                recorder = request.talk().record() ? cassettes.record(spawnId, agent) : null;
                WorkerPlan plan = new WorkerPlan(
                        spawnId,
                        request,
                        asker,
                        profile,
                        new WorkerPlan.Resources(found.program(), format.adapter(), recorder, keeper),
                        policy.policy(),
                        WorkerPlan.Workspace.of(place.folder(), tunnel),
                        terms,
                        AgentHomes.known(profile, kept, with.fork()));
                EgressFrames told = new EgressFrames(outbox, parts.timers());
                project.notices().forEach(notice -> told.handle(new EgressEvent.ProjectFile(notice)));
                if (granted != null && !narrowed.egress().equals(granted)) {
                    told.handle(new EgressEvent.ProjectFile(
                            "the project's rules for the network have no effect: it is served at home"));
                }
                OpenAsks asks = new OpenAsks(
                        spawnId, outbox, parts.timers(), profile.asks().waitMs());
                SpendAsks spending = spend.asks(
                        asks,
                        told,
                        terms,
                        grant == null,
                        new SpawnBudget.Answers(
                                spawnId, parts.budgets(), parts.egress(), () -> end(spawnId, EndReason.BUDGET)));
                AutoCloseable egress = grant == null
                        ? parts.egress()
                                .open(
                                        spawnId,
                                        may.egress(),
                                        choice.networkBy(project.narrowing())
                                                .charging(() -> parts.budgets().purses(spawnId, asker.captain())),
                                        new EgressAsks(
                                                asks,
                                                told,
                                                spending,
                                                choice.loginAsks(asks, spawnId, parts.egress(), this::end),
                                                (host, rule) -> parts.egress().refuse(spawnId, host, rule)))
                        // Requests that wait for an ask which finds no room end at their deadline at home.
                        : parts.relayed()
                                .open(
                                        spawnId,
                                        new EgressAsks(asks, told, spending, null, (host, rule) -> {})::handleEvent);
                Workspaces.Workplace all =
                        place.and(egress).and(() -> parts.handed().forget(spawnId));
                worker =
                        new Worker(plan, (tunnel == null ? all : all.and(tunnel)).around(built), outbox, asks, context);
            } catch (RuntimeException e) {
                if (recorder != null) {
                    recorder.close();
                }
                built.close();
                throw e;
            }
            return start(worker, tunnel, place.root());
        } catch (InterruptedException | RuntimeException e) {
            if (tunnel != null) {
                tunnel.close();
            }
            place.refused().run();
            throw e;
        }
    }

    private void end(String spawnId, EndReason reason) {
        Entry entry = workers.get(spawnId);
        if (entry != null) {
            entry.worker().terminate(reason);
        }
    }

    private SpawnAnswer start(Worker worker, @Nullable Tunnel tunnel, Root root) throws InterruptedException {
        Entry entry = new Entry(worker);
        workers.put(worker.spawnId(), entry);
        Posture posture;
        try {
            posture = await(worker.start()).withRoot(root.shown());
            posture = tunnel == null ? posture : tunnel.in(posture);
            entry.posture().complete(posture);
        } catch (InterruptedException | RuntimeException e) {
            worker.terminate(EndReason.SHUTDOWN);
            workers.remove(worker.spawnId());
            worker.outbox().close();
            throw e;
        }
        LOG.info("spawned spawn_id={}", worker.spawnId());
        if (isClosing()) {
            worker.terminate(EndReason.SHUTDOWN);
        } else if (isUnwanted(worker.spawnId())) {
            worker.terminate(EndReason.REQUESTED);
        }
        return worker.answer(posture);
    }

    /** What home hands over for them. */
    public HandedOver handed() {
        return parts.handed();
    }

    public Tunnels tunnels() {
        return parts.tunnels();
    }

    /** The worker of that id. @throws BrigException {@code NOT_FOUND} */
    public Worker find(String spawnId) {
        Entry entry = workers.get(spawnId);
        if (entry == null) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no worker " + spawnId);
        }
        return entry.worker();
    }

    /** The worker of that id; null if there is none that has not ended. */
    @Nullable
    Worker live(String spawnId) {
        Entry entry = workers.get(spawnId);
        return entry == null || entry.ended().isDone() ? null : entry.worker();
    }

    /**
     * Ends the worker of that id, whether or not its frames are read, and prevents a later start: a request in flight
     * is refused with {@code SESSION_ENDED}. No error if there is none.
     */
    public void discard(String spawnId, EndReason reason) {
        lock.lock();
        try {
            if (!answers.containsKey(spawnId)) {
                forgotten.put(spawnId, true);
                return;
            }
            unwanted.add(spawnId);
        } finally {
            lock.unlock();
        }
        Entry entry = workers.get(spawnId);
        if (entry != null) {
            LOG.info("discarded spawn_id={}", spawnId);
            entry.worker().terminate(reason);
            if (entry.ended().isDone()) {
                forget(entry.worker());
            }
        }
    }

    private boolean isUnwanted(String spawnId) {
        lock.lock();
        try {
            return unwanted.contains(spawnId);
        } finally {
            lock.unlock();
        }
    }

    /** The workers, and the ids of those that are starting and have nothing to show yet. */
    public WorkersAnswer list() {
        List<WorkerView> views = new ArrayList<>();
        Set<String> starting = new TreeSet<>();
        lock.lock();
        try {
            answers.forEach((id, answer) -> {
                if (!answer.isDone()) {
                    starting.add(id);
                }
            });
        } finally {
            lock.unlock();
        }
        workers.forEach((id, entry) -> {
            if (entry.posture().isDone()) {
                starting.remove(id);
                views.add(new WorkerView(
                        id,
                        entry.worker().answer(entry.posture().join()),
                        entry.worker().outbox().lastSeq(),
                        entry.ended().isDone(),
                        entry.worker().isWorking(),
                        entry.worker().openAsks()));
            }
        });
        return new WorkersAnswer(views, List.copyOf(starting));
    }

    /** Whether a worker has not ended yet. */
    public boolean anyAlive() {
        return workers.values().stream().anyMatch(entry -> !entry.ended().isDone());
    }

    private void handleEnded(Worker worker) {
        Entry entry = workers.get(worker.spawnId());
        if (entry != null) {
            entry.ended().complete(null);
            if (isUnwanted(worker.spawnId())) {
                forget(worker);
            }
        }
    }

    private void forget(Worker worker) {
        Entry entry;
        lock.lock();
        try {
            // Atomic: concurrent requests find it either as a worker or as a forgotten one.
            entry = workers.remove(worker.spawnId());
            if (entry == null) {
                return;
            }
            answers.remove(worker.spawnId());
            unwanted.remove(worker.spawnId());
            forgotten.put(worker.spawnId(), true);
        } finally {
            lock.unlock();
        }
        worker.outbox().close();
        // The gateway may acknowledge the last frame before the worker reports its end.
        entry.ended().complete(null);
        entry.drained().complete(null);
        LOG.info("forgotten spawn_id={}", worker.spawnId());
    }

    private boolean isClosing() {
        lock.lock();
        try {
            return closing;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Refuses new workers and ends all others. Waits for their end as long as the ladder can take, and for a connected
     * gateway to acknowledge their last frames; then closes its connections.
     */
    public void shutdown() throws InterruptedException {
        lock.lock();
        try {
            closing = true;
        } finally {
            lock.unlock();
        }
        List<Entry> all = List.copyOf(workers.values());
        all.forEach(entry -> entry.worker().terminate(EndReason.SHUTDOWN));
        long ladderMs = bounds.times().stdinGrace() + 2 * bounds.times().termGrace() + 1000;
        awaitAll(all.stream().map(Entry::ended), ladderMs);
        Stream<Entry> read =
                all.stream().filter(entry -> entry.worker().outbox().hasReader());
        awaitAll(read.map(Entry::drained), LAST_ACK_MS);
        all.forEach(entry -> entry.worker().outbox().close());
    }

    private static void awaitAll(Stream<CompletableFuture<Void>> futures, long waitMs) throws InterruptedException {
        CompletableFuture<Void> all = CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
        try {
            all.get(waitMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("some workers did not end in time, or their last frames were not acknowledged: {}", e.toString());
        }
    }
}
