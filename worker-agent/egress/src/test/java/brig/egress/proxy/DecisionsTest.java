package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.EgressPolicy;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.EgressEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decisions of people and changes of policies while a worker runs. */
class DecisionsTest {
    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("a.example", "b.example", "evil.example");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private static EgressPolicy policy(TestServer server, int askMs) {
        return EgressFixture.policy(
                "{'allowedHosts': ['127.0.0.1:PORT'], 'deniedHosts': ['evil.example'], 'askMs': " + askMs + "}",
                server.port());
    }

    private static String get(String host, TestServer server) {
        return "GET http://" + host + ":" + server.port() + "/ HTTP/1.1\r\nHost: " + host + ":" + server.port()
                + "\r\n\r\n";
    }

    @Test
    void shouldTellOnceWhatAgentsAskForByHabitAndAuditEachTime() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(EgressFixture.policy("{'quietHosts': ['a.example']}", server.port()));
            try (TestClient client = egress.client(worker)) {
                assertEquals(403, client.send(get("a.example", server)).answer().status());
                assertEquals(
                        "a.example",
                        egress.event(EgressEvent.Quiet.class).request().host());
            }
            try (TestClient client = egress.client(worker)) {
                assertEquals(403, client.send(get("a.example", server)).answer().status());
            }
            try (TestClient client = egress.client(worker)) {
                assertEquals(403, client.send(get("b.example", server)).answer().status());
                assertEquals(
                        "b.example",
                        egress.event(EgressEvent.Blocked.class).request().host());
            }
            assertTrue(
                    egress.events.stream()
                            .noneMatch(event -> event instanceof EgressEvent.Decided decided
                                    && decided.request().host().equals("a.example")),
                    egress.events::toString);
        }
    }

    @Test
    void shouldAskNobodyForWhatAgentsAskForByHabit() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(
                    EgressFixture.policy("{'quietHosts': ['a.example'], 'askMs': 600000}", server.port()));
            try (TestClient client = egress.client(worker)) {
                assertEquals(403, client.send(get("a.example", server)).answer().status());
            }
            assertTrue(
                    egress.events.stream().noneMatch(event -> event instanceof EgressEvent.Ask),
                    egress.events::toString);
        }
    }

    @Test
    void shouldWaitForAPersonAndGoOnWhenAllowed() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 60_000));
            try (TestClient one = egress.client(worker);
                    TestClient two = egress.client(worker)) {
                one.send(get("a.example", server));
                EgressEvent.Ask ask = egress.event(EgressEvent.Ask.class);
                assertEquals("a.example", ask.host());
                assertEquals(60_000, ask.deadlineMs());
                two.send(get("a.example", server));
                egress.server.allow(worker.id(), "a.example:" + server.port(), false);
                assertEquals(200, one.answer().status());
                assertEquals(200, two.answer().status());
                assertTrue(
                        egress.events.stream().noneMatch(event -> event instanceof EgressEvent.Ask),
                        "one ask for both");
                assertEquals(200, one.send(get("a.example", server)).answer().status());
            }
        }
    }

    @Test
    void shouldAllowOneRequestWhenAllowedOnce() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 60_000));
            try (TestClient client = egress.client(worker)) {
                client.send(get("a.example", server));
                egress.event(EgressEvent.Ask.class);
                egress.server.allow(worker.id(), "a.example:" + server.port(), true);
                assertEquals(200, client.answer().status());
                client.send(get("a.example", server));
                egress.event(EgressEvent.Ask.class);
                egress.server.deny(worker.id(), "a.example", "a person refused it");
                Answer answer = client.answer();
                assertEquals(403, answer.status());
                assertTrue(answer.body().contains("a person refused it"), answer.body());
                assertEquals(1, server.requests().size());
            }
        }
    }

    @Test
    void shouldRefuseWhenNobodyAnswersInTime() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 100));
            try (TestClient client = egress.client(worker)) {
                Answer answer = client.send(get("a.example", server)).answer();
                assertEquals(403, answer.status());
                assertTrue(answer.body().contains("and nobody allowed it in time"), answer.body());
            }
        }
    }

    @Test
    void shouldNotAskWhenAHostIsDenied() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 60_000));
            egress.server.allow(worker.id(), "evil.example:" + server.port(), false);
            egress.server.allow(worker.id(), "evil.example:" + server.port(), true);
            try (TestClient client = egress.client(worker)) {
                assertEquals(
                        403, client.send(get("evil.example", server)).answer().status());
                assertTrue(server.requests().isEmpty());
            }
        }
    }

    @Test
    void shouldAskAboutConnectToo() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 60_000));
            String authority = "a.example:" + server.port();
            try (TestClient client = egress.client(worker)) {
                client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
                egress.event(EgressEvent.Ask.class);
                egress.server.allow(worker.id(), authority, true);
                assertEquals(200, client.answer().status());
                client.tls(egress.trust(), "a.example");
                assertEquals(
                        200,
                        client.send("GET / HTTP/1.1\r\nHost: " + authority + "\r\n\r\n")
                                .answer()
                                .status());
            }
        }
    }

    @Test
    void shouldForgetTheClientThatWentAwayWhileItWaited() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 60_000));
            try (TestClient client = egress.client(worker)) {
                client.send(get("a.example", server));
                egress.event(EgressEvent.Ask.class);
            }
            try (TestClient client = egress.client(worker)) {
                client.send(get("b.example", server));
                egress.event(EgressEvent.Ask.class);
                egress.server.allow(worker.id(), "a.example:" + server.port(), false);
                egress.server.allow(worker.id(), "b.example:" + server.port(), false);
                assertEquals(200, client.answer().status());
                assertEquals(1, server.requests().size());
            }
        }
    }

    @Test
    void shouldFollowAChangedPolicyAlsoInWhatIsOpen() throws Exception {
        try (TestServer server = egress.plain((request, out) -> {
            TestServer.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegin");
            request.in().read();
        })) {
            EgressPolicy open =
                    EgressFixture.policy("{'allowedHosts': ['127.0.0.1:PORT', 'a.example:PORT']}", server.port());
            Worker worker = egress.worker(open);
            try (TestClient running = egress.client(worker);
                    TestClient later = egress.client(worker)) {
                running.send(get("a.example", server));
                assertEquals('H', running.in().read());
                egress.server.changePolicy(worker.id(), EgressPolicy.NONE);
                running.in().readAllBytes();
                assertEquals(403, later.send(get("a.example", server)).answer().status());
                egress.server.changePolicy(worker.id(), open);
                int before = server.requests().size();
                // The proxy gets the command a moment later.
                while (server.requests().size() == before) {
                    later.send(get("a.example", server));
                    later.in().read();
                }
            }
        }
    }

    @Test
    void shouldEndATunnelWhenThePolicyTakesItsHostAway() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(EgressFixture.policy(
                    "{'allowedHosts': ['127.0.0.1:PORT', 'a.example:PORT'], 'tunnelHosts': ['a.example:PORT']}",
                    server.port()));
            try (TestClient client = egress.client(worker).connect("a.example:" + server.port())) {
                assertEquals(200, client.send("GET / HTTP/1.1\r\n\r\n").answer().status());
                egress.server.changePolicy(worker.id(), EgressPolicy.NONE);
                assertTrue(client.isEnded());
            }
        }
    }

    @Test
    void shouldEndEverythingWhenTheWorkerIsGone() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = egress.worker(policy(server, 0));
            try (TestClient client = egress.client(worker)) {
                assertEquals(403, client.send(get("a.example", server)).answer().status());
                egress.server.unregister(worker.id(), () -> {});
                assertTrue(client.isEnded());
            }
        }
    }

    /** Scenario: the worker's process ends while one request waits for its server and another for a person. */
    @Test
    void shouldTellWhatIsUnderWayBeforeTheEndOfTheWorker() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Void> over = new CompletableFuture<>();
        try (TestServer server = egress.plain((request, out) -> {
            asked.countDown();
            over.join();
        })) {
            Worker worker = egress.worker(EgressFixture.policy(
                    "{'allowedHosts': ['127.0.0.1:PORT', 'a.example:PORT'], 'askMs': 600000}", server.port()));
            try (TestClient allowed = egress.client(worker).send(get("a.example", server));
                    TestClient asking = egress.client(worker).send(get("b.example", server))) {
                asked.await();
                egress.event(EgressEvent.Ask.class);
                CompletableFuture<List<EgressEvent>> told = new CompletableFuture<>();
                egress.server.unregister(worker.id(), () -> told.complete(List.copyOf(egress.events)));
                List<EgressEvent> before = told.get(20, TimeUnit.SECONDS);
                assertTrue(before.stream().anyMatch(event -> event instanceof EgressEvent.Allowed), before.toString());
                assertTrue(
                        before.contains(new EgressEvent.Answered(
                                "b.example", server.port(), false, "the process that asked ended")),
                        before.toString());
                assertTrue(allowed.isEnded());
                assertTrue(asking.isEnded());
            } finally {
                over.complete(null);
            }
        }
    }

    @Test
    void shouldSayAtOnceThatAWorkerIsGoneThatItDoesNotKnow() {
        AtomicBoolean told = new AtomicBoolean();
        egress.server.unregister("w9", () -> told.set(true));
        assertTrue(told.get());
    }

    @Test
    void shouldKeepWorkersApart() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker one = egress.worker(
                    "w1",
                    EgressFixture.policy("{'allowedHosts': ['127.0.0.1:PORT', 'a.example:PORT']}", server.port()));
            Worker two = egress.worker(
                    "w2",
                    EgressFixture.policy("{'allowedHosts': ['127.0.0.1:PORT', 'b.example:PORT']}", server.port()));
            try (TestClient first = egress.client(one);
                    TestClient second = egress.client(two)) {
                assertEquals(200, first.send(get("a.example", server)).answer().status());
                assertEquals(403, first.send(get("b.example", server)).answer().status());
                assertEquals(403, second.send(get("a.example", server)).answer().status());
                assertEquals(200, second.send(get("b.example", server)).answer().status());
            }
        }
    }
}
