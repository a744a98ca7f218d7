package brig.gateway.app;

import brig.gateway.api.HttpApi;
import brig.gateway.audit.AuditTrail;
import brig.gateway.auth.MemoryTickets;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Tokens;
import brig.gateway.config.Config;
import brig.gateway.config.ConfigFile;
import brig.gateway.config.Paths;
import brig.gateway.egress.HomeNetworks;
import brig.gateway.limits.Admission;
import brig.gateway.listener.AccessRegistry;
import brig.gateway.oidc.HttpFetch;
import brig.gateway.oidc.PeopleOfIssuer;
import brig.gateway.oidc.SignIns;
import brig.gateway.resources.OperatorControls;
import brig.gateway.resources.SandboxCalls;
import brig.gateway.retention.Retention;
import brig.gateway.retention.StreamFolders;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.DerivedSecrets;
import brig.gateway.spawn.Peers;
import brig.gateway.spawn.Recorders;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.spawn.Spawns;
import brig.gateway.store.Database;
import brig.gateway.store.SpawnStore;
import brig.gateway.store.SqliteAuditIndex;
import brig.gateway.store.SqliteEventStore;
import brig.gateway.store.SqliteSpawnStore;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.Exposition;
import brig.gateway.telemetry.GaugeReadings;
import brig.gateway.telemetry.LoopWatch;
import brig.gateway.telemetry.Telemetry;
import brig.gateway.telemetry.Traces;
import brig.gateway.time.VertxTimers;
import brig.gateway.webhook.AnswerLinks;
import brig.gateway.webhook.HttpPost;
import brig.gateway.webhook.NoticeSigner;
import brig.gateway.webhook.Webhook;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.ClusterView;
import brig.protocol.api.PoolState;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Composition root of the gateway: one event loop that owns all state, a thread for the disk, a thread for the
 * database. Started and stopped from outside the loop; everything else runs on it.
 *
 * <p>Decision 0138.
 */
public final class Gateway implements ControlLink.Listener {
    private static final Logger log = LoggerFactory.getLogger(Gateway.class);
    private static final long START_SECONDS_MAX = 60;
    private static final long STOP_SECONDS_MAX = 15;
    /** Failed connection attempts before an expected worker-agent is started again: half a second. */
    private static final int TRIES_BEFORE_START = 10;

    private static final long STOP_CHECK_MS = 100;

    private final Paths paths;
    /** Held until the process ends, so that no second gateway works in the same folders. */
    private final List<StateLock> locks;

