package brig.gateway.app;

import brig.gateway.config.Config;
import brig.gateway.config.Paths;
import brig.gateway.deploy.Payload;
import brig.gateway.egress.HomeNetworks;
import brig.gateway.joint.SystemSockets;
import brig.gateway.provider.Provider;
import brig.gateway.provider.SandboxLink;
import brig.gateway.provider.Sandboxes;
import brig.gateway.provider.http.ApiSettings;
import brig.gateway.provider.opensandbox.OpenSandboxProvider;
import brig.gateway.provider.opensandbox.OpenSandboxSettings;
import brig.gateway.provider.sprites.SpritesProvider;
import brig.gateway.spawn.DerivedSecrets;
import brig.gateway.spawn.SandboxPlaces;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Timers;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.NetworkAgent;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.api.HostEgress;
import brig.protocol.control.ControlRequest.Check;
import brig.protocol.spawn.SpawnRequest;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sandboxes of a gateway, put together with its worker-agents and its spawns. Owned by the event loop.
 *
 * <p>Decision 0217.
 */
final class RemoteSandboxes implements SandboxPlaces {
    private static final Logger log = LoggerFactory.getLogger(RemoteSandboxes.class);
    private static final long MINUTE_MS = 60_000;
    /** How long a sandbox is kept that is out of reach, for the changes of an ended session in it. */
    private static final long HOMECOMING_MS = 5 * MINUTE_MS;
    /** How long whoever ends a session waits for the same. */
    private static final long RECALL_MS = 30_000;

    /** What it is put together with. */
    record Services(
            Vertx vertx,
            Paths paths,
            WorkerAgents workers,
            NetworkAgent home,
            HomeNetworks networks,
            Spawns spawns,
            Timers timers,
            Payload payload,
            String gatewayId,
            DerivedSecrets secrets,
            Executor loop) {}

    private final Services services;
    private final Map<String, Config.SandboxProvider> settings;
    private final Sandboxes sandboxes;
    /** By the socket of the sandbox's link. */
    private final Map<Path, ControlLink> links = new HashMap<>();
    /** Spawns that have ended, and whose sandboxes are being ended. */
    private final Set<String> ending = new HashSet<>();
    /** Those of them that ended under an earlier gateway, and whose changes may not be here. */
    private final Set<String> owed = new HashSet<>();
    /** By the sandbox, as a host, who waits until it is in reach. */
    private final Map<String, CompletableFuture<Boolean>> recalled = new HashMap<>();

    RemoteSandboxes(Services services, Map<String, Config.SandboxProvider> settings) {
        this.services = services;
        this.settings = new TreeMap<>(settings);
        sandboxes = new Sandboxes(
                new Sandboxes.Services(
                        new SandboxLink.Services(
                                new SystemSockets(services.loop()),
                                services.payload(),
                                services.timers(),
                                System::currentTimeMillis,
                                bound -> ThreadLocalRandom.current().nextLong(bound),
                                this::connect,
                                new EpochFile(services.paths().sandboxEpochs(), System.currentTimeMillis())),
                        services.gatewayId(),
                        Paths.makePrivate(services.paths().hostSockets()),
                        services.secrets()::linkKey,
                        new SpawnLedger()),
                this.settings.entrySet().stream()
                        .map(one -> offer(one.getKey(), one.getValue()))
                        .toList());
    }

    private Sandboxes.Offer offer(String name, Config.SandboxProvider one) {
        try {
            return new Sandboxes.Offer(
                    name,
                    provider(one),
                    one.lifeMaxMinutes() * MINUTE_MS,
                    one.sandboxesMax(),
                    isServedAtHome(one),
                    one.dollarsPerHour());
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("providers." + name, String.valueOf(e.getMessage()));
        }
    }

    private Provider provider(Config.SandboxProvider one) {
        ApiSettings api = ApiSettings.of(
                one.url(),
                Path.of(one.keyFile()),
                one.caFile().isEmpty() ? null : Path.of(one.caFile()),
                one.networks());
        Executor blocking = task -> Thread.startVirtualThread(task);
        return switch (one.kind()) {
            case SPRITES -> new SpritesProvider(api, services.vertx(), services.loop(), blocking);
            case OPENSANDBOX ->
                new OpenSandboxProvider(
                        new OpenSandboxSettings(api, one.image(), one.cpu(), one.memory(), one.endpointHosts()),
                        services.vertx(),
                        services.loop(),
                        blocking);
        };
    }

