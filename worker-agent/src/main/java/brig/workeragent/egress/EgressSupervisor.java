package brig.workeragent.egress;

import brig.egress.audit.AuditLog;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.tls.CertificateAuthority;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Posture;
import brig.protocol.egress.AuditLine;
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
 * Starts brig-egress when it is needed first, and again when it died. State owned by the thread of {@link EgressThread}, which
 * alone may call.
 *
 * <p>Decision 0049.
 */
final class EgressSupervisor {
    /** Who uses it. */
    interface User {
        /** Whether it is to be started again when it died. */
        boolean isInUse();

        /** A fresh one runs, which knows nobody yet. */
        void handleStarted(EgressLink fresh);

        /** It died, and what waited for an answer with it. */
        void handleGone();

        /** Something about a worker. Called on the thread that reads it; must not wait. */
        void handleEvent(EgressReport.Event event);
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressSupervisor.class);
    static final long READY_MS = 30_000;
    private static final long AGAIN_MS_MIN = 20;
    private static final long AGAIN_MS_MAX = 5_000;
    /** One that lived so long has started well. */
    private static final long HEALTHY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final EgressProcess.Services setup;
    private final Clock clock;
    private final EgressThread thread;
    private final User user;
    private @Nullable EgressState kept;
    private @Nullable EgressLink current;
    private long againMs = AGAIN_MS_MIN;
    private boolean closed;

    EgressSupervisor(EgressProcess.Services setup, Clock clock, EgressThread thread, User user) {
        this.setup = setup;
        this.clock = clock;
        this.thread = thread;
        this.user = user;
    }

    CertificateAuthority authority() throws IOException {
        return kept().authority();
    }

    /** The process, started if there is none. Blocks until it can be used. */
    EgressLink ready() throws IOException, InterruptedException {
        EgressLink running = running();
        if (running != null) {
            return running;
        }
        if (closed) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
        EgressLink fresh = start();
        current = fresh;
        LOG.info("brig-egress runs as process {}", fresh.pid());
        user.handleStarted(fresh);
        return fresh;
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

    /** The process; null while there is none. */
    @Nullable
    EgressLink running() {
        return current != null && current.isAlive() ? current : null;
    }

    /** Tells it something where it runs; one that is started later is told everything then. */
    void send(EgressCommand command) {
        EgressLink running = running();
        if (running != null) {
            running.send(command, List.of());
        }
    }

    /** {@link EgressLink#unregister}, also of one that just died; complete where there is none. */
    CompletableFuture<Void> unregister(String worker) {
        return current == null ? CompletableFuture.completedFuture(null) : current.unregister(worker);
    }

    /** What one run says, on the thread that reads it. */
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
        public void handleAudit(AuditLine line) {
            audit.append(line);
        }

        @Override
        public void handleAuditLost(long count) {
            audit.lose(count);
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
        user.handleGone();
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

    /** What it finds of its own confinement; where none runs, one that is started to be measured. Blocks. */
    List<Posture.Property> confinement() throws IOException, InterruptedException {
        EgressLink running = running();
        if (running != null) {
            return running.confinement();
        }
        EgressLink trial = start();
        trial.close();
        return trial.confinement();
    }

    /** Of the process that runs now; empty while there is none. */
    Optional<Long> pid() throws IOException {
        EgressLink running = running();
        return running == null ? Optional.empty() : Optional.of(running.pid());
    }

    /** Ends the process for good. */
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
