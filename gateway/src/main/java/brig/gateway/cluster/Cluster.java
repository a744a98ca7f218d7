package brig.gateway.cluster;

import brig.gateway.limits.Admission;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.Peers;
import brig.gateway.spawn.Placement;
import brig.gateway.spawn.Recorders;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.store.SpawnStore;
import brig.gateway.stream.Inlet;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.LinkedAgent;
import brig.gateway.worker.WorkerAgents;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.SpawnState;
import brig.protocol.api.ClusterView;
import brig.protocol.api.ClusterView.Part;
import brig.protocol.control.Fork;
import brig.protocol.control.WorkerLine;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This gateway as one of several that share hosts. Each host has one owner at a time, which alone talks to the
 * worker-agent there and writes its frames to the shared log; all gateways show its spawns.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0218.
 */
public final class Cluster implements Peers, Placement.Directory {
    /**
     * A host that gateways share.
     *
     * @param workersMax maximum number of its live spawns, 0 for no limit but its own
     */
    public record HostSettings(List<String> labels, int workersMax) {}

    /** Opens the link to the worker-agent of a host. */
    @FunctionalInterface
    public interface Links {
        LinkedAgent open(String host, long epoch, ControlLink.Listener listener);
    }

    /** What gateways share: who owns which host, what spawns there are, what was asked for under which request_id, frames. */
    public record Shared(SharedTable owners, SharedTable spawns, SharedTable requests, SharedLog log, Post post) {
        /** The same, with another way to the log. */
        public Shared measured(UnaryOperator<SharedLog> measure) {
            return new Shared(owners, spawns, requests, measure.apply(log), post);
        }
    }

    /** What a cluster works with; the clock never goes back, the calendar may. */
    public record Services(Shared shared, Clock clock, Clock calendar, Timers timers, Links links) {}

    private static final Logger logger = LoggerFactory.getLogger(Cluster.class);

    private record Host(HostSettings settings, Tenure tenure, SharedHost shared) {}

    private final Services services;
    private final Tenure.Self self;
    private final Map<String, HostSettings> settings;
    private final Map<String, Host> hosts = new TreeMap<>();
    private final Directory directory;
    private final SharedRecorders recorders;
    private final Owners owners;
    private final Inlet.Shared inlets = new Inlet.Shared();
    private final Map<String, MirrorStream> mirrors = new HashMap<>();
    private @Nullable Spawner spawner;
    private long taken;
    private long lost;

    /**
     * @param name of this gateway, by which others ask it
     * @param instance of its folder of state
     */
    public Cluster(String name, String instance, Map<String, HostSettings> settings, Services services) {
        this.self = new Tenure.Self(name, instance);
        this.settings = Map.copyOf(settings);
        this.services = services;
        this.directory = new Directory(services.shared().spawns());
        this.recorders = new SharedRecorders(
                new Publisher.Services(services.shared().log(), services.clock(), services.timers()),
                this::isShared,
                new SharedRecorders.Owners() {
                    @Override
                    public SharedRecorders.@Nullable Start start(String host, String spawnId) {
                        return required(host).shared().start(spawnId);
                    }

                    @Override
                    public void handleStale(String host) {
                        required(host).tenure().handleStale();
                    }
                });
        this.owners = new Owners(
                name, services.shared().post(), services.clock(), services.timers(), this::ownerOf, this::answer);
    }

    /** Whether gateways share that host. */
    boolean isShared(@Nullable String host) {
        return host != null && settings.containsKey(host);
    }

    private Host required(String host) {
        Host found = hosts.get(host);
        if (found == null) {
            throw new IllegalStateException(host + " is not open");
        }
        return found;
    }

    private Spawner spawner() {
        if (spawner == null) {
            throw new IllegalStateException("the cluster is not open");
        }
        return spawner;
    }

    public Recorders recorders() {
        return recorders;
    }

    /** Lets that store keep what this gateway must know after a restart, and tells the others what they must. */
    public SpawnStore over(SpawnStore own) {
        return new SharedSpawnStore(own, directory, services.shared().requests(), new SharedSpawnStore.Terms() {
            @Override
            public boolean isShared(@Nullable String host) {
                return Cluster.this.isShared(host);
            }

            @Override
            public long term(String host) {
                return owns(host) ? required(host).tenure().term() : 0;
            }
        });
    }

    /**
     * Begins to follow the other gateways.
     *
     * @return completes when all spawns that others told of are known
     */
    public CompletionStage<Void> open(Spawner itsSpawner, WorkerAgents workers) {
        spawner = itsSpawner;
        settings.forEach((name, its) -> hosts.put(name, host(name, its, workers)));
        owners.serve();
        hosts.values().forEach(host -> host.shared().open());
        return directory.open(this::handleTold);
    }

    /** What an earlier process of this gateway knew is known: begins to own hosts. */
    public void begin() {
        hosts.values().forEach(host -> host.tenure().begin());
    }

