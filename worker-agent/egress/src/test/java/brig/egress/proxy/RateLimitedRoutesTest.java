package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Amount;
import brig.egress.budget.LedgerFile;
import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.egress.link.WallSocket.Role;
import brig.egress.policy.EgressPolicy;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RateLimitedRoutesTest {
    /** 40 of the first 50, and some at the edges of seconds. Without the gate there are 62 to 65. */
    private static final int REFUSED_MAX = 56;

    private static final String BODY = "{\"model\":\"claude-opus-5.5\",\"max_tokens\":1000}";
    private static final String ASK = "POST /anthropic/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nContent-Length: "
            + BODY.length() + "\r\n\r\n" + BODY;
    private static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("model.example");
        egress.environment.put("KEY_A", "sk-aaaaaaaaaaaaaaaa");
        egress.environment.put("KEY_B", "sk-bbbbbbbbbbbbbbbb");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private static EgressPolicy policy(TestServer server, String key) {
        return EgressFixture.policy("""
                {'allowedHosts': ['127.0.0.1:PORT'],
                 'secrets': {'K': {'envVar': 'KEY', 'allowPlaintext': true}},
                 'modelRoutes': {'anthropic': {'baseUrl': 'http://model.example:PORT/', 'secret': 'K'}}}""".replace("KEY", key), server.port());
    }

    private Worker worker(String id, TestServer server, String key) throws IOException {
        return egress.worker(id, policy(server, key), Role.MODEL);
    }

    private static TestClient sending(Worker worker) throws IOException {
        TestClient client = new TestClient(worker.ports().get(Role.MODEL));
        client.socket().setSoTimeout(60_000);
        return client.send(ASK);
    }

    private static Answer send(Worker worker) throws IOException {
        try (TestClient client = sending(worker)) {
            return client.answer();
        }
    }

    private static String refusing(String headers) {
        return "HTTP/1.1 429 Too Many Requests\r\n" + headers + "Content-Length: 2\r\n\r\n{}";
    }

    /** Refuses the first request. */
    private TestServer refusingOnce(String headers) throws IOException {
        AtomicInteger calls = new AtomicInteger();
        return egress.plain(
                (request, out) -> TestServer.write(out, calls.incrementAndGet() == 1 ? refusing(headers) : GOOD));
    }

    @Test
    void shouldHoldTheRequestsOfAllWorkersAndTellThePeople() throws Exception {
        try (TestServer server = refusingOnce("Retry-After: 3\r\n")) {
            Worker one = worker("w1", server, "KEY_A");
            Worker other = worker("w2", server, "KEY_A");
            assertEquals(429, send(one).status());
            long beganNanos = System.nanoTime();
            assertEquals(200, send(other).status());
            assertTrue(System.nanoTime() - beganNanos > TimeUnit.MILLISECONDS.toNanos(1_500));
            assertEquals(2, server.requests().size());
            EgressEvent.ThrottledByProvider told = egress.event(EgressEvent.ThrottledByProvider.class);
            assertEquals("model.example:" + server.port(), told.host() + ":" + told.port());
            assertTrue(egress.event(EgressEvent.ProviderResumed.class).waitedMs() > 1_000);
        }
    }

    @Test
    void shouldHoldNoOtherRouteAndNoOtherCredential() throws Exception {
        try (TestServer server = refusingOnce("Retry-After: 300\r\n");
                TestServer another = egress.plain(TestServer.answering("{}"))) {
            assertEquals(429, send(worker("w1", server, "KEY_A")).status());
            assertEquals(200, send(worker("w2", server, "KEY_B")).status());
            assertEquals(200, send(worker("w3", another, "KEY_A")).status());
        }
    }

    @Test
    void shouldTurnAwayInTheFormOfTheProviderWhatWouldWaitTooLong() throws Exception {
        try (TestServer server = refusingOnce("Retry-After: 1000000000000\r\n")) {
            Worker worker = worker("w1", server, "KEY_A");
            assertEquals("1000000000000", send(worker).header("retry-after"));
            Answer away = send(worker);
            assertEquals(429, away.status());
            assertEquals("300", away.header("retry-after"));
            assertEquals(
                    "rate_limit_error",
                    JsonObject.read(away.body().getBytes(StandardCharsets.UTF_8))
                            .object("error")
                            .text("type"));
            assertEquals(1, server.requests().size());
        }
    }

    @Test
    void shouldForgetARequestWhoseAgentIsGone() throws Exception {
        try (TestServer server = refusingOnce("Retry-After: 2\r\n")) {
            Worker worker = worker("w1", server, "KEY_A");
            assertEquals(429, send(worker).status());
            TestClient gone = sending(worker);
            egress.event(EgressEvent.ThrottledByProvider.class);
            gone.close();
            assertEquals(200, send(worker).status());
            assertEquals(2, server.requests().size());
        }
    }

    @Test
    void shouldReserveNothingForWhatWaits() throws Exception {
        egress.purses.begin(new LedgerFile() {
            @Override
            public void write(byte[] bytes) {}

            @Override
            public void close() {}
        });
        egress.charged = List.of(PurseSpec.ofSession("spn_test", new Limit(1_000_000_000L, null, null)));
        try (TestServer server = refusingOnce("Retry-After: 2\r\n")) {
            Worker worker = worker("w1", server, "KEY_A");
            assertEquals(429, send(worker).status());
            try (TestClient waiting = sending(worker)) {
                egress.event(EgressEvent.ThrottledByProvider.class);
                assertEquals(Amount.NONE, egress.purses.view("spn_test").reserved());
                assertEquals(200, waiting.answer().status());
                assertTrue(egress.purses.view("spn_test").used().nanos() > 0);
            }
        }
    }

    /**
     * Scenario: the provider takes ten requests in each second; 50 workers ask at once, and
     * come again when the provider says so.
     */
    @Test
    void shouldNotStorm() throws Exception {
        int perSecond = 10;
        Map<Long, Integer> inSecond = new HashMap<>();
        AtomicInteger refused = new AtomicInteger();
        try (TestServer server = egress.plain((request, out) -> {
                    boolean takes;
                    synchronized (inSecond) {
                        long second = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
                        takes = inSecond.merge(second, 1, Integer::sum) <= perSecond;
                    }
                    refused.addAndGet(takes ? 0 : 1);
                    TestServer.write(out, takes ? GOOD : refusing("Retry-After: 1\r\n"));
                });
                ScheduledExecutorService agents = Executors.newScheduledThreadPool(100)) {
            List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                workers.add(worker("w" + i, server, "KEY_A"));
            }
            CountDownLatch answers = new CountDownLatch(50);
            workers.forEach(worker -> agents.execute(() -> ask(worker, 1, answers, agents)));
            assertTrue(answers.await(100, TimeUnit.SECONDS), answers.getCount() + " answers are missing");
            assertEquals(50 + refused.get(), server.requests().size());
            assertTrue(refused.get() <= REFUSED_MAX, refused + " were refused");
        }
    }

    private static void ask(Worker worker, int times, CountDownLatch answers, ScheduledExecutorService agents) {
        try {
            if (times == 0) {
                return;
            }
            if (send(worker).status() == 200) {
                answers.countDown();
                ask(worker, times - 1, answers, agents);
            } else {
                var unused = agents.schedule(() -> ask(worker, times, answers, agents), 1, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
