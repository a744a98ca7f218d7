package brig.gateway.cluster;

import brig.gateway.limits.Admission;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.DerivedSecrets;
import brig.gateway.spawn.SandboxPlaces;
import brig.gateway.spawn.SessionSocketOpener;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.Spawns;
import brig.gateway.spawn.StreamLogs;
import brig.gateway.store.MemorySpawnStore;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RecordingSink;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.Telemetry;
import brig.gateway.telemetry.Traces;
import brig.gateway.time.FakeTime;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.control.Posture;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Gateways that share hosts, all under one time of a test: each may be killed, stopped and continued, and cut off. */
final class SimulatedCluster {
    final FakeTime time = new FakeTime();
    final Random random;
    final MemoryShared shared;
    final Map<String, SimulatedHost> hosts = new TreeMap<>();
    final Map<String, Node> nodes = new TreeMap<>();
    /** Frames that an owner wrote when a later one already had the host. */
    private final List<Run> stale = new ArrayList<>();
    /** What is wrong with what gateways know of each other. */
    final Set<String> faults = new LinkedHashSet<>();

    int workersPerCaptainMax = 1_000;

    SimulatedCluster(long seed, int gateways, int hostCount) {
        random = new Random(seed);
        shared = new MemoryShared(time, random);
        for (int i = 1; i <= hostCount; i++) {
            hosts.put("w" + i, new SimulatedHost(time, random));
        }
        shared.written = (host, run) -> {
            if (!run.isFence() && run.term() < hosts.get(host).newestOwner()) {
                stale.add(run);
            }
        };
        shared.spawns.replaced = this::checkTerms;
        shared.owners.replaced = this::checkOwners;
        for (int i = 1; i <= gateways; i++) {
            Node node = new Node("g" + i);
            nodes.put(node.name, node);
            node.start();
        }
    }

    private void checkTerms(SharedTable.Entry before, SharedTable.Entry entry) {
        if (before.isRemoved() || entry.isRemoved()) {
            return;
        }
        long last = Json.read(before.value(), Directory.Told.class).term();
        long term = Json.read(entry.value(), Directory.Told.class).term();
        if (term < last) {
            faults.add("an owner of term " + term + " told of " + entry.key() + " over one of " + last);
        }
    }

    private void checkOwners(SharedTable.Entry before, SharedTable.Entry entry) {
        OwnerEntry last = Json.read(before.value(), OwnerEntry.class);
        OwnerEntry next = Json.read(entry.value(), OwnerEntry.class);
        boolean same = last.instance().equals(next.instance()) || next.gateway().isEmpty();
        if (next.term() < last.term() || (next.term() == last.term() && !same)) {
            faults.add(next + " replaces " + last);
        }
    }

    /** Whether two gateways do at once what only an owner does. */
    private void checkOwned() {
        for (String host : hosts.keySet()) {
            List<String> owners = nodes.values().stream()
                    .filter(node -> node.alive && !node.stopped && node.cluster.owns(host))
                    .map(node -> node.name)
                    .toList();
            if (owners.size() > 1) {
                faults.add(owners + " own " + host + " at once");
            }
        }
    }

    /** Lets time pass, and looks at it again and again. */
    void pass(long ms) {
        long endMs = time.nowMs() + ms;
        while (time.nowMs() < endMs) {
            time.pass(Math.min(5, endMs - time.nowMs()));
            checkOwned();
        }
    }

    static Posture posture() {
        return new Posture("none", List.of(), List.of(), null);
    }

    Node node(String name) {
        return nodes.get(name);
    }

    /** The gateway that owns that host; null if none does. */
    @Nullable
    Node owner(String host) {
        return nodes.values().stream()
                .filter(node -> node.alive && !node.stopped && node.cluster.owns(host))
                .findFirst()
                .orElse(null);
    }

    /** Lets time pass until it holds, at most that long. @return how long it took */
    long await(String what, long msMax, BooleanSupplier holds) {
        long begunMs = time.nowMs();
        if (!passes(msMax, holds)) {
            throw new AssertionError("after " + msMax + " ms it is not so: " + what);
        }
        return time.nowMs() - begunMs;
    }

    /** The same. @return whether it came to hold */
    boolean passes(long msMax, BooleanSupplier holds) {
        long endMs = time.nowMs() + msMax;
        while (!holds.getAsBoolean() && time.nowMs() <= endMs) {
            pass(5);
        }
        return holds.getAsBoolean();
    }

    /** One gateway, with what outlives its process. */
    final class Node {
        final String name;
        final Map<String, MemoryArchive> archives = new HashMap<>();
        private final ArrayDeque<Runnable> held = new ArrayDeque<>();
        private final MemorySpawnStore store = new MemorySpawnStore(this::execute);
        private int life;
        boolean alive;
        boolean stopped;
        /** Its disk has no room. */
        private boolean full;
        /** Its disk had no room: it may show gaps, which it tells. */
        boolean wasFull;
        /** Set by {@link #start}. */
        Cluster cluster;