    private Host host(String name, HostSettings its, WorkerAgents workers) {
        HostFeed feed = new HostFeed(
                name,
                services.shared().log(),
                this::taker,
                spawnId -> spawner().shared().find(spawnId).isPresent() ? takerOf(spawnId) : null,
                services.timers());
        SharedHost shared = new SharedHost(
                name,
                new SharedHost.Services(
                        services.shared().log(),
                        directory,
                        recorders,
                        workers,
                        owners,
                        spawner(),
                        this::mirror,
                        services.timers()),
                feed,
                (epoch, listener) -> services.links().open(name, epoch, listener));
        Tenure tenure = new Tenure(
                name,
                self,
                new Tenure.Services(
                        services.shared().owners(),
                        services.clock(),
                        services.calendar(),
                        services.timers(),
                        () -> (int) hosts.values().stream()
                                .filter(host -> host.tenure().holds())
                                .count()),
                shared::isUp,
                new Tenure.Listener() {
                    @Override
                    public void handleTaken(long term) {
                        taken++;
                        shared.handleTaken(term);
                    }

                    @Override
                    public void handleLost() {
                        lost++;
                        shared.handleLost();
                    }
                });
        return new Host(its, tenure, shared);
    }

    private WorkerStream mirror(Spawn spawn, FrameDecoder.Sink frames) {
        MirrorStream mirror = new MirrorStream(spawn.log(), inlets, frames, line -> tell(spawn, line));
        mirrors.put(spawn.spawnId(), mirror);
        return mirror;
    }

    private void tell(Spawn spawn, WorkerLine line) {
        String host = spawn.host();
        if (host != null) {
            owners.ask(new Question.Tell(host, spawn.spawnId(), line)).whenComplete((told, failure) -> {
                if (failure != null) {
                    logger.atWarn()
                            .addKeyValue("spawn_id", spawn.spawnId())
                            .log(
                                    "the worker may not have been told: {}",
                                    Reason.cause(failure).getMessage());
                }
            });
        }
    }

