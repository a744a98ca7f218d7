package brig.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions whose gateway is in memory. */
@Timeout(60)
class SessionTest {
    private static final String WELCOME = "{\"type\":\"authenticated\",\"epoch\":\"e\",\"from\":1}";
    private static final String END = "{\"type\":\"state\",\"seq\":9,\"state\":\"terminated\"}";

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final FakeWire wire = new FakeWire();
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    /** A connection whose other end is the test. It counts how often it is read from. */
    private static final class FakeWire implements Wire {
        private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> written = new LinkedBlockingQueue<>();
        private final Semaphore reads = new Semaphore(0);

        void say(String line) {
            pieces.add((line + "\n").getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public byte[] read() {
            reads.release();
            try {
                return pieces.take();
            } catch (InterruptedException e) {
                return new byte[0];
            }
        }

        @Override
        public void write(String lines) {
            written.add(lines);
        }

        @Override
        public void close() {
            pieces.add(new byte[0]);
        }
    }

    private Session open(long bufferBytes) {
        Gateway gateway = new Gateway() {
            @Override
            public Frame ask(String action, Map<String, ?> fields, Duration limit) {
                requests.add(action + " " + fields.get("id"));
                return new Frame(Map.of());
            }

            @Override
            public Wire attach(Hello hello, Duration limit) {
                return wire;
            }
        };
        wire.say(WELCOME);
        return new Session(
                        new Frame(Map.of("spawn_id", "spn_1", "task_id", "t")),
                        null,
                        Position.BEGINNING,
                        gateway,
                        new Session.Options(null, bufferBytes, Timeouts.DEFAULT),
                        executor)
                .open();
    }

    private static String chunk(int seq) {
        return "{\"type\":\"chunk\",\"seq\":" + seq + ",\"stream\":\"text\",\"content\":\"" + "x".repeat(100) + "\"}";
    }

    @Test
    void shouldReadNoMoreWhileNobodyTakesAndHearAnswersAllTheSame() throws InterruptedException {
        Session session = open(200);
        for (int seq = 1; seq <= 8; seq++) {
            wire.say(chunk(seq));
        }
        // The welcome and two chunks; the third exceeds the buffer.
        wire.reads.acquire(3);
        CompletableFuture<Void> sent = session.sendAsync("hello").toCompletableFuture();
        assertTrue(wire.written.take().endsWith("\n{\"action\":\"ping\"}\n"));
        wire.say("{\"type\":\"pong\"}");
        sent.join();
        wire.say(END);
        assertEquals(9, count(session));
        assertEquals(new Position("e", 10), session.position());
        assertEquals(
                "SESSION_ENDED",
                assertThrows(BrigException.class, () -> session.send("x")).code());
    }

    @Test
    void shouldStopReadingAtTheBuffer() throws InterruptedException {
        Session session = open(0);
        wire.say(chunk(1));
        wire.say(chunk(2));
        wire.say(chunk(3));
        wire.reads.acquire(2);
        session.next();
        wire.reads.acquire();
        // Two chunks were taken from the wire: the first when nothing waited, the second when the first was taken.
        assertEquals(2, session.next().seq());
        wire.reads.acquire();
        assertEquals(0, wire.reads.availablePermits());
        session.leave();
    }

    private static int count(Session session) {
        int count = 0;
        for (Frame frame : session) {
            count += frame.has("seq") ? 1 : 0;
        }
        return count;
    }

    @Test
    void shouldPublishWhatIsAskedForAndKeepTheRest() {
        Session session = open(1_000_000);
        for (int seq = 1; seq <= 8; seq++) {
            wire.say(chunk(seq));
        }
        wire.say(END);
        Taking first = new Taking(3);
        session.publisher().subscribe(first);
        assertEquals(List.of(1L, 2L, 3L), first.enough.join());
        first.subscription.cancel();
        Taking rest = new Taking(Long.MAX_VALUE);
        session.publisher().subscribe(rest);
        assertEquals(List.of(4L, 5L, 6L, 7L, 8L, 9L), rest.enough.join());
    }

    @Test
    void shouldLoseNoFrameToASubscriberThatCancelsWhileItWaits() {
        Session session = open(1_000_000);
        Taking waiting = new Taking(2);
        session.publisher().subscribe(waiting);
        waiting.subscription.cancel();
        wire.say(chunk(1));
        assertEquals(1, session.next().seq());
        session.leave();
    }

    @Test
    void shouldTellTheSubscriberOfAFailure() {
        Session session = open(1_000_000);
        Taking taking = new Taking(Long.MAX_VALUE);
        session.publisher().subscribe(taking);
        wire.say("nonsense");
        BrigException failure = (BrigException)
                assertThrows(Exception.class, taking.enough::join).getCause();
        assertEquals("PROTOCOL_VIOLATION", failure.code());
    }

    @Test
    void shouldEndTheWorkerOverTheGatewayWhereItsConnectionIsOver() throws InterruptedException {
        Session session = open(1_000_000);
        wire.say("nonsense");
        assertThrows(BrigException.class, session::next);
        session.close();
        assertEquals("terminate spn_1", requests.take());
    }

    /** Collects the numbers of so many frames, or of all. */
    private static final class Taking implements Flow.Subscriber<Frame> {
        private final long wanted;
        private final List<Long> numbers = new ArrayList<>();
        private final CompletableFuture<List<Long>> enough = new CompletableFuture<>();
        private Flow.Subscription subscription;

        Taking(long wanted) {
            this.wanted = wanted;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(wanted);
        }

        @Override
        public void onNext(Frame frame) {
            numbers.add(frame.seq());
            if (numbers.size() == wanted) {
                enough.complete(numbers);
            }
        }

        @Override
        public void onError(Throwable failure) {
            enough.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            enough.complete(numbers);
        }
    }
}
