package brig.workeragent.egress;

import brig.egress.audit.AuditLog;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.tls.CertificateAuthority;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Posture;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.workeragent.budget.LedgerFolder;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts brig-egress at its first use, and restarts it when it died. Owned by the thread of {@link EgressThread}, the
 * only caller.
 *
 * <p>Decision 0049.
 */
final class EgressSupervisor {
    /** The user of brig-egress. */
    interface User {
        /** Whether it should be restarted when it died. */
        boolean isInUse();

        /** A new process runs, without any workers yet. */
        void handleStarted(EgressLink fresh);

        /** Receives an event of a worker, on the reading thread; must not block. */
        void handleEvent(EgressReport.Event event);

        /** Receives a report that a request waits for a login, on the reading thread; must not block. */
        void handleLoginRefused(EgressReport.LoginRefused report);

        /** Receives a line of the audit, on the reading thread; must not block. */
        void handleAudit(AuditLine line);
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressSupervisor.class);
    static final long READY_MS = 30_000;
    private static final long AGAIN_MS_MIN = 20;
    private static final long AGAIN_MS_MAX = 5_000;
    /** A run of this length counts as a good start. */
    private static final long HEALTHY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final EgressProcess.Services setup;
    private final Clock clock;
    private final EgressThread thread;
    private final User user;
    private final LedgerFolder ledgers;
    private @Nullable EgressState kept;
    private @Nullable EgressLink current;
    private long againMs = AGAIN_MS_MIN;
    private boolean closed;

    EgressSupervisor(EgressProcess.Services setup, Clock clock, EgressThread thread, User user) {
        this.setup = setup;
        this.clock = clock;
        this.thread = thread;
        this.user = user;
        this.ledgers = new LedgerFolder(setup.budgetFolder());
    }

    CertificateAuthority authority() throws IOException {
        return kept().authority();
    }

    /** Writes a line into the audit. */
    void audit(String spawnId, String agent, AuditEvent event) {
        try {
            kept().audit().append(AuditLine.of(clock.millis(), spawnId, agent, event));
        } catch (IOException e) {
            LOG.error("the audit lacks a line spawn_id={}: {}", spawnId, e.toString());
        }
    }

    /** The process, started if there is none. Blocks until it is ready. */
    EgressLink ready() throws IOException, InterruptedException {
        EgressLink running = running();
        if (running != null) {
            return running;
        }
        if (closed) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
        EgressLink fresh = start();
        fresh.tellSpent(ledgers.spent());
        beginLedger(fresh);
        current = fresh;
        LOG.info("brig-egress runs as process {}", fresh.pid());
        user.handleStarted(fresh);
        return fresh;
    }

    /** Without a ledger brig-egress lets no request out that is charged to a budget. */
    private void beginLedger(EgressLink link) {
        try {
            link.begin(ledgers.next());
        } catch (IOException e) {
            LOG.error("no ledger begins: {}", e.toString());
        }
    }

    private void beginNextLedger() {
        EgressLink running = running();
        if (running != null) {
            beginLedger(running);
        }
    }

    private void forgetLedgers(long before) {
        try {
            ledgers.forgetBefore(before);
        } catch (IOException e) {
            LOG.warn("old ledgers stay: {}", e.toString());
        }
    }

    private EgressLink start() throws IOException, InterruptedException {
        EgressState state = kept();
        return EgressLink.start(setup, state.authority(), new Reports(state.audit()), READY_MS);
    }

    private EgressState kept() throws IOException {
        EgressState known = kept;
        if (known == null) {
            known = EgressState.open(setup, clock);
            kept = known;
        }
        return known;
    }

    /** The process; null if none runs. */
    @Nullable
    EgressLink running() {
        return current != null && current.isAlive() ? current : null;
    }

    /** Sends a command if it runs; a later process gets the whole state at its start. */
    void send(EgressCommand command) {
        EgressLink running = running();
        if (running != null) {
            running.send(command, List.of());
        }
    }

    /** {@link EgressLink#unregister}, also for a process that just died; completed if there is none. */
    CompletableFuture<Void> unregister(String worker) {
        return current == null ? CompletableFuture.completedFuture(null) : current.unregister(worker);
    }

    /** Receives the reports of one run, on the reading thread. */
    private final class Reports implements EgressLink.Listener {
        private final AuditLog audit;

        Reports(AuditLog audit) {
            this.audit = audit;
        }

        @Override
        public void handleEvent(EgressReport.Event event) {
            user.handleEvent(event);
        }

        @Override
        public void handleLoginRefused(EgressReport.LoginRefused report) {
            user.handleLoginRefused(report);
        }

        @Override
        public void handleAudit(AuditLine line) {
            user.handleAudit(line);
            audit.append(line);
        }

        @Override
        public void handleAuditLost(long count) {
            audit.lose(count);
        }

        @Override
        public void handleLedgerBegun(long number) {
            thread.later(() -> forgetLedgers(number), 0);
        }

        @Override
        public void handleLedgerFull() {
            thread.later(EgressSupervisor.this::beginNextLedger, 0);
        }

        @Override
        public void handleGone(EgressLink gone) {
            thread.later(() -> EgressSupervisor.this.handleGone(gone), 0);
        }
    }

    private void handleGone(EgressLink gone) {
        if (gone != current || closed) {
            return;
        }
        current = null;
        againMs = gone.ageNanos() > HEALTHY_NANOS ? AGAIN_MS_MIN : againMs;
        LOG.error("brig-egress ended with status {}; starting it again in {} ms", gone.status(), againMs);
        startAgain();
    }

    private void startAgain() {
        thread.later(
                () -> {
                    if (current != null || !user.isInUse() || closed) {
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

    /** Its measured confinement; if none runs, one is started for the measurement. Blocks. */
    List<Posture.Property> confinement() throws IOException, InterruptedException {
        EgressLink running = running();
        if (running != null) {
            return running.confinement();
        }
        EgressLink trial = start();
        trial.close();
        return trial.confinement();
    }

    /** The process id; empty if none runs. */
    Optional<Long> pid() throws IOException {
        EgressLink running = running();
        return running == null ? Optional.empty() : Optional.of(running.pid());
    }

    /** Ends the process permanently. */
    void close() {
        closed = true;
        if (current != null) {
            current.close();
        }
        if (kept != null) {
            kept.audit().close();
        }
    }
}