    /** Who takes the runs of a spawn; one that nobody told of yet is asked for. */
    private CompletionStage<HostFeed.@Nullable Taker> taker(String spawnId) {
        if (spawner().shared().find(spawnId).isPresent()) {
            return CompletableFuture.completedFuture(takerOf(spawnId));
        }
        return directory
                .find(spawnId)
                .thenCompose(found -> found.map(told -> spawner().shared().apply(told.spawn(), this::mirror))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)))
                .thenApply(applied -> takerOf(spawnId));
    }

    private HostFeed.@Nullable Taker takerOf(String spawnId) {
        Spawn spawn = spawner().shared().find(spawnId).orElse(null);
        if (spawn == null) {
            return null;
        }
        spawner().shared().handleFrames(spawn, this::mirror);
        MirrorStream mirror = mirrors.get(spawnId);
        return new HostFeed.Taker() {
            @Override
            public void take(Run run) {
                if (mirror != null) {
                    mirror.take(run);
                }
                recorders.handleShared(spawn.log(), run.lastSeq());
            }

            @Override
            public void show(Run run) {
                if (mirror != null) {
                    mirror.show(run);
                }
            }

            @Override
            public CompletionStage<Void> ready() {
                return mirror == null ? CompletableFuture.completedFuture(null) : mirror.ready();
            }
        };
    }

    private CompletionStage<Void> handleTold(Directory.Told told) {
        String spawnId = told.spawn().spawnId();
        if (!isShared(told.host()) || owns(told.host())) {
            return CompletableFuture.completedFuture(null);
        }
        return spawner().shared().apply(told.spawn(), this::mirror).thenRun(() -> {
            if (SpawnState.valueOf(told.spawn().course().state()).isFinal()) {
                checkEnd(told.host(), spawnId);
            }
        });
    }

    /** Its owner says that it ended: after the last run there is no other, whatever that one says. */
    private void checkEnd(String host, String spawnId) {
        if (isLive(spawnId)) {
            services.shared()
                    .log()
                    .last(host, spawnId)
                    .thenCompose(last -> required(host)
                            .shared()
                            .feed()
                            .reached(last.map(SharedLog.Placed::position).orElse(0L)))
                    .thenRun(() -> spawner()
                            .shared()
                            .find(spawnId)
                            .filter(spawn -> !spawn.state().isFinal())
                            .ifPresent(spawner().shared()::end));
        }
        mirrors.keySet().removeIf(id -> !isLive(id));
    }

    private boolean isLive(String spawnId) {
        return spawner()
                .shared()
                .find(spawnId)
                .filter(spawn -> !spawn.state().isFinal())
                .isPresent();
    }

    /** Whether this gateway owns that host, and has taken it over. */
    boolean owns(String host) {
        Host found = hosts.get(host);
        return found != null
                && found.shared().part() == Part.OWNING
                && found.tenure().holds();
    }

    private Optional<OwnerEntry> ownerOf(String host) {
        return Optional.ofNullable(hosts.get(host))
                .flatMap(found -> found.tenure().owner());
    }

    @Override
    public boolean isTheirs(@Nullable String host) {
        return host != null && isShared(host) && !owns(host);
    }

    @Override
    public CompletionStage<AcceptedSpawn> spawn(SpawnRequest placed, @Nullable Fork fork, Admission.Applicant asker) {
        return owners.ask(new Question.Begin(placed, asker.asker(), asker.waitMs(), fork))
                .thenCompose(answer -> {
                    Question.Begun begun = answer.as(Question.Begun.class);
                    return spawner()
                            .shared()
                            .accepted(begun.spawnId(), begun.taskId(), begun.captainToken(), begun.watcherToken());
                });
    }

    @Override
    public CompletionStage<Void> terminate(Spawn spawn, String reason, String by) {
        String host = spawn.host();
        return owners.ask(new Question.Terminate(host == null ? "" : host, spawn.spawnId(), reason, by))
                .thenApply(done -> null);
    }

    private CompletionStage<Reply> answer(Question question) {
        if (!owns(question.host())) {
            return CompletableFuture.completedFuture(Reply.MOVED);
        }
        CompletionStage<Reply> answered;
        try {
            answered = answer(required(question.host()).shared(), question);
        } catch (BrigException refusal) {
            answered = CompletableFuture.failedFuture(refusal);
        }
        return answered.exceptionally(failure -> Reply.refused(
                Reason.cause(failure) instanceof BrigException refusal
                        ? refusal
                        : new BrigException(
                                ErrorCode.HOST_UNREACHABLE, "the owner got no answer: " + Reason.cause(failure))));
    }

    private CompletionStage<Reply> answer(SharedHost host, Question question) {
        return switch (question) {
            case Question.Control control ->
                host.pass(control.request())
                        .map(asked -> asked.thenApply(Reply::of))
                        .orElseGet(() -> CompletableFuture.completedFuture(Reply.MOVED));
            case Question.Tell tell -> {
                pass(owned(host, tell.spawnId()).worker(), tell.line());
                yield CompletableFuture.completedFuture(Reply.of(JsonObject.EMPTY));
            }
            case Question.Terminate terminate ->
                spawner()
                        .terminate(owned(host, terminate.spawnId()), terminate.reason(), terminate.by())
                        .thenApply(done -> Reply.of(JsonObject.EMPTY));
            case Question.Begin begin -> begin(begin);
        };
    }

    private static Spawn owned(SharedHost host, String spawnId) {
        return host.owned(spawnId)
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no session '" + spawnId + "'"));
    }

    private static void pass(WorkerStream worker, WorkerLine line) {
        if (line.input() != null) {
            worker.input(line.input());
        }
        if (line.cancel()) {
            worker.cancel();
        }
        if (line.keys() != null) {
            worker.keys(line.keys());
        }
        if (line.resize() != null) {
            worker.resize(line.resize());
        }
    }

    private CompletionStage<Reply> begin(Question.Begin begin) {
        Admission.Applicant asker = new Admission.Applicant(begin.asker(), begin.waitMs(), () -> false);
        CompletionStage<AcceptedSpawn> begun = begin.fork() == null
                ? spawner().spawn(begin.request(), asker)
                : spawner().fork(begin.request(), begin.fork(), asker);
        return begun.thenApply(accepted -> Reply.of(JsonObject.of(new Question.Begun(
                accepted.spawnId(), accepted.taskId(), accepted.captainToken(), accepted.watcherToken()))));
    }

    /** The shared hosts, as places for spawns. */
    @Override
    public List<Placement.HostOffer> hosts() {
        return hosts.entrySet().stream()
                .map(entry -> new Placement.HostOffer(
                        entry.getKey(),
                        new HashSet<>(entry.getValue().settings().labels()),
                        entry.getValue().settings().workersMax(),
                        ownerOf(entry.getKey()).filter(OwnerEntry::up).isPresent(),
                        null))
                .toList();
    }

    /** How often this gateway took a host. */
    public long taken() {
        return taken;
    }

    /** How often it lost one, or gave one up. */
    public long lost() {
        return lost;
    }

    /** Whether what is shared answers. */
    public boolean isAnswered() {
        return hosts.values().stream().allMatch(host -> host.tenure().isAnswered());
    }

    public ClusterView view() {
        return new ClusterView(
                self.name(),
                isAnswered(),
                hosts.entrySet().stream()
                        .map(entry -> view(entry.getKey(), entry.getValue().shared()))
                        .toList());
    }

    private ClusterView.SharedHost view(String name, SharedHost host) {
        Optional<OwnerEntry> owner = ownerOf(name);
        boolean isRenewed = required(name).tenure().isRenewed();
        return new ClusterView.SharedHost(
                name,
                host.part(),
                owner.map(OwnerEntry::gateway).orElse(null),
                owner.map(OwnerEntry::term).orElse(0L),
                isRenewed && owner.filter(OwnerEntry::up).isPresent(),
                host.feed().position());
    }

    /** Gives up all hosts, so that other gateways need not wait. The workers go on. */
    public CompletionStage<Void> close() {
        CompletionStage<Void> left = CompletableFuture.allOf(hosts.values().stream()
                .map(host -> host.tenure().end().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
        recorders.writeAll();
        return left;
    }
}
