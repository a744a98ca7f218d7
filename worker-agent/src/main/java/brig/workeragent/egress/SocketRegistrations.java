package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.egress.message.EgressCommand;
import brig.egress.policy.EgressPolicy;
import brig.workeragent.wall.EgressGate;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of workers that brig-egress answers, with the policy and the secrets that it was told of each. State owned by the
 * thread of {@link EgressThread}, which alone may call where nothing else is said.
 *
 * <p>Decision 0147.
 */
final class SocketRegistrations {
    private static final Logger LOG = LoggerFactory.getLogger(SocketRegistrations.class);

    private final EgressThread thread;
    private final EgressSupervisor supervisor;
    private final Function<String, @Nullable EgressSession> sessions;
    private final Map<String, SocketRegistration> registrations = new LinkedHashMap<>();

    /** @param sessions by spawn id */
    SocketRegistrations(
            EgressThread thread, EgressSupervisor supervisor, Function<String, @Nullable EgressSession> sessions) {
        this.thread = thread;
        this.supervisor = supervisor;
        this.sessions = sessions;
    }

    boolean isEmpty() {
        return registrations.isEmpty();
    }

    /** Adds one and tells it to a brig-egress that runs. */
    void add(SocketRegistration registration, EgressLink running) {
        registrations.put(registration.id, registration);
        tell(running, registration);
        EgressSession session = sessions.apply(registration.what.spawnId());
        listenTo(registration, session == null ? List.of() : session.allowedPorts());
    }

    /**
     * Ends one. Nobody has to wait: not the thread that hears of the end of processes, nor other workers where brig-egress is
     * being started or does not answer. Any thread may call.
     *
     * @param remove run by the thread; what it gives completes when every event was told
     * @param toldMs how long that may take, from now on
     */
    static EgressGate.End end(EgressThread thread, Supplier<CompletableFuture<Void>> remove, long toldMs) {
        CompletableFuture<Void> released = new CompletableFuture<>();
        CompletableFuture<Void> told =
                new CompletableFuture<Void>().completeOnTimeout(null, toldMs, TimeUnit.MILLISECONDS);
        boolean runs = thread.later(
                () -> {
                    CompletableFuture<Void> over = remove.get();
                    released.complete(null);
                    var _ = over.thenRun(() -> told.complete(null));
                    var _ = told.thenRun(() -> over.complete(null));
                },
                0);
        if (!runs) {
            released.complete(null);
            told.complete(null);
        }
        return new EgressGate.End(released, told);
    }

    /** Ends one, of which no descriptor can be sent any more then. @return as {@link EgressLink#unregister} */
    CompletableFuture<Void> remove(String id) {
        registrations.remove(id);
        return supervisor.unregister(id);
    }

    /** Tells a brig-egress that was just started everything. */
    void tellAll(EgressLink fresh) {
        registrations.values().forEach(registration -> tell(fresh, registration));
    }

    void forEach(Consumer<SocketRegistration> task) {
        registrations.values().forEach(task);
    }

    void forEachOf(String spawnId, Consumer<SocketRegistration> task) {
        registrations.values().stream()
                .filter(registration -> registration.what.spawnId().equals(spawnId))
                .forEach(task);
    }

    private void tell(EgressLink to, SocketRegistration registration) {
        EgressGate.Registration what = registration.what;
        EgressSession session = sessions.apply(what.spawnId());
        Set<WallSocket> sockets = new LinkedHashSet<>(what.network().sockets());
        sockets.addAll(registration.more);
        to.send(
                new EgressCommand.Register(
                        registration.id,
                        what.spawnId(),
                        what.agent(),
                        registration.policy,
                        what.placeholders(),
                        session == null ? List.of() : List.copyOf(session.allowed),
                        session == null ? List.of() : List.copyOf(session.revoked),
                        EgressCommand.sent(sockets)),
                List.copyOf(sockets));
        if (registration.values != null) {
            sendSecrets(registration);
        }
        readSecrets(registration);
    }

    /** Another policy holds now. */
    void changePolicy(SocketRegistration registration, EgressPolicy now) {
        LOG.info("the policy changed spawn_id={}", registration.what.spawnId());
        registration.policy = now;
        supervisor.send(new EgressCommand.Policy(registration.id, now));
        listenTo(registration, now.ports());
    }

    /** Sources may take their time, and nobody waits for them but the worker whose secrets they have. */
    void readSecrets(SocketRegistration registration) {
        EgressPolicy policy = registration.policy;
        if (registration.reading || (policy.secrets().isEmpty() && registration.values == null)) {
            return;
        }
        registration.reading = true;
        var unused = Thread.startVirtualThread(() -> {
            Map<String, String> values = registration.secrets.read(policy);
            thread.later(
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
        supervisor.send(new EgressCommand.Secrets(
                registration.id, registration.values == null ? Map.of() : registration.values));
    }

    /** Has sockets for these ports too. */
    void listenTo(SocketRegistration registration, Collection<Integer> ports) {
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
                .whenComplete(
                        (socket, failure) -> thread.later(() -> handleSocket(registration, port, socket, failure), 0));
    }

    private void handleSocket(
            SocketRegistration registration, int port, @Nullable WallSocket socket, @Nullable Throwable failure) {
        if (socket == null) {
            LOG.warn(
                    "no listener for port {} spawn_id={}: {}",
                    port,
                    registration.what.spawnId(),
                    String.valueOf(failure));
            return;
        }
        if (registrations.containsKey(registration.id)) {
            registration.more.add(socket);
            EgressLink running = supervisor.running();
            if (running != null) {
                EgressCommand.SentSocket sent = new EgressCommand.SentSocket(socket.role(), socket.port());
                running.send(new EgressCommand.Socket(registration.id, sent), List.of(socket));
            }
        }
    }
}
