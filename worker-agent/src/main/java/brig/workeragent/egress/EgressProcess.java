package brig.workeragent.egress;

import brig.egress.audit.AuditFiles;
import brig.egress.audit.AuditLog;
import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPolicy;
import brig.egress.secret.SecretFeed;
import brig.egress.secret.SecretSources;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Fields;
import brig.protocol.json.JsonObject;
import brig.workeragent.egress.confinement.ConfinedCommand;
import brig.workeragent.egress.confinement.NameFiles;
import brig.workeragent.posture.Posture;
import brig.workeragent.wall.EgressGate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps brig-egress running while a worker needs it. Started at the first need; when it dies it is started
 * again and gets the same sockets, which stayed open here: what connects meanwhile waits in their backlogs, what
 * was under way is reset. What it may not have lies here: the key of the authority, the files of the audit, the sources of
 * secrets, whose values it is told.
 *
 * <p>State is owned by one thread, {@code link}; any thread may call.
 *
 * <p>Decision 0049.
 */
public final class EgressProcess implements EgressGate, AutoCloseable {
    /**
     * What brig-egress is started with.
     *
     * @param socketFolder of this process; made if absent
     * @param stateDir for the authority and the audit, which it gets no sight of
     * @param closed what it must not see
     * @param environment where secrets of the kind {@code env} are
     */
    public record Services(
            ConfinedCommand.Program program,
            Path socketFolder,
            Path stateDir,
            List<Path> closed,
            Map<String, String> environment,
            EgressConfig config) {
        NameFiles names() {
            return new NameFiles(Path.of("/etc"), socketFolder.resolve("etc"));
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressProcess.class);
    private static final long READY_MS = 30_000;
    private static final long POLICY_MS = 1_000;
    private static final long AGAIN_MS_MIN = 20;
    private static final long AGAIN_MS_MAX = 5_000;
    /** One that lived so long has started well. */
    private static final long HEALTHY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Services setup;
    private final ScheduledThreadPoolExecutor link;
    private final SecretSources sources;
    private final AtomicLong ids = new AtomicLong();
    /** By spawn; read by the thread that reads events too. */
    private final Map<String, EgressSession> sessions = new ConcurrentHashMap<>();

    private final Map<String, String> spawns = new ConcurrentHashMap<>();

    // Owned by the thread link.
    private final Map<String, SocketRegistration> registrations = new LinkedHashMap<>();
    private @Nullable EgressState kept;
    private @Nullable EgressLink current;
    private long againMs = AGAIN_MS_MIN;
    private boolean watching;
    private boolean closed;

    public EgressProcess(Services setup) {
        this.setup = setup;
        this.sources = new SecretSources(setup.environment());
        this.link = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("brig-egress").factory());
        link.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Path authority() {
        return call(() -> kept().authority().file());
    }

    /**
     * Says how to learn of changes of a worker's policy, and whom to tell what happens.
     *
     * @param atStart what its wall is built for
     * @param policy asked again every second while sockets of the worker are taken
     * @param events called from the thread that reads them; must not wait
     */
    public AutoCloseable open(
            String spawnId, EgressPolicy atStart, Supplier<EgressPolicy> policy, Consumer<EgressEvent> events) {
        sessions.put(spawnId, new EgressSession(atStart.isOpen(), policy, events));
        return () -> sessions.remove(spawnId);
    }

    @Override
    public EgressGate.Handle take(EgressGate.Registration what) {
        String id = what.spawnId() + "#" + ids.incrementAndGet();
        SocketRegistration registration = new SocketRegistration(id, what, new SecretFeed(sources));
        if (!what.policy().secrets().isEmpty()) {
            // Its first request may come at once. Nobody else waits for these sources.
            registration.values = registration.secrets.read(what.policy());
        }
        return call(() -> {
            EgressLink running = ready();
            spawns.put(id, what.spawnId());
            registrations.put(id, registration);
            watch();
            register(running, registration);
            EgressSession session = sessions.get(what.spawnId());
            listenTo(registration, session == null ? List.of() : session.allowedPorts());
            return () -> release(id);
        });
    }

    private void release(String id) {
        // Returns when no descriptor of it can be sent any more: its number may stand for another file next.
        call(() -> {
            registrations.remove(id);
            spawns.remove(id);
            send(EgressLink.message("unregister", id));
            return Optional.empty();
        });
    }

    /**
     * A person allows a host to a worker.
     *
     * @param once for one request; otherwise for as long as the worker lives
     * @throws IllegalArgumentException where it is no host
     * @throws BrigException {@code INVALID_FIELD} where no answer can open it
     */
    public void allow(String spawnId, String host, boolean once) {
        HostPattern wanted = HostPattern.parse(host);
        onSession(
                spawnId,
                (session, id) -> {
                    Map<String, Object> message = EgressLink.message("allow", id);
                    message.put("host", host);
                    message.put("once", once);
                    return message;
                },
                session -> {
                    requireOpenable(session, wanted);
                    if (!once) {
                        session.allowed.add(host);
                        session.answered(wanted);
                    }
                });
        call(() -> {
            registrations.values().stream()
                    .filter(registration -> registration.what.spawnId().equals(spawnId) && wanted.port() > 0)
                    .forEach(registration -> listenTo(registration, Set.of(wanted.port())));
            return Optional.empty();
        });
    }

    private static void requireOpenable(EgressSession session, HostPattern wanted) {
        if (!session.hasWayOut) {
            throw Fields.invalid(
                    "host",
                    "cannot be opened: the wall of this worker was built without a way out;"
                            + " start it with a policy whose \"egress\" allows a host, or asks (askMs)");
        }
        String denied = new HostPolicy(session.policyNow()).closedBy(wanted);
        if (denied != null) {
            throw Fields.invalid(
                    "host", "cannot be opened: deniedHosts of the policy has " + denied + ", and no answer opens that");
        }
    }

    /** What a worker may reach now. @throws BrigException {@code NOT_FOUND} where there is no such worker */
    public EgressOverview show(String spawnId) {
        return call(() -> {
            EgressSession session = session(spawnId);
            long now = System.currentTimeMillis();
            return new EgressOverview(
                    session.hasWayOut,
                    session.policyNow(),
                    List.copyOf(session.allowed),
                    session.revoked.stream().sorted().toList(),
                    session.asks.values().stream()
                            .filter(ask -> ask.deadlineMs() >= now)
                            .sorted(Comparator.comparing(EgressOverview.Ask::deadlineMs))
                            .toList());
        });
    }

    /** A person refuses a host for now: what waits for it is answered. */
    public void deny(String spawnId, String host) {
        HostPattern refused = HostPattern.parse(host);
        onSession(
                spawnId,
                (session, id) -> {
                    Map<String, Object> message = EgressLink.message("deny", id);
                    message.put("host", host);
                    return message;
                },
                session -> session.answered(refused));
    }

    /** Takes a secret back from a worker, for good. */
    public void revoke(String spawnId, String secret) {
        onSession(
                spawnId,
                (session, id) -> {
                    Map<String, Object> message = EgressLink.message("revoke", id);
                    message.put("secret", secret);
                    return message;
                },
                session -> session.revoked.add(secret));
    }

    private interface MessageTo {
        Map<String, Object> make(EgressSession session, String id);
    }

    /** Lines of the audit behind a position, as {@link AuditFiles#read}; also while no brig-egress runs. */
    public AuditFiles.Part audit(String position, int bytesMax) {
        try {
            return new AuditFiles(setup.stateDir().resolve("audit")).read(position, bytesMax);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "the audit cannot be read: " + Reason.withFile(e));
        }
    }