        Spawner spawner;
        Spawns spawns;
        private WorkerAgents workers;
        MemoryShared.End end;
        final Map<String, RecordingSink> readers = new LinkedHashMap<>();

        Node(String name) {
            this.name = name;
        }

        private void execute(Runnable task) {
            int its = life;
            time.after(1, () -> run(its, task));
        }

        private void run(int its, Runnable task) {
            if (its == life && alive) {
                if (stopped) {
                    held.add(task);
                } else {
                    task.run();
                }
            }
        }

        void start() {
            life++;
            alive = true;
            stopped = false;
            held.clear();
            readers.clear();
            int its = life;
            Executor loop = task -> time.after(1, () -> run(its, task));
            Timers timers = (delayMs, task) -> time.after(delayMs, () -> run(its, task));
            end = shared.new End(name, loop);
            spawns = new Spawns();
            workers = new WorkerAgents(hosts.get("w1").open(0, new NoListener(), loop), spawns::hostOf);
            cluster = new Cluster(
                    name,
                    "state of " + name,
                    settings(),
                    new Cluster.Services(
                            new Cluster.Shared(
                                    end.table(shared.owners),
                                    end.table(shared.spawns),
                                    end.table(shared.requests),
                                    end.log(),
                                    end.post()),
                            time,
                            time,
                            timers,
                            (host, epoch, listener) -> hosts.get(host).open(epoch, listener, loop)));
            Counters counters = new Counters(() -> 0);
            Admission admission = new Admission(new Admission.Bounds(1_000, workersPerCaptainMax, 0, 10), time, timers);
            spawner = new Spawner(
                    new Spawner.Services(
                            workers,
                            cluster,
                            SandboxPlaces.NONE,
                            cluster.over(store),
                            new Logs(counters, loop, timers),
                            time,
                            timers,
                            new DerivedSecrets("a key of all gateways"),
                            new Telemetry(counters, new Traces("", time, () -> 0)),
                            cluster.recorders(),
                            cluster),
                    admission,
                    spawns,
                    new NoSockets());
            begin(life);
        }

        /** As the gateway does, again if what is shared did not answer. */
        private void begin(int its) {
            execute(() -> cluster.open(spawner, workers)
                    .thenCompose(known -> spawner.recover())
                    .whenComplete((known, failure) -> {
                        if (failure == null) {
                            cluster.begin();
                        } else if (its == life) {
                            kill();
                            time.after(1_000, this::start);
                        }
                    }));
        }

        void setFull(boolean isFull) {
            full = isFull;
            wasFull |= isFull;
            archives.values().forEach(archive -> archive.setFull(isFull));
        }

        int life() {
            return life;
        }

        void kill() {
            alive = false;
            life++;
            end.leave();
        }

        void stop() {
            stopped = true;
        }

        /** What came meanwhile comes now. */
        void go() {
            stopped = false;
            while (!held.isEmpty() && !stopped) {
                held.remove().run();
            }
        }

        CompletableFuture<AcceptedSpawn> begin(String host, String taskId) {
            return begin(host, taskId, null);
        }

        CompletableFuture<AcceptedSpawn> begin(String host, String taskId, @Nullable String requestId) {
            CompletableFuture<AcceptedSpawn> begun = new CompletableFuture<>();
            SpawnRequest bare = new SpawnRequest(
                            taskId,
                            null,
                            new SpawnRequest.AgentConfig("shell", null, List.of(), null),
                            "a secret prompt",
                            false)
                    .at(host);
            SpawnRequest request = requestId == null ? bare : bare.claimedAs(requestId);
            execute(() -> spawner.spawn(
                            request, new Admission.Applicant(new SpawnRequest.Asker("uid:1", true), 0, () -> false))
                    .whenComplete((accepted, failure) -> {
                        if (failure == null) {
                            begun.complete(accepted);
                        } else {
                            begun.completeExceptionally(failure);
                        }
                    }));
            return begun;
        }

        @Nullable
        Spawn find(String id) {
            return alive ? spawns.find(id).orElse(null) : null;
        }

        /** Begins to read a session from its first frame. */
        RecordingSink read(String spawnId) {
            return readers.computeIfAbsent(spawnId, key -> {
                RecordingSink sink = new RecordingSink();
                Subscription reader = find(spawnId).log().subscribe(1, true, null, 0, sink);
                reader.drain();
                return sink;
            });
        }

        private final class Logs implements StreamLogs {
            private final Executor loop;
            private final StreamLog.Services environment;

            Logs(Counters counters, Executor loop, Timers timers) {
                this.loop = loop;
                this.environment = new StreamLog.Services(
                        new LoopFlush(loop),
                        new RetainedBudget(Long.MAX_VALUE),
                        new RecordingClock(timers),
                        timers,
                        counters,
                        128 * 1024,
                        100);
            }

