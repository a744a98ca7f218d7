package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
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
 * The sockets that brig-egress serves, with the policy and the secrets last sent for each. Owned by the thread of
 * {@link EgressThread}, the only caller unless stated otherwise.
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

    /** Adds a registration and sends it to a running brig-egress. */
    void add(SocketRegistration registration, EgressLink running) {
        registrations.put(registration.id, registration);
        tell(running, registration);
        EgressSession session = sessions.apply(registration.what.spawnId());
        listenTo(registration, session == null ? List.of() : session.allowedPorts());
    }

    /**
     * Ends a registration without blocking: neither the thread that handles ends of processes, nor other workers while
     * brig-egress starts or does not answer. Thread-safe.
     *
     * @param remove run by the thread; its result completes when all events were delivered
     * @param toldMs how long that may take from now on
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

    /** Removes a registration; afterwards none of its descriptors is sent. @return as {@link EgressLink#unregister} */
    CompletableFuture<Void> remove(String id) {
        registrations.remove(id);
        return supervisor.unregister(id);
    }

    /** Sends all registrations to a new brig-egress. */
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
                        session == null ? List.of() : List.copyOf(session.allowedOnce),
                        session == null ? List.of() : List.copyOf(session.revoked),
                        session != null && session.listener.logins() != null,
                        session == null ? List.of() : session.source.purses().get(),
                        EgressCommand.sent(sockets)),
                List.copyOf(sockets));
        registration.changes = 0;
        registration.heard = 0;
        registration.answered = 0;
        if (registration.values != null) {
            sendSecrets(registration);
        }
        readSecrets(registration);
    }

    /** Sends a changed policy. */
    void changePolicy(SocketRegistration registration, EgressPolicy now) {
        LOG.info("the policy changed spawn_id={}", registration.what.spawnId());
        registration.policy = now;
        supervisor.send(new EgressCommand.Policy(registration.id, now));
        listenTo(registration, now.ports());
    }

    /** Reads the secrets' sources. They may be slow; only their worker waits for them. */
    void readSecrets(SocketRegistration registration) {
        EgressPolicy policy = registration.policy;
        if (registration.reading || (policy.secrets().isEmpty() && registration.values == null)) {
            return;
        }
        registration.reading = true;
        boolean owed = registration.owed;
        registration.owed = false;
        int heard = registration.heard;
        var unused = Thread.startVirtualThread(() -> {
            Map<String, String> values = registration.secrets.apply(policy);
            thread.later(
                    () -> {
                        registration.reading = false;
                        if (registrations.containsKey(registration.id)) {
                            registration.answered = Math.min(heard, registration.heard);
                            handleSecrets(registration, values, owed);
                        }
                    },
                    0);
        });
    }

    private void handleSecrets(SocketRegistration registration, Map<String, String> values, boolean owed) {
        EgressSession session = sessions.apply(registration.what.spawnId());
        List<String> asked = session == null ? List.of() : session.askedLogins();
        if (owed || !values.equals(registration.values) || !asked.equals(registration.asked)) {
            registration.values = values;
            registration.asked = asked;
            sendSecrets(registration);
        }
        if (registration.owed) {
            readSecrets(registration);
        }
    }

    /** Reads the secrets, and sends them in any case: requests wait for that. */
    void answer(SocketRegistration registration) {
        registration.owed = true;
        readSecrets(registration);
    }

    /** As {@link #answer} for a registration of that id, if there is one. */
    void answer(String id) {
        SocketRegistration registration = registrations.get(id);
        if (registration != null) {
            answer(registration);
        }
    }

    /** A request waits for a login, and for {@link #answer}. @return whether its vendor refused the token that it has now */
    boolean handleLoginRefused(EgressReport.LoginRefused report, EgressSession session) {
        SocketRegistration registration = registrations.get(report.worker());
        if (registration == null) {
            return false;
        }
        registration.heard++;
        String token = registration.values == null ? null : registration.values.get(report.secret());
        boolean ofToken = report.byVendor() && report.change() == registration.changes && token != null;
        session.handleLoginWanted(report.secret(), ofToken ? token : null);
        return ofToken;
    }

    private void sendSecrets(SocketRegistration registration) {
        registration.changes++;
        supervisor.send(new EgressCommand.Secrets(
                registration.id,
                registration.values == null ? Map.of() : registration.values,
                registration.asked,
                registration.answered));
    }

    /** Opens sockets for these ports too. */
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
