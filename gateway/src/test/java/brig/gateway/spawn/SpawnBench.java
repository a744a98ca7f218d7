package brig.gateway.spawn;

import brig.gateway.limits.Admission;
import brig.gateway.store.MemorySpawnStore;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.Telemetry;
import brig.gateway.telemetry.Traces;
import brig.gateway.time.FakeTime;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.BrigException;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A spawner with nothing real around it: everything happens on a loop and a clock that the test drives. */
public final class SpawnBench {
    static final String CAPTAIN = "uid:1000";
    /** The frame before the last one, of archives that hold the end of their stream. */
    static final Frame.Done DONE = new Frame.Done(7, null, null, null);

    final Loop loop;
    final List<String> story = new ArrayList<>();
    final MemorySpawnStore store;
    final FakeWorkers workers = new FakeWorkers(story);
    final Spawns spawns = new Spawns();
    final Admission admission;
    final RetainedBudget budget = new RetainedBudget(Long.MAX_VALUE);
    final Counters counters = new Counters(System::nanoTime);
    final Map<String, MemoryArchive> archives;
    /** The last lines of streams that were recorded, and their numbers. */
    final Map<String, String> ends = new HashMap<>();

    final StreamLogs logs;
    final Spawner spawner;
    final FakeTime time = new FakeTime();
    long nowMs = 1_767_225_600_000L;
    /** The newest frame of each worker that the worker-agent has. */
    long workersLastSeq;

    boolean workersWork;
    /** The worker-agent of the host {@link #FAR}. */
    final FakeWorkers far = new FakeWorkers(story);

    static final String FAR = "far";
    final WorkerAgents agents;
    /** The hosts that spawns may be placed on. */
    final List<Placement.HostOffer> hosts = new ArrayList<>();
    /** The provider {@code cloud}. */
    final FakeSandboxes sandboxes = new FakeSandboxes();
    /** What each worker asks. */
    List<Frame.Ask> workersAsks = List.of();
    /** Whether the archives that this one leaves behind hold the last frame of their stream. */
    boolean endStored;

    /** Asks and their ends, as their listener is told of them. */
    final List<String> asked = new ArrayList<>();

    final AskListener asks = new AskListener() {
        @Override
        public void handleAsk(Spawn spawn, Frame.Ask ask) {
            asked.add("ask " + ask.askId());
        }

        @Override
        public void handleSettled(Spawn spawn, Frame.Answered answered) {
            asked.add("settled " + answered.askId() + " " + answered.reason());
        }
    };

    CompletableFuture<String> listeners = CompletableFuture.completedFuture("/run/io.sock");

    public SpawnBench() {
        this(0);
    }

    SpawnBench(long cooldownMs) {
        this(cooldownMs, 3, null);
    }

    /** What a restart of the gateway finds: the records and archives of {@code earlier}, and nothing else. */
    static SpawnBench restarted(SpawnBench earlier) {
        return restarted(earlier, 3);
    }

    /** The same, with another limit of workers. */
    static SpawnBench restarted(SpawnBench earlier, int workersMax) {
        SpawnBench bench = new SpawnBench(0, workersMax, earlier);
        var _ = bench.spawner.recover();
        bench.loop.run();
        return bench;
    }

    private Timers.Timer soon(long delayMs, Runnable task) {
        loop.execute(task);
        return () -> {};
    }