    private static boolean isServedAtHome(Config.SandboxProvider one) {
        return one.egress() == HostEgress.HOME;
    }

    private AgentLinks.AgentLink connect(Path socket, Reach reach, ControlLink.Listener listener) {
        ControlLink link = new ControlLink(
                services.vertx(), socket.toString(), services.timers(), uid -> uid == Paths.ownUid(), reach);
        link.open(listener);
        links.put(socket, link);
        return new AgentLinks.AgentLink(link, link::drop, link::close);
    }

    Sandboxes registry() {
        return sandboxes;
    }

    /** Looks for the sandboxes of an earlier gateway's sessions. */
    void open(Spawner spawner) {
        var _ = services.spawns().followChanges(spawn -> {
            if (isDone(spawn) && ending.add(spawn.spawnId())) {
                // It may be about to change further in the same turn.
                services.loop().execute(() -> finish(spawn, spawner));
            }
        });
        services.spawns().all().stream().filter(RemoteSandboxes::owesChanges).forEach(spawn -> {
            ending.add(spawn.spawnId());
            owed.add(spawn.spawnId());
            services.timers().after(HOMECOMING_MS, () -> finishOwed(spawn.spawnId(), spawner));
        });
        sandboxes.open(new Listener(spawner));
    }

    /** What became of its sandbox is recorded only after its changes were brought home. */
    private static boolean owesChanges(Spawn spawn) {
        return isDone(spawn) && hasChanges(spawn) && !spawn.isSandboxSettled();
    }

    private static boolean hasChanges(Spawn spawn) {
        return spawn.hasRun() && spawn.request().workspaceMode().isWorktree();
    }

    private boolean finishOwed(String spawnId, Spawner spawner) {
        boolean isOwed = owed.remove(spawnId);
        if (isOwed) {
            services.spawns()
                    .known(spawnId)
                    .ifPresentOrElse(spawn -> finish(spawn, spawner), () -> ending.remove(spawnId));
        }
        return isOwed;
    }

    /** Whether all of its stream is recorded, so that nothing more is needed from its sandbox. */
    private static boolean isDone(Spawn spawn) {
        return spawn.isSandboxed() && spawn.state().isFinal() && !spawn.isConnected();
    }

    private void finish(Spawn spawn, Spawner spawner) {
        bringHome(spawn).thenCompose(home -> end(spawn)).whenComplete((gone, failure) -> {
            ending.remove(spawn.spawnId());
            spawner.handleSandboxKnown(spawn, failure != null);
            if (failure != null) {
                log.atWarn()
                        .addKeyValue("spawn_id", spawn.spawnId())
                        .log(
                                "its sandbox may still be there; the next round ends it: {}",
                                Reason.cause(failure).getMessage());
            }
        });
    }

    /** What its worktree has. A sandbox that is out of reach costs money all the same: it goes with what is in it. */
    private CompletionStage<Void> bringHome(Spawn spawn) {
        if (!hasChanges(spawn)) {
            return CompletableFuture.completedFuture(null);
        }
        return services.workers().keep(hostOf(spawn.spawnId()), spawn.spawnId()).exceptionally(failure -> {
            log.atError()
                    .addKeyValue("spawn_id", spawn.spawnId())
                    .log(
                            "its changes could not be brought home, and are gone with its sandbox: {}",
                            Reason.cause(failure).getMessage());
            return null;
        });
    }

    @Override
    public void require(SpawnRequest request) {
        sandboxes.require(request.claim().provider());
        SpawnRequest.Place place = request.place();
        if (place.host() != null || !place.on().isEmpty() || place.tunnel() != null) {
            throw BrigException.invalid(
                    "provider", "makes a machine for the session: no host, on or tunnel goes with it");
        }
    }

    @Override
    public String hostOf(String spawnId) {
        return Sandboxes.hostOf(spawnId);
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return services.home()
                .check(request, asker, Check.Part.HANDOVER)
                .thenCompose(fine -> services.workers().checkRepository(request, asker));
    }

    @Override
    public CompletionStage<Void> provide(Spawn spawn, BooleanSupplier unwanted, Consumer<Boolean> doubt) {
        return sandboxes.provide(spawn.spawnId(), spawn.provider(), spawn.requestId(), unwanted, doubt);
    }