    private final Vertx vertx;
    private final Executor loop;
    private final ExecutorService disk = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("brig-disk").factory());
    private final ExecutorService sweeper = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("brig-retention").factory());
    /** Null if the worker-agent is a service of its own. */
    private final @Nullable WorkerAgentProcess workerAgent;

    private final CompletableFuture<Void> workerAgentUp = new CompletableFuture<>();
    /** The spawns of an earlier process are known. */
    private final CompletableFuture<Void> recovered = new CompletableFuture<>();
    /** Whether the workers are left to a next gateway. */
    private final CompletableFuture<Boolean> stopWanted = new CompletableFuture<>();

    // State owned by the event loop.
    private final Counters counters = new Counters(System::nanoTime);
    private final LoopWatch loopWatch;
    private final RetainedBudget retained;
    private final Database database;
    private final StateHealth health;
    private final SqliteAuditIndex auditIndex;
    private final AuditTrail audit;
    private final Admission admission;
    private final Spawner spawner;
    private final Spawns spawns = new Spawns();
    private final Retention retention;
    private final Sessions sessions;
    private final Tokens tokens;
    private final VertxTimers timers;
    private final ControlLink control;
    private final WorkerAgents workers;
    private final HomeNetworks networks;
    private final RemoteHosts hosts;
    /** Null if this gateway is alone. */
    private final @Nullable ClusterMember cluster;

    private final RemoteSandboxes sandboxes;
    private final Listeners listeners;
    /** Null if people do not sign in by an issuer. */
    private final @Nullable SignIns signIns;

    private final AnswerLinks links = new AnswerLinks(System::currentTimeMillis);
    private int failedTries;
    private boolean ready;
    private boolean stopping;
    private boolean keepWorkers;
    private boolean startFailed;
    private long stopAtMs;

    /**
     * Reads the state on disk; does not listen yet.
     *
     * @param configFile the operator's file, passed on to the worker-agent; null for none
     */
    public Gateway(Config config, Paths paths, @Nullable Path configFile) {
        this.paths = paths;
        // Workspaces and walls are below these two folders; secrets in them are private by themselves.
        Paths.makePassable(paths.state());
        Paths.makePassable(paths.runtime());
        locks = paths.state().equals(paths.runtime())
                ? List.of(StateLock.take(paths.state()))
                : List.of(StateLock.take(paths.state()), StateLock.take(paths.runtime()));
        Paths.makePassable(paths.agents());
        Paths.makePrivate(paths.streams());
        disk.execute(Database::loadEngine);
        String adminToken = SecretFile.load(paths.adminToken(), "admin token");
        workerAgent = paths.ownsWorkerAgent() ? new WorkerAgentProcess(paths, configFile) : null;
        keepWorkers = workerAgent == null;
        // Otherwise Vert.x creates a temporary folder at each start, which a killed process leaves behind.
        vertx = Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(1)
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
        if (!vertx.isNativeTransportEnabled()) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "Netty's epoll transport does not load: " + vertx.unavailableNativeTransportCause());
        }
        ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
        loop = context.nettyEventLoop();
        timers = new VertxTimers(vertx);
        Executor answers = new LoopAnswers(loop);
        loopWatch = new LoopWatch(counters, timers);
        database = new Database(paths.database(), answers, counters);
        auditIndex = new SqliteAuditIndex(paths.auditIndex(), answers);
        health = new StateHealth(paths.state(), database::touch, disk, answers, timers);
        database.watch(health::handleFailure);
        Config.Limits limits = config.limits();
        retained = new RetainedBudget(limits.retainedBytesTotal());
        var environment = new StreamLog.Services(
                new LoopFlush(loop),
                retained,
                new RecordingClock(timers),
                timers,
                counters,
                limits.retainedBytesPerStream(),
                limits.subscriptionsPerStreamMax());
        control = new ControlLink(vertx, paths.link().toString(), timers, uid -> uid == 0 || uid == Paths.ownUid());
        workers = new WorkerAgents(control, spawns::hostOf);
        networks = new HomeNetworks(
                ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop(),
                timers,
                control,
                paths.link(),
                spawns::requestOf);
        hosts = new RemoteHosts(vertx, config, paths, workers, networks, spawns, timers, disk, answers);
        DerivedSecrets secrets = new DerivedSecrets(SecretFile.load(paths.tokenKey(), "token key"));
        sandboxes = new RemoteSandboxes(
                new RemoteSandboxes.Services(
                        vertx,
                        paths,
                        workers,
                        control,
                        networks,
                        spawns,
                        timers,
                        hosts.payload(),
                        hosts.gatewayId(),
                        secrets,
                        answers),
                config.providers());
        audit = new AuditTrail(control, new AuditTable(auditIndex), timers);
        // A cyclic dependency: sessions end their spawns, spawns open their sessions' sockets.
        sessions = new Sessions(spawns, this::terminate, workers::answer, timers);
        TokenFile tokenFile = new TokenFile(paths.tokens(), paths.adminToken(), disk, answers);
        PeopleOfIssuer people = new PeopleOfIssuer(config.oidc(), paths.issuer());
        cluster = config.cluster().isOn()
                ? new ClusterMember(vertx, config, hosts.gatewayId(), tokenFile, timers, answers, counters)
                : null;
        tokens = new Tokens(
                adminToken,
                people.counting(tokenFile.load()),
                cluster == null ? tokenFile : cluster.tokens(),
                System::currentTimeMillis,
                timers);
        listeners = new Listeners(
                vertx,
                config,
                paths,
                configFile == null ? ConfigFile.ownPlace() : configFile,
                new AccessRegistry(
                        sessions,
                        tokens,
                        new Tickets(
                                cluster == null ? new MemoryTickets(System::currentTimeMillis) : cluster.tickets(),
                                System::currentTimeMillis)),
                timers,
                counters);
        admission = new Admission(
                new Admission.Bounds(
                        limits.workersMax(),
                        limits.workersPerCaptainMax(),
                        limits.spawnCooldownMs(),
                        limits.spawnQueueMax()),
                System::currentTimeMillis,
                timers);
        SpawnStore own = new SqliteSpawnStore(database);
        SpawnStore store = cluster == null ? own : cluster.over(own);
        Config.Retention kept = config.retention();
        retention = new Retention(
                new Retention.Bounds(kept.days(), kept.bytes(), kept.spawns()),
                store,
                spawns,
                new StreamFolders(paths.streams(), sweeper, answers),
                System::currentTimeMillis,
                timers);
        spawner = new Spawner(
                new Spawner.Services(
                        workers,
                        cluster == null ? hosts : cluster.with(hosts),
                        sandboxes,
                        store,
                        new FileStreamLogs(
                                paths.streams(),
                                limits.logBytesPerStream(),
                                disk,
                                answers,
                                environment,
                                health::handleFailure),
                        System::currentTimeMillis,
                        timers,
                        cluster == null ? secrets : cluster.secrets(),
                        new Telemetry(
                                counters,
                                new Traces(config.traces().endpoint(), System::currentTimeMillis, System::nanoTime)),
                        cluster == null ? Recorders.onDisk(System::currentTimeMillis) : cluster.recorders(),
                        cluster == null ? Peers.NONE : cluster.peers()),
                admission,
                spawns,
                listeners.sessionSockets());
        signIns = people.signIns(
                file -> SecretFile.require(file, "secret of oidc.clientId"),
                (cluster == null ? secrets : cluster.secrets()).keys("sign-in"),
                new HttpFetch(vertx),
                listeners::url,
                System::currentTimeMillis);
        if (!config.asks().webhook().url().isEmpty()) {
            Webhook webhook = webhook(config.asks().webhook());
            var _ = spawns.followAsks(cluster == null ? webhook : cluster.owned(webhook));
        }
    }

    private Webhook webhook(Config.Webhook webhook) {
        String secret = SecretFile.load(Path.of(webhook.secretFile()), "secret of asks.webhook");
        return new Webhook(
                new Webhook.Services(
                        new HttpPost(vertx, webhook.url()),
                        new NoticeSigner(secret),
                        System::currentTimeMillis,
                        timers,
                        counters),
                links,
                webhook.publicUrl());
    }

    private CompletionStage<Void> terminate(Spawn spawn, String reason, String by) {
        return spawner.terminate(spawn, reason, by);
    }

    /** Why no spawn can be started now, in a word; null if one can. */
    private @Nullable String unready() {
        if (!ready) {
            return "worker_agent";
        }
        if (admission.state() != PoolState.OPEN) {
            return "pool_" + admission.state().wireName();
        }
        if (cluster != null && !cluster.isConnected()) {
            return "cluster";
        }
        return health.isFailing() || database.isReadOnly() ? "record_lost" : null;
    }

    /** A warning about the start for a person; null for none. */
    public @Nullable String warning() {
        return database.isReadOnly() ? database.readOnly() : null;
    }

    /** Collects the readings for the metrics. */
    private GaugeReadings view() {
        LiveSpawns live = new LiveSpawns(spawns);
        long waiting =
                admission.queue().values().stream().mapToInt(Integer::intValue).sum();
        return listeners.view(
                live.states(),
                live.openAsks(),
                live.budgets(),
                live.throttling(),
                hosts.states(),
                ready,
                cluster == null ? GaugeReadings.ClusterUse.NONE : cluster.use(),
                List.of(
                        new GaugeReadings.LimitUse(
                                "workersMax",
                                admission.workers(),
                                admission.bounds().workersMax()),
                        new GaugeReadings.LimitUse(
                                "spawnQueueMax", waiting, admission.bounds().queueMax()),
                        new GaugeReadings.LimitUse("retainedBytesTotal", retained.bytes(), retained.bytesMax())));
    }

    /** Starts everything; returns when captains can connect. @throws BrigException naming the obstacle */
    public void start() {
        String version = Gateway.class.getPackage().getImplementationVersion();
        Exposition metrics = new Exposition(counters, loopWatch, this::view, version == null ? "development" : version);
        CompletableFuture<Void> swept =
                CompletableFuture.runAsync(listeners::sweep, sweeper).thenRunAsync(() -> {}, loop);
        await(
                onLoop(() -> open(metrics, swept)),
                START_SECONDS_MAX,
                "no worker-agent answered on " + paths.link() + "; "
                        + (workerAgent == null
                                ? "is its service up?"
                                : "see " + paths.state().resolve("worker-agent.log")));
    }

    /** Reads the state, reaches the worker-agent and makes the listeners, beside each other. */
    private CompletionStage<Void> open(Exposition metrics, CompletionStage<Void> swept) {
        CompletionStage<Void> told =
                cluster == null ? CompletableFuture.completedFuture(null) : cluster.open(spawner, workers, tokens);
        told.thenCompose(known -> spawner.recover()).thenRun(this::openHosts).whenComplete((known, failure) -> {
            if (failure == null) {
                if (cluster != null) {
                    cluster.begin();
                }
                recovered.complete(null);
            } else {
                recovered.completeExceptionally(failure);
            }
        });
        control.open(this);
        return new EventTable(new SqliteEventStore(database))
                .open(System::currentTimeMillis)
                .thenCompose(events -> listeners.open(
                        new HttpApi.Services(
                                spawner,
                                workers,
                                events,
                                audit,
                                new OperatorControls(admission, this::beginStop, retention::prune, this::unready),
                                hosts.registry(),
                                new SandboxCalls(sandboxes.registry(), spawns, System::currentTimeMillis),
                                () -> cluster == null ? ClusterView.ALONE : cluster.view(),
                                links,
                                signIns,
                                System::currentTimeMillis,
                                metrics::scrape),
                        recovered.thenCompose(known -> workerAgentUp),
                        swept))
                .thenRun(() -> {
                    audit.start();
                    retention.start();
                    loopWatch.start();
                    askIssuer();
                });
    }

    /** People cannot sign in while their issuer is not reached; all else goes on. */
    private void askIssuer() {
        if (signIns != null) {
            signIns.check().exceptionally(failure -> {
                log.warn("people cannot sign in: {}", Reason.cause(failure).getMessage());
                return null;
            });
        }
    }

    private void openHosts() {
        hosts.open(spawner);
        sandboxes.open(spawner);
    }

    /** Before that of an earlier process is known, the workers wait to be adopted. */
    @Override
    public void handleUp(String instance) {
        log.info("worker-agent is up instance={}", instance);
        failedTries = 0;
        if (workerAgent != null) {
            workerAgent.handleUp();
        }
        var _ = recovered
                .thenCompose(known -> {
                    networks.handleHomeUp();
                    return spawner.reconcile(null);
                })
                .whenComplete((reconciled, failure) -> {
                    if (failure == null) {
                        ready = true;
                        workerAgentUp.complete(null);
                    } else {
                        log.error("cannot adopt the workers: {}", failure.getMessage());
                    }
                });
    }

    @Override
    public void handleDown() {
        ready = false;
        if (!stopping) {
            spawner.handleDown(null);
        }
        if (stopping || workerAgent == null || failedTries++ % TRIES_BEFORE_START != 0) {
            return;
        }
        try {
            workerAgent.ensureRunning();
        } catch (BrigException e) {
            // The caller of start() gets the failure as its answer; log only later ones.
            if (!workerAgentUp.completeExceptionally(e)) {
                log.error("{}", e.getMessage());
            }
        }
    }

    @Override
    public void handleUntrusted(BrigException why) {
        log.error("{}", why.getMessage());
        workerAgentUp.completeExceptionally(why);
    }

    @Override
    public void handleRecordLost(BrigException why) {
        health.suspect();
    }

    /** Stops the gateway when its workers have ended, at the latest at the deadline. */
    private void beginStop(long deadlineMs, boolean handOver) {
        log.info("stopping deadline_ms={} hand_over={}", deadlineMs, handOver);
        stopAtMs = System.currentTimeMillis() + deadlineMs;
        checkStop(handOver);
    }

    private void checkStop(boolean handOver) {
        // What runs on other hosts goes on there.
        boolean idle = !hasWorkersHere();
        if (idle || System.currentTimeMillis() >= stopAtMs) {
            // An idle worker-agent of our own would keep its old version for nothing.
            keepWorkers = handOver && (workerAgent == null || !idle);
            stopWanted.complete(handOver);
        } else {
            timers.after(STOP_CHECK_MS, () -> checkStop(handOver));
        }
    }

    /** Blocks until a requested stop is due; {@link #stop} must follow. @return whether it hands over to a next gateway */
    public boolean awaitStopWanted() {
        return stopWanted.join();
    }

    /** The start has failed: makes {@link #stop} leave the workers of an earlier gateway, with their worker-agent. */
    public void leaveWorkers() {
        loop.execute(() -> {
            startFailed = true;
            keepWorkers = workerAgent == null || !workerAgent.isOurs() || hasWorkersHere();
        });
    }

    private boolean hasWorkersHere() {
        return spawns.live().stream().anyMatch(spawn -> !spawn.isTracked() && spawn.host() == null);
    }

    /**
     * Ends all workers, the worker-agent and the gateway. Workers are kept if that was requested, or if the
     * worker-agent is a service of its own, unless an operator asked for their end.
     */
    public void stop() {
        CompletableFuture<Void> ended = onLoop(() -> {
            stopping = true;
            ready = false;
            admission.close();
            sessions.keepAll();
            hosts.registry().close();
            sandboxes.registry().close();
            networks.close();
            CompletionStage<Void> left = cluster == null ? CompletableFuture.completedFuture(null) : cluster.leave();
            return left.thenCompose(gone -> keepWorkers ? CompletableFuture.completedStage(null) : control.shutdown());
        });
        try {
            await(ended, STOP_SECONDS_MAX, "the worker-agent did not end in time");
        } catch (BrigException e) {
            log.warn("{}", e.getMessage());
            if (workerAgent != null) {
                workerAgent.stop();
            }
        }
        onLoop(listeners::leave).join();
        vertx.close().toCompletionStage().toCompletableFuture().join();
        // The loop has ended, so its state may be read here.
        if (startFailed && !keepWorkers && workerAgent != null) {
            workerAgent.awaitEnd();
        }
        if (cluster != null) {
            cluster.close();
        }
        listeners.removeSockets();
        sweeper.shutdown();
        disk.shutdown();
        database.close();
        auditIndex.close();
        locks.forEach(StateLock::close);
    }

    /** The URL of the HTTP interface. */
    public String url() {
        return listeners.url();
    }

    public Paths paths() {
        return paths;
    }

    private <T> CompletableFuture<T> onLoop(Supplier<CompletionStage<T>> task) {
        return CompletableFuture.supplyAsync(task, loop).thenCompose(stage -> stage);
    }

    private static void await(CompletableFuture<Void> future, long seconds, String late) {
        try {
            future.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof CompletionException wrapped ? wrapped.getCause() : e.getCause();
            throw cause instanceof BrigException refusal
                    ? refusal
                    : new BrigException(ErrorCode.INTERNAL, "the gateway did not start: " + cause);
        }
    }
}
