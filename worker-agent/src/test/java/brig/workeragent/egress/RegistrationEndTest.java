package brig.workeragent.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.worker.EgressSessions;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a worker's process; the test plays brig-egress. */
@Timeout(60)
class RegistrationEndTest {
    private static final long NEVER_MS = 3_600_000;
    private static final EgressEvent BLOCKED = new EgressEvent.Blocked(
            new EgressEvent.Request("GET", "http", "evil.example", 80, "/", "no", List.of(), 403));

    private final EgressThread thread = new EgressThread(10_000);
    private final PipedOutputStream proxy = new PipedOutputStream();
    private final List<EgressEvent> events = new ArrayList<>();
    private final ReportReader reports = new ReportReader(new EgressLink.Listener() {
        @Override
        public void handleLoginRefused(EgressReport.LoginRefused report) {}

        private final EgressSession session =
                new EgressSession(true, EgressSessions.Source.of(() -> EgressPolicy.NONE), new EventList(events));
        private final EventRouter router = new EventRouter(Map.of("spn_1", session)::get);

        @Override
        public void handleEvent(EgressReport.Event event) {
            router.handle(event);
        }

        @Override
        public void handleAudit(AuditLine line) {}

        @Override
        public void handleAuditLost(long count) {}

        @Override
        public void handleLedgerBegun(long number) {}

        @Override
        public void handleLedgerFull() {}

        @Override
        public void handleGone(EgressLink gone) {}
    });
    private Thread reader;

    @BeforeEach
    void open() throws IOException {
        PipedInputStream pipe = new PipedInputStream(proxy, 1 << 16);
        reader = Thread.ofVirtual().start(() -> reports.read(pipe));
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
        reader.join();
        thread.close();
    }

    private void say(EgressReport report) throws IOException {
        proxy.write(Json.writeLine((Record) report));
        proxy.flush();
    }

    private EgressGate.End end(String worker, long toldMs) {
        return SocketRegistrations.end(thread, () -> reports.whenUnregistered(worker), toldMs);
    }

    /** The session's events before the end of the process was reported. */
    private List<EgressEvent> eventsAt(EgressGate.End end) throws Exception {
        return end.told().thenApply(told -> List.copyOf(events)).get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitForEventsThatComeLate() throws Exception {
        EgressGate.End end = end("spn_1#1", NEVER_MS);
        end.released().get(20, TimeUnit.SECONDS);
        say(new EgressReport.Event("spn_1#1", BLOCKED));
        say(new EgressReport.Event("spn_1#1", BLOCKED));
        assertFalse(end.told().isDone());
        say(new EgressReport.Unregistered("spn_1#1"));
        assertEquals(List.of(BLOCKED, BLOCKED), eventsAt(end));
    }

    /** Scenario: an agent with a process per message; the first ended, and the next runs. */
    @Test
    void shouldWaitForTheProcessThatEndsAndForNoOther() throws Exception {
        EgressGate.End first = end("spn_1#1", NEVER_MS);
        EgressGate.End second = end("spn_1#2", NEVER_MS);
        second.released().get(20, TimeUnit.SECONDS);
        say(new EgressReport.Event("spn_1#2", BLOCKED));
        say(new EgressReport.Unregistered("spn_1#2"));
        assertEquals(List.of(BLOCKED), eventsAt(second));
        assertFalse(first.told().isDone());
        say(new EgressReport.Unregistered("spn_1#1"));
        eventsAt(first);
    }

    @Test
    void shouldNotWaitWhenTheProxyDies() throws Exception {
        EgressGate.End end = end("spn_1#1", NEVER_MS);
        end.released().get(20, TimeUnit.SECONDS);
        say(new EgressReport.Event("spn_1#1", BLOCKED));
        proxy.close();
        assertEquals(List.of(BLOCKED), eventsAt(end), "what it said before it died");
        reader.join();
        eventsAt(end("spn_1#2", NEVER_MS));
    }

    @Test
    void shouldWaitNoLongerThanItMayWhenTheProxyNeverAnswers() throws Exception {
        CompletableFuture<Void> waiting = reports.whenUnregistered("spn_1#1");
        EgressGate.End end = end("spn_1#1", 1);
        assertEquals(List.of(), eventsAt(end));
        end.released().get(20, TimeUnit.SECONDS);
        CompletableFuture<Void> after = new CompletableFuture<>();
        thread.later(() -> after.complete(null), 0);
        after.get(20, TimeUnit.SECONDS);
        assertNotSame(waiting, reports.whenUnregistered("spn_1#1"), "who waits no longer is forgotten");
    }

    /** Scenario: the thread is busy starting brig-egress for another worker. */
    @Test
    void shouldHoldNobodyUpWhenTheThreadIsBusy() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Void> freed = new CompletableFuture<>();
        thread.later(
                () -> {
                    started.countDown();
                    freed.join();
                },
                0);
        started.await();
        EgressGate.End end = end("spn_1#1", 1);
        eventsAt(end);
        assertFalse(end.released().isDone(), "a descriptor of it may be on its way");
        freed.complete(null);
        end.released().get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldBeOverAtOnceWhenTheWorkerAgentStops() {
        thread.close();
        EgressGate.End end = end("spn_1#1", NEVER_MS);
        assertTrue(end.released().isDone());
        assertTrue(end.told().isDone());
    }
}
