package brig.workeragent.egress;

import brig.egress.audit.AuditFiles;
import brig.egress.budget.Limit;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.secret.SecretFeed;
import brig.egress.secret.SecretSources;
import brig.egress.secret.SystemdCredentials;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.EgressStream;
import brig.protocol.control.Posture;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.workeragent.budget.BudgetConfig;
import brig.workeragent.egress.confinement.ConfinedCommand;
import brig.workeragent.egress.confinement.NameFiles;
import brig.workeragent.login.Logins;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.worker.EgressSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * brig-egress for the rest of the worker-agent: workers are registered, their sockets served, and people's decisions
 * applied. A process that dies is restarted with the same sockets, which stay open here. New connections wait in their
 * backlogs; open ones are reset. The worker-agent keeps what the process may not have: the authority's files, the audit
 * files, and the sources of secrets. It sends only the values.
 *
 * <p>Thread-safe.
 *
 * <p>Decision 0049.
 */
public final class EgressProcess implements EgressGate, EgressSessions, AutoCloseable {
    /**
     * The parameters of brig-egress.
     *
     * @param socketFolder the folder of its sockets; created if absent
     * @param stateDir the folder of the authority and the audit, invisible to it
     * @param closed paths that must be invisible to it
     * @param environment the variables that secrets with {@code envVar} come from
     */
    public record Services(
            ConfinedCommand.Program program,
            Path socketFolder,
            Path stateDir,
            List<Path> closed,
            Map<String, String> environment,
            EgressConfig config,
            BudgetConfig budgets) {
        /** Where ledgers and budgets are. */
        public Path budgetFolder() {
            return stateDir.resolve("budget");
        }

        Path auditFolder() {
            return stateDir.resolve("audit");
        }

        NameFiles names() {
            return new NameFiles(Path.of("/etc"), socketFolder.resolve("etc"));
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressProcess.class);
    /** How long the end of an agent's process waits for its events. */
    private static final long TOLD_MS = 500;

    private final Logins logins;
    private final SecretSources sources;
    private final AuditFiles audit;
    private final EgressThread thread = new EgressThread(2 * EgressSupervisor.READY_MS);
    private final EgressSupervisor supervisor;
    private final SocketRegistrations registrations;
    private final PolicyWatcher watcher;
    private final Path sockets;
    private final AtomicLong ids = new AtomicLong();
    /** Sessions by spawn id; the thread that reads events uses it too. */
    private final Map<String, EgressSession> sessions = new ConcurrentHashMap<>();

    public EgressProcess(Services setup, Clock clock) {
        this.logins = new Logins(clock, new SystemdCredentials(setup.environment())::read);
        this.sources = new SecretSources(setup.environment(), logins::token);
        this.audit = new AuditFiles(setup.auditFolder());
        this.sockets = setup.socketFolder();
        this.supervisor = new EgressSupervisor(setup, clock, thread, new User());
        this.registrations = new SocketRegistrations(thread, supervisor, sessions::get);
        this.watcher = new PolicyWatcher(thread, registrations, sessions::get, setup.names());
    }

    /** Connects the supervisor to sessions and registrations. */
    private final class User implements EgressSupervisor.User {
        private final EventRouter router = new EventRouter(sessions::get);

        @Override
        public boolean isInUse() {
            return !registrations.isEmpty();
        }

        @Override
        public void handleStarted(EgressLink fresh) {
            registrations.tellAll(fresh);
            sessions.values().forEach(session -> session.allowedOnce.clear());
        }

        @Override
        public void handleEvent(EgressReport.Event event) {
            router.handle(event);
        }

        @Override
        public void handleLoginRefused(EgressReport.LoginRefused report) {
            thread.later(
                    () -> {
                        EgressSession session = sessions.get(SocketRegistration.spawnOf(report.worker()));
                        if (session != null && registrations.handleLoginRefused(report, session)) {
                            session.login(report.secret()).ifPresent(logins::handleRefused);
                        }
                        registrations.answer(report.worker());
                    },
                    0);
        }

        @Override
        public void handleAudit(AuditLine line) {
            EgressSession session = line.spawnId() == null ? null : sessions.get(line.spawnId());
            if (session != null && line.event() instanceof AuditEvent.Request request) {
                session.refusedLogin(request.result()).ifPresent(logins::handleRefused);
            }
        }
    }

    @Override
    public Path authority() {
        return thread.call(() -> supervisor.authority().file());
    }

    /**
     * Opens a session for a worker.
     *
     * @param atStart the policy that its wall is built for
     * @param source read every second while the worker has sockets
     * @param listener called on the reading thread, and by those who decide; must not block
     */
    @Override
    public AutoCloseable open(String spawnId, EgressPolicy atStart, Source source, Listener listener) {
        sessions.put(spawnId, new EgressSession(atStart.isOpen(), source, listener));
        return () -> sessions.remove(spawnId);
    }

    @Override
    public EgressGate.Handle take(EgressGate.Registration what) {
        SocketRegistration registration =
                SocketRegistration.of(what, ids.incrementAndGet(), secretsOf(sessions.get(what.spawnId())));
        if (!what.policy().secrets().isEmpty()) {
            // Its first request may come at once. Only this worker waits for these sources.
            registration.values = registration.secrets.apply(what.policy());
        }
        return thread.call(() -> {
            EgressLink running = supervisor.ready();
            watcher.watch();
            registrations.add(registration, running);
            return () -> SocketRegistrations.end(thread, () -> registrations.remove(registration.id), TOLD_MS);
        });
    }

    private Function<EgressPolicy, Map<String, String>> secretsOf(@Nullable EgressSession session) {
        Supplier<Map<String, String>> given = session == null ? null : session.source.secrets();
        SecretFeed feed = feed();
        return given != null
                ? policy -> given.get()
                : session == null
                        ? feed::read
                        : policy -> {
                            Map<String, String> values = feed.read(policy);
                            session.checkLogins(policy, values, sources::fault);
                            return values;
                        };
    }

    /** Reads secrets from the sources that policies name. */
    public SecretFeed feed() {
        return new SecretFeed(sources);
    }

    /** The listening socket for a worker on another host, to be registered with {@link #take}. */
    public GrantedSocket granted() {
        return thread.call(() -> {
            supervisor.authority();
            return GrantedSocket.open(sockets.resolve("granted-" + ids.incrementAndGet() + ".sock"));
        });
    }

    /** Writes a refused connection of a wall on another host into the audit. Does not block. */
    public void auditRefused(EgressStream stream, String agent, String rule) {
        String address = stream.address() == null ? "" : stream.address();
        AuditEvent.Result result = new AuditEvent.Result(
                AuditEvent.Decision.BLOCKED, "CONNECT", "tcp", address, stream.port(), "", rule, 0, 0, 0, List.of(), 0);
        thread.later(() -> supervisor.audit(stream.spawnId(), agent, new AuditEvent.Connect(result)), 0);
    }

    /**
     * A person allows a host for a worker.
     *
     * @param decision {@code ONCE} is good for one request; otherwise it is allowed for the worker's life
     * @throws IllegalArgumentException if it is not a host
     * @throws BrigException {@code INVALID_FIELD} if no person can allow it
     */
    public void allow(String spawnId, String host, EgressDecision decision, Person person) {
        HostPattern wanted = HostPattern.parse(host);
        boolean once = decision == EgressDecision.ONCE;
        onSession(spawnId, id -> new EgressCommand.Allow(id, host, once), session -> {
            requireOpenable(session, wanted);
            if (!once) {
                session.allowed.add(host);
            } else if (supervisor.running() == null) {
                session.allowedOnce.add(host);
            }
            session.listener.handleDecided(wanted, decision, person);
        });
        if (wanted.port() > 0) {
            thread.run(() -> registrations.forEachOf(
                    spawnId, registration -> registrations.listenTo(registration, Set.of(wanted.port()))));
        }
    }

    private static void requireOpenable(EgressSession session, HostPattern wanted) {
        if (!session.hasWayOut) {
            throw BrigException.invalid(
                    "host",
                    "cannot be opened: the wall of this worker was built without a way out;"
                            + " start it with a policy whose \"egress\" allows a host, or asks (askMs)");
        }
        String denied = new HostPolicy(session.policyNow()).closedBy(wanted);
        if (denied != null) {
            throw BrigException.invalid(
                    "host", "cannot be opened: deniedHosts of the policy has " + denied + ", and no answer opens that");
        }
    }

    /** A worker's current access. @throws BrigException {@code NOT_FOUND} if there is no such worker */
    public EgressOverview show(String spawnId) {
        return thread.call(() -> {
            EgressSession session = session(spawnId);
            return new EgressOverview(
                    session.hasWayOut,
                    session.policyNow(),
                    List.copyOf(session.allowed),
                    session.revoked.stream().sorted().toList());
        });
    }

    /** A person refuses a host for now: waiting requests are refused. */
    public void deny(String spawnId, String host, Person person) {
        HostPattern refused = HostPattern.parse(host);
        onSession(
                spawnId,
                id -> new EgressCommand.Deny(id, host, "a person refused it"),
                session -> session.listener.handleDecided(refused, EgressDecision.DENY, person));
    }

    @Override
    public void refuse(String spawnId, HostPort host, String rule) {
        thread.later(() -> tell(spawnId, id -> new EgressCommand.Deny(id, host.toString(), rule)), 0);
    }

    @Override
    public void tryLogins(String spawnId) {
        thread.later(
                () -> {
                    EgressSession session = sessions.get(spawnId);
                    if (session != null) {
                        session.forgetRefusals();
                        session.logins().forEach(logins::forgive);
                        registrations.forEachOf(spawnId, registrations::answer);
                    }
                },
                0);
    }

    @Override
    public void limit(String spawnId, Limit limit) {
        thread.later(() -> supervisor.send(new EgressCommand.Limit(spawnId, limit)), 0);
    }

    /** Revokes a worker's secret permanently. */
    public void revoke(String spawnId, String secret) {
        onSession(spawnId, id -> new EgressCommand.Revoke(id, secret), session -> session.revoked.add(secret));
    }

    /**
     * Reads audit lines after a position, as {@link AuditFiles#read}; works without a running brig-egress.
     *
     * @throws BrigException {@code RECORD_LOST}
     */
    public AuditFiles.Part audit(String position, int bytesMax) {
        try {
            return audit.read(position, bytesMax);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "the audit cannot be read: " + Reason.withFile(e));
        }
    }

    private void onSession(String spawnId, Function<String, EgressCommand> command, Consumer<EgressSession> change) {
        thread.run(() -> {
            change.accept(session(spawnId));
            tell(spawnId, command);
        });
    }

    private void tell(String spawnId, Function<String, EgressCommand> command) {
        registrations.forEachOf(spawnId, registration -> supervisor.send(command.apply(registration.id)));
    }

    private EgressSession session(String spawnId) {
        EgressSession session = sessions.get(spawnId);
        if (session == null) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no worker " + spawnId);
        }
        return session;
    }

    /** The measured confinement of brig-egress; if none runs, one is started for the measurement. Blocks. */
    public List<Posture.Property> confinement() {
        return thread.call(supervisor::confinement);
    }

    /** The process id; empty if none runs. */
    Optional<Long> pid() {
        return thread.call(supervisor::pid);
    }

    /** Ends the process. */
    @Override
    public void close() {
        try {
            thread.run(supervisor::close);
        } catch (BrigException e) {
            LOG.warn("{}", e.getMessage());
        }
        thread.close();
    }
}