    private SpawnBench(long cooldownMs, int workersMax, @Nullable SpawnBench earlier) {
        // The archives of the earlier one work on its loop.
        loop = earlier == null ? new Loop() : earlier.loop;
        admission = new Admission(new Admission.Bounds(workersMax, 2, cooldownMs, 10), () -> nowMs, this::soon);
        store = new MemorySpawnStore(loop);
        archives = earlier == null ? new HashMap<>() : earlier.archives;
        if (earlier != null) {
            earlier.store.saved().forEach(record -> {
                var _ = store.save(record);
            });
            store.requests().putAll(earlier.store.requests());
            loop.run();
            store.saved().clear();
        }
        var environment = new StreamLog.Services(
                new LoopFlush(loop), budget, new RecordingClock(this::soon), this::soon, counters, 128 * 1024, 10);
        logs = new StreamLogs() {
            @Override
            public StreamLog create(String spawnId, String epoch, long lastSeq) {
                MemoryArchive archive = new MemoryArchive(loop, loop);
                archives.put(spawnId, archive);
                return new StreamLog(epoch, lastSeq, archive, environment);
            }

            @Override
            public CompletionStage<Reopened> reopen(String spawnId, String epoch) {
                MemoryArchive archive = archives.get(spawnId);
                CompletableFuture<Reopened> opened = new CompletableFuture<>();
                loop.execute(() -> opened.complete(new Reopened(
                        new StreamLog(epoch, archive.frames(), archive, environment),
                        (earlier != null && earlier.endStored) || archive.last().contains("\"terminated\""),
                        DONE)));
                return opened;
            }

            @Override
            public CompletionStage<Reopened> reopenToGap(String spawnId, String epoch) {
                return reopen(spawnId, epoch);
            }

            @Override
            public void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines) {
                ends.put(spawnId, firstSeq + "-" + lastSeq + " " + new String(lines, StandardCharsets.UTF_8));
            }
        };
        SessionSocketOpener sessionSockets = new SessionSocketOpener() {
            @Override
            public CompletionStage<String> open(Spawn spawn) {
                story.add("door, state " + spawn.state() + ", recorded " + recorded(spawn.spawnId()));
                return listeners;
            }

            @Override
            public String pathOf(String spawnId, String taskId) {
                return "/run/io.sock";
            }

            @Override
            public void linger(Spawn spawn) {
                story.add("door lingers, state " + spawn.state());
            }

            @Override
            public void close(Spawn spawn) {
                story.add("door closed");
            }
        };
        agents = new WorkerAgents(workers, spawns::hostOf);
        agents.add(FAR, far);
        spawner = new Spawner(
                new Spawner.Services(
                        agents,
                        () -> hosts,
                        sandboxes,
                        store,
                        logs,
                        () -> nowMs,
                        time,
                        new DerivedSecrets("a key"),
                        new Telemetry(counters, new Traces("", () -> nowMs, System::nanoTime))),
                admission,
                spawns,
                sessionSockets);
        var _ = spawns.followAsks(asks);
    }

    /** The states that were recorded for a spawn, oldest first. */
    List<String> recorded(String spawnId) {
        return store.saved().stream()
                .filter(record -> record.spawnId().equals(spawnId))
                .map(record -> record.course().state())
                .toList();
    }

    public static SpawnRequest request(@Nullable String taskId) {
        return new SpawnRequest(
                taskId, null, new SpawnRequest.AgentConfig("shell", null, List.of(), null), "a secret prompt", false);
    }

    /** Asks for a worker. @return what is answered at once */
    CompletableFuture<AcceptedSpawn> begin(SpawnRequest request, String captain) {
        boolean admin = captain.equals(CAPTAIN) || captain.equals("admin");
        CompletableFuture<AcceptedSpawn> accepted = spawner.spawn(
                        request, new Admission.Applicant(new SpawnRequest.Asker(captain, admin), 0, () -> false))
                .toCompletableFuture();
        loop.run();
        return accepted;
    }

    /** What is there already: nobody waits for it. */
    static <T> T now(CompletableFuture<T> answer) {
        if (!answer.isDone()) {
            throw new AssertionError("it is not answered at once");
        }
        return answer.join();
    }

    /** Asks for a worker. @return what is answered when it runs */
    CompletableFuture<GrantedSpawn> ask(@Nullable String taskId, String captain) {
        return begin(request(taskId), captain).thenCompose(AcceptedSpawn::running);
    }

    /** A request for a shell on a terminal. */
    public static SpawnRequest onTerminal(String taskId) {
        return new SpawnRequest(
                taskId,
                null,
                new SpawnRequest.AgentConfig("shell", null, List.of(), null),
                null,
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                new SpawnRequest.Continuation(null, false, new TerminalSize(80, 24), null),
                null);
    }

    /** The same with a lease. */
    public static SpawnRequest leased(String taskId, long leaseSeconds) {
        return new SpawnRequest(
                taskId,
                null,
                new SpawnRequest.AgentConfig("shell", null, List.of(), null),
                null,
                false,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                new SpawnRequest.Bounds(null, 0, leaseSeconds),
                SpawnRequest.Continuation.NEW,
                null);
    }

    /** Asks for a worker that is still on its way. */
    public CompletableFuture<GrantedSpawn> ask(SpawnRequest request) {
        return begin(request, CAPTAIN).thenCompose(AcceptedSpawn::running);
    }

    /** Asks for a worker, and the worker-agent starts it. */
    public GrantedSpawn start(String taskId) {
        CompletableFuture<GrantedSpawn> granted = ask(taskId, CAPTAIN);
        String spawnId = spawns.find(taskId).orElseThrow().spawnId();
        started(spawnId);
        return granted.join();
    }

    /** The same, as the spawn that runs now. */
    Spawn run(String taskId) {
        return spawn(start(taskId));
    }

    /** The spawn of an answer. */
    public Spawn spawn(GrantedSpawn granted) {
        return spawns.find(granted.spawnId()).orElseThrow();
    }

    /** Time passes, for clock and timers. */
    void pass(long ms) {
        nowMs += ms;
        time.pass(ms);
        loop.run();
    }

    /** The worker-agent starts that worker. */
    public void started(String spawnId) {
        workers.asked.get(spawnId).complete(answer(spawnId));
        loop.run();
    }

    /** What the worker-agent sends for a spawn. */
    void send(Spawn spawn, String lines) {
        stream(spawn).send(lines);
        loop.run();
    }

    FakeWorkers.FakeStream stream(Spawn spawn) {
        return workers.streams.get(spawn.spawnId());
    }

    private static SpawnAnswer answer(String spawnId) {
        return new SpawnAnswer("/workspaces/" + spawnId, new Posture("none", List.of(), List.of(), null));
    }

    private WorkersAnswer.WorkerView alive(String spawnId) {
        return new WorkersAnswer.WorkerView(spawnId, answer(spawnId), workersLastSeq, false, workersWork, workersAsks);
    }

    /** The worker-agent's link comes up, and it has these. */
    void reconcile(String... spawnIds) {
        reconcile(Set.of(), spawnIds);
    }

    /** The same, and those are on their way. */
    void reconcile(Set<String> starting, String... spawnIds) {
        workers.listing = new CompletableFuture<>();
        CompletableFuture<Void> done = spawner.reconcile(null).toCompletableFuture();
        list(starting, spawnIds);
        done.join();
    }

    /** The worker-agent says what it has. */
    void list(Set<String> starting, String... spawnIds) {
        workers.listing.complete(
                new WorkersAnswer(List.of(spawnIds).stream().map(this::alive).toList(), List.copyOf(starting)));
        loop.run();
    }

    static BrigException refusal(CompletableFuture<?> failed) {
        try {
            failed.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof BrigException refusal) {
                return refusal;
            }
            throw e;
        }
        throw new AssertionError("was not refused");
    }

    /** Slots in use: of all, and of the captain. */
    String slots() {
        return admission.workers() + "/" + admission.workers(CAPTAIN);
    }

    /** Asks for a worker that is still on its way. */
    public CompletableFuture<GrantedSpawn> ask(String taskId) {
        return ask(taskId, CAPTAIN);
    }

    public Spawns spawns() {
        return spawns;
    }

    /** The worker-agent, and what it was asked for. */
    public WorkerAgent workers() {
        return workers;
    }

    public List<String> story() {
        return story;
    }

    /** What the gateway said to the worker of a spawn. */
    public List<String> said(Spawn spawn) {
        return stream(spawn).said;
    }

    /** A worker says a line, and the loop runs. */
    public void say(Spawn spawn, String line) {
        send(spawn, line);
    }
}