    @Override
    public CompletionStage<Boolean> recall(Spawn spawn) {
        String spawnId = spawn.spawnId();
        if (!hasChanges(spawn) || sandboxes.isUp(spawnId)) {
            return CompletableFuture.completedFuture(hasChanges(spawn));
        }
        CompletableFuture<Boolean> known = recalled.get(hostOf(spawnId));
        if (known != null) {
            return known;
        }
        CompletableFuture<Boolean> recall = new CompletableFuture<>();
        recalled.put(hostOf(spawnId), recall);
        services.timers().after(RECALL_MS, () -> {
            if (recalled.remove(hostOf(spawnId), recall)) {
                recall.complete(false);
            }
        });
        sandboxes.wake(spawnId).exceptionally(failure -> {
            log.atWarn()
                    .addKeyValue("spawn_id", spawnId)
                    .log("its sandbox does not go on: {}", Reason.cause(failure).getMessage());
            answerRecall(hostOf(spawnId), false);
            return null;
        });
        return recall;
    }

    private void answerRecall(String host, boolean back) {
        CompletableFuture<Boolean> recall = recalled.remove(host);
        if (recall != null) {
            recall.complete(back);
        }
    }

    @Override
    public CompletionStage<Void> end(Spawn spawn) {
        return sandboxes.end(spawn.spawnId());
    }

    /** The record of sessions, as the ledger of sandboxes. */
    private final class SpawnLedger implements Sandboxes.Ledger {
        private Sandboxes.Entry entry(Spawn spawn) {
            return new Sandboxes.Entry(
                    spawn.spawnId(),
                    spawn.provider(),
                    // While what it changed is brought home, the sandbox is needed.
                    !isDone(spawn) || ending.contains(spawn.spawnId()),
                    spawn.createdMs());
        }

        @Override
        public Sandboxes.@Nullable Entry find(String spawnId) {
            return services.spawns()
                    .known(spawnId)
                    .filter(Spawn::isSandboxed)
                    .map(this::entry)
                    .orElse(null);
        }

        @Override
        public List<Sandboxes.Entry> live() {
            return Stream.concat(
                            services.spawns().live().stream().filter(Spawn::isSandboxed),
                            owed.stream().flatMap(spawnId -> services.spawns().known(spawnId).stream()))
                    .map(this::entry)
                    .toList();
        }
    }

    private final class Listener implements Sandboxes.Listener {
        private final Spawner spawner;

        Listener(Spawner spawner) {
            this.spawner = spawner;
        }

        @Override
        public void handleKnown(String host, String provider, WorkerAgent agent, Path socket, Reach reach) {
            ControlLink link = Objects.requireNonNull(links.get(socket), "a sandbox that is known has a link");
            Config.SandboxProvider one = Objects.requireNonNull(settings.get(provider), "its provider is known");
            services.workers()
                    .add(
                            host,
                            services.networks()
                                    .serve(host, new HomeNetworks.Far(link, reach, socket), isServedAtHome(one)));
        }

        @Override
        public void handleForgotten(String host, Path socket) {
            services.workers().remove(host);
            services.networks().forget(host);
            links.remove(socket);
        }

        @Override
        public void handleUp(String host, String instance) {
            log.info("worker-agent in sandbox {} is up instance={}", host, instance);
            Optional<String> left = owed.stream()
                    .filter(spawnId -> hostOf(spawnId).equals(host))
                    .findFirst();
            if (left.isPresent()) {
                finishOwed(left.get(), spawner);
                return;
            }
            answerRecall(host, true);
            spawner.reconcile(host).whenComplete((reconciled, failure) -> {
                if (failure != null) {
                    log.error("cannot adopt the worker in sandbox {}: {}", host, failure.getMessage());
                }
            });
        }

        @Override
        public void handleDown(String host) {
            spawner.handleDown(host);
        }

        @Override
        public void handleGone(String spawnId, String why) {
            if (finishOwed(spawnId, spawner)) {
                return;
            }
            answerRecall(hostOf(spawnId), false);
            services.spawns().known(spawnId).ifPresent(spawn -> {
                log.atWarn().addKeyValue("spawn_id", spawnId).log("its sandbox is gone: {}", why);
                spawner.handleSandboxGone(spawn);
            });
        }

        @Override
        public void handleOverdue(String spawnId) {
            services.spawns().known(spawnId).ifPresent(spawn -> {
                var _ = spawner.terminate(spawn, "life_max", Spawner.ITSELF);
            });
        }
    }
}