            /** What an earlier life did not write is not written. */
            private MemoryArchive archive(String spawnId) {
                return archives.computeIfAbsent(spawnId, key -> {
                    MemoryArchive archive = new MemoryArchive(Node.this::execute, Node.this::execute);
                    archive.setFull(full);
                    return archive;
                });
            }

            @Override
            public StreamLog create(String spawnId, String epoch, long lastSeq) {
                return new StreamLog(epoch, lastSeq, archive(spawnId), environment);
            }

            @Override
            public CompletionStage<Reopened> reopen(String spawnId, String epoch) {
                MemoryArchive archive = archive(spawnId);
                CompletableFuture<Reopened> opened = new CompletableFuture<>();
                loop.execute(() -> opened.complete(new Reopened(
                        new StreamLog(epoch, archive.lastSeq(), archive, environment),
                        archive.last().contains("\"terminated\""),
                        null)));
                return opened;
            }

            @Override
            public CompletionStage<Reopened> reopenToGap(String spawnId, String epoch) {
                archive(spawnId).cutAtGap();
                return reopen(spawnId, epoch);
            }

            @Override
            public void keepEnd(String spawnId, long firstSeq, long lastSeq, byte[] lines) {}
        }
    }

    private Map<String, Cluster.HostSettings> settings() {
        Map<String, Cluster.HostSettings> all = new HashMap<>();
        hosts.keySet().forEach(host -> all.put(host, new Cluster.HostSettings(List.of(), 0)));
        return all;
    }

    /** What each part knows of a spawn, for who looks into a fault. */
    String describe(String host, String spawnId) {
        StringBuilder text = new StringBuilder();
        nodes.forEach((name, node) -> {
            Spawn spawn = node.alive ? node.find(spawnId) : null;
            text.append("\n  ")
                    .append(name)
                    .append(node.cluster.owns(host) ? " owns " : " ")
                    .append(node.cluster.view().hosts())
                    .append(
                            spawn == null
                                    ? " does not know it"
                                    : " " + spawn.state() + " at " + spawn.log().lastSeq() + " connected "
                                            + spawn.isConnected() + " ended "
                                            + spawn.log().isEnded());
        });
        shared.runs(host, spawnId)
                .forEach(run ->
                        text.append("\n  run ").append(run.id()).append('-').append(run.lastSeq()));
        SharedTable.Entry entry = shared.spawns.entries.get(spawnId);
        text.append("\n  told ").append(entry == null ? "nothing" : new String(entry.value(), StandardCharsets.UTF_8));
        SimulatedHost.Worker worker = hosts.get(host).workers.get(spawnId);
        text.append("\n  worker ")
                .append(
                        worker == null
                                ? "none"
                                : worker.said.size() + " acked " + worker.acked + " ended " + worker.ended);
        return text.toString();
    }

    /** Whether all that its worker said is durable, which readers do not wait for. */
    boolean isWritten(String host, String spawnId) {
        SimulatedHost.Worker worker = hosts.get(host).workers.get(spawnId);
        long durable = shared.runs(host, spawnId).stream()
                .mapToLong(Run::lastSeq)
                .max()
                .orElse(0);
        return worker == null || durable == worker.said.size();
    }

    /** The frames of a spawn as they are in the shared log, and what is wrong with them. */
    List<String> faults(String host, String spawnId) {
        List<String> faults = new ArrayList<>();
        stale.stream()
                .filter(run -> run.spawnId().equals(spawnId))
                .forEach(run -> faults.add("an owner that lost the host wrote " + run.id()));
        SimulatedHost.Worker worker = hosts.get(host).workers.get(spawnId);
        StringBuilder written = new StringBuilder();
        long next = 1;
        long term = 0;
        for (Run run : shared.runs(host, spawnId)) {
            if (run.term() < term) {
                faults.add("an owner of term " + run.term() + " wrote after one of " + term + ": " + run.id());
            }
            term = run.term();
            if (run.firstSeq() != next) {
                faults.add(run.id() + " does not follow " + (next - 1));
            }
            next = run.lastSeq() + 1;
            written.append(new String(run.lines(), StandardCharsets.UTF_8));
        }
        if (worker != null && !written.toString().equals(worker.all())) {
            faults.add("the log of " + spawnId + " is not what its worker said");
        }
        return faults;
    }

    private static final class NoListener implements brig.gateway.worker.ControlLink.Listener {
        @Override
        public void handleUp(String instance) {}

        @Override
        public void handleDown() {}

        @Override
        public void handleUntrusted(brig.protocol.BrigException why) {}

        @Override
        public void handleRecordLost(brig.protocol.BrigException why) {}
    }

    private static final class NoSockets implements SessionSocketOpener {
        @Override
        public CompletionStage<String> open(Spawn spawn) {
            return CompletableFuture.completedFuture("/run/io.sock");
        }

        @Override
        public String pathOf(String spawnId, String taskId) {
            return "/run/io.sock";
        }

        @Override
        public void linger(Spawn spawn) {}

        @Override
        public void close(Spawn spawn) {}
    }
}