    private void onSession(String spawnId, MessageTo message, Consumer<EgressSession> change) {
        call(() -> {
            EgressSession session = session(spawnId);
            change.accept(session);
            registrations.values().stream()
                    .filter(registration -> registration.what.spawnId().equals(spawnId))
                    .forEach(registration -> send(message.make(session, registration.id)));
            return Optional.empty();
        });
    }

    private EgressSession session(String spawnId) {
        EgressSession session = sessions.get(spawnId);
        if (session == null) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no worker " + spawnId);
        }
        return session;
    }

    private interface Task<T> {
        T run() throws IOException, InterruptedException;
    }

    private <T> T call(Task<T> task) {
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            link.execute(() -> {
                try {
                    done.complete(task.run());
                } catch (IOException | InterruptedException | RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
            return done.get(READY_MS * 2, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BrigException refusal) {
                throw refusal;
            }
            throw unavailable(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            throw unavailable("it does not answer");
        } catch (RejectedExecutionException e) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    private static BrigException unavailable(String why) {
        return new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "brig-egress cannot be used: " + why);
    }

    /** The process, started if there is none. */
    private EgressLink ready() throws IOException, InterruptedException {
        EgressLink running = current;
        if (running != null && running.isAlive()) {
            return running;
        }
        if (closed) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
        EgressLink fresh = EgressLink.start(setup, kept().authority(), new Told(), READY_MS);
        current = fresh;
        LOG.info("brig-egress runs as process {}", fresh.pid());
        for (SocketRegistration registration : registrations.values()) {
            register(fresh, registration);
        }
        return fresh;
    }

    private EgressState kept() throws IOException {
        EgressState known = kept;
        if (known == null) {
            known = EgressState.open(setup);
            kept = known;
        }
        return known;
    }

    /** What one run says, on the thread that reads it. */
    private final class Told implements EgressLink.Listener {
        private final AuditLog audit = Objects.requireNonNull(kept).audit();

        @Override
        public void handleEvent(Map<String, @Nullable Object> event) {
            EgressProcess.this.handleEvent(event);
        }

        @Override
        public void handleAudit(Map<String, @Nullable Object> entry) {
            audit.append(entry);
        }

        @Override
        public void handleAuditLost(long count) {
            audit.lose(count);
        }

        @Override
        public void handleGone(EgressLink gone) {
            later(() -> EgressProcess.this.handleGone(gone), 0);
        }
    }

    private void register(EgressLink to, SocketRegistration registration) {
        EgressSession session = sessions.get(registration.what.spawnId());
        Map<String, Object> message = EgressLink.message("register", registration.id);
        message.put("spawn", registration.what.spawnId());
        message.put("agent", registration.what.agent());
        message.put("policy", registration.policy);
        message.put("placeholders", registration.what.placeholders());
        message.put("allowed", session == null ? List.of() : List.copyOf(session.allowed));
        message.put("revoked", session == null ? List.of() : List.copyOf(session.revoked));
        Set<WallSocket> sockets =
                new LinkedHashSet<>(registration.what.network().sockets());
        sockets.addAll(registration.more);
        to.send(message, List.copyOf(sockets));
        if (registration.values != null) {
            sendSecrets(registration);
        }
        readSecrets(registration);
    }

    /** Sources may take their time, and nobody waits for them but the worker whose secrets they have. */
    private void readSecrets(SocketRegistration registration) {
        EgressPolicy policy = registration.policy;
        if (registration.reading || (policy.secrets().isEmpty() && registration.values == null)) {
            return;
        }
        registration.reading = true;
        var unused = Thread.startVirtualThread(() -> {
            Map<String, String> values = registration.secrets.read(policy);
            later(
                    () -> {
                        registration.reading = false;
                        if (registrations.containsKey(registration.id) && !values.equals(registration.values)) {
                            registration.values = values;
                            sendSecrets(registration);
                        }
                    },
                    0);
        });
    }

    private void sendSecrets(SocketRegistration registration) {
        Map<String, Object> message = EgressLink.message("secrets", registration.id);
        message.put("values", registration.values == null ? Map.of() : registration.values);
        send(message);
    }

    private void send(Map<String, Object> message) {
        if (current != null && current.isAlive()) {
            current.send(message, List.of());
        }
    }

    private void handleGone(EgressLink gone) {
        if (gone != current || closed) {
            return;
        }
        current = null;
        // Who waited for an answer went with it.
        sessions.values().forEach(session -> session.asks.clear());
        againMs = gone.ageNanos() > HEALTHY_NANOS ? AGAIN_MS_MIN : againMs;
        LOG.error("brig-egress ended with status {}; starting it again in {} ms", gone.status(), againMs);
        startAgain();
    }

    private void startAgain() {
        later(
                () -> {
                    if (current != null || registrations.isEmpty() || closed) {
                        return;
                    }
                    try {
                        ready();
                    } catch (IOException | BrigException e) {
                        LOG.error("brig-egress cannot be started: {}", String.valueOf(e.getMessage()));
                        startAgain();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                againMs);
        againMs = Math.min(2 * againMs, AGAIN_MS_MAX);
    }

    private void later(Runnable task, long delayMs) {
        try {
            var unused = link.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            LOG.debug("not done any more: {}", stopping.getMessage());
        }
    }

    private void watch() {
        if (!watching) {
            watching = true;
            later(this::checkPolicies, POLICY_MS);
        }
    }

    /** Policies are files; what changed in them holds for workers that run too. */
    private void checkPolicies() {
        registrations.values().forEach(this::checkPolicy);
        registrations.values().forEach(this::readSecrets);
        refreshNames();
        watching = !registrations.isEmpty();
        if (watching) {
            later(this::checkPolicies, POLICY_MS);
        }
    }

    /** The host may be in another network by now. */
    private void refreshNames() {
        try {
            setup.names().refresh();
        } catch (IOException e) {
            LOG.warn("brig-egress goes on with the name servers that it knew: {}", e.toString());
        }
    }

    private void checkPolicy(SocketRegistration registration) {
        EgressSession session = sessions.get(registration.what.spawnId());
        if (session == null) {
            return;
        }
        EgressPolicy now = registration.policyNow(session);
        if (now.equals(registration.policy)) {
            return;
        }
        LOG.info("the policy changed spawn_id={}", registration.what.spawnId());
        registration.policy = now;
        Map<String, Object> message = EgressLink.message("policy", registration.id);
        message.put("policy", now);
        send(message);
        listenTo(registration, now.ports());
    }

    private void listenTo(SocketRegistration registration, Collection<Integer> ports) {
        Set<Integer> listened = new HashSet<>();
        registration.what.network().sockets().forEach(socket -> listened.add(socket.port()));
        registration.more.forEach(socket -> listened.add(socket.port()));
        ports.stream().filter(port -> !listened.contains(port)).forEach(port -> listen(registration, port));
    }

    private void listen(SocketRegistration registration, int port) {
        var unused = registration
                .what
                .network()
                .listen(port)
                .whenComplete((socket, failure) -> later(
                        () -> {
                            if (socket == null) {
                                LOG.warn(
                                        "no listener for port {} spawn_id={}: {}",
                                        port,
                                        registration.what.spawnId(),
                                        String.valueOf(failure));
                            } else if (registrations.containsKey(registration.id)) {
                                registration.more.add(socket);
                                if (current != null && current.isAlive()) {
                                    current.send(EgressLink.message("socket", registration.id), List.of(socket));
                                }
                            }
                        },
                        0));
    }

    private void handleEvent(Map<String, @Nullable Object> event) {
        String spawn = spawns.get(String.valueOf(event.get("worker")));
        EgressSession session = spawn == null ? null : sessions.get(spawn);
        if ("quiet".equals(event.get("kind"))) {
            LOG.info("refused, as the policy's quietHosts expect: {} spawn_id={}", event.get("host"), spawn);
        } else if ("blocked".equals(event.get("kind"))) {
            LOG.warn(
                    "BLOCKED: {} {}{}:{}{} spawn_id={} ({})",
                    event.get("method"),
                    String.valueOf(event.get("scheme")).isEmpty() ? "" : event.get("scheme") + "://",
                    event.get("host"),
                    event.get("port"),
                    event.get("path"),
                    spawn,
                    event.get("rule"));
        }
        if (session != null) {
            session.note(event);
            Map<String, Object> fields = new LinkedHashMap<>();
            event.forEach((key, value) -> {
                if (value != null && !key.equals("type") && !key.equals("worker")) {
                    fields.put(key, value);
                }
            });
            session.events.accept(JsonObject.of(fields).as(EgressEvent.class));
        }
    }

    /** What brig-egress finds of its own confinement; where none runs, one that is started to be measured. Blocks. */
    public List<Posture.Property> confinement() {
        return call(() -> {
            EgressLink running = current;
            if (running != null && running.isAlive()) {
                return running.confinement();
            }
            EgressLink trial = EgressLink.start(setup, kept().authority(), new Told(), READY_MS);
            trial.close();
            return trial.confinement();
        });
    }

    /** Of the process that runs now; empty while there is none. */
    Optional<Long> pid() {
        return call(() -> current != null && current.isAlive() ? Optional.of(current.pid()) : Optional.empty());
    }

    /** Ends the process. */
    @Override
    public void close() {
        try {
            call(() -> {
                closed = true;
                if (current != null) {
                    current.close();
                }
                if (kept != null) {
                    kept.audit().close();
                }
                return Optional.empty();
            });
        } catch (BrigException e) {
            LOG.warn("{}", e.getMessage());
        }
        link.shutdown();
    }
}
