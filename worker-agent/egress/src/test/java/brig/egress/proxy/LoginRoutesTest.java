package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.link.WallSocket.Role;
import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that wait for a login, with the test in the worker-agent's place. */
@Timeout(60)
class LoginRoutesTest {
    private static final String FILE = "/secrets/login-claude.json";
    private static final String OLD = "sk-ant-oat01-planted-old";
    private static final String NEW = "sk-ant-oat01-planted-new";
    private static final String BODY = "{\"model\":\"claude\"}";
    private static final String POST = "POST /claude/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nContent-Length: "
            + BODY.length() + "\r\n\r\n" + BODY;
    private static final String GET = "GET /claude/v1/models HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n\r\n";

    @TempDir
    Path folder;

    private EgressFixture egress;
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("vendor.example");
    }

    @AfterEach
    void close() throws IOException {
        clients.shutdownNow();
        egress.close();
    }

    private Worker worker(TestServer vendor) throws IOException {
        return egress.worker(policy(vendor), Role.MODEL);
    }

    private static EgressPolicy policy(TestServer vendor) {
        return EgressFixture.policy("""
                {'allowedHosts': ['127.0.0.1:PORT'],
                 'secrets': {'LOGIN': {'login': '/secrets/login-claude.json', 'allowPlaintext': true}},
                 'modelRoutes': {'claude': {'baseUrl': 'http://vendor.example:PORT/', 'secret': 'LOGIN'}}}""", vendor.port());
    }

    /** Accepts one token, and repeats what it got. */
    private static TestServer.Handler accepting(String token) {
        return (request, out) -> {
            boolean good = ("Bearer " + token).equals(request.header("authorization"));
            String said = request.header("authorization") + " " + request.body();
            TestServer.write(
                    out,
                    "HTTP/1.1 " + (good ? "200 OK" : "401 Unauthorized") + "\r\nContent-Length: " + said.length()
                            + "\r\n\r\n" + said);
        };
    }

    private Future<Answer> send(Worker worker, String request) {
        return clients.submit(() -> {
            try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
                return client.send(request).answer();
            }
        });
    }

    private EgressReport.LoginRefused refusal() throws InterruptedException {
        EgressReport.LoginRefused refusal = egress.refusals.poll(30, TimeUnit.SECONDS);
        assertNotNull(refusal);
        assertEquals("LOGIN", refusal.secret());
        return refusal;
    }

    @Test
    void shouldSendARequestAgainWhenItsLoginWasRefusedAndThereIsAnotherToken() throws Exception {
        egress.tokens.put(FILE, OLD);
        try (TestServer vendor = egress.plain(accepting(NEW))) {
            Worker worker = worker(vendor);
            for (String request : List.of(POST, GET)) {
                egress.tokens.put(FILE, OLD);
                egress.tick();
                Future<Answer> waits = send(worker, request);
                assertTrue(refusal().byVendor());
                assertFalse(waits.isDone());
                egress.tokens.put(FILE, NEW);
                egress.settle();
                Answer answer = waits.get(30, TimeUnit.SECONDS);
                assertEquals(200, answer.status());
                String placeholder = worker.placeholders().get("LOGIN");
                assertEquals("Bearer " + placeholder + " " + (request.equals(POST) ? BODY : ""), answer.body());
            }
        }
    }

    @Test
    void shouldHoldARequestUntilItsLoginHasAToken() throws Exception {
        try (TestServer vendor = egress.plain(accepting(NEW))) {
            Worker worker = worker(vendor);
            Future<Answer> first = send(worker, POST);
            assertFalse(refusal().byVendor());
            egress.tick();
            Future<Answer> second = send(worker, POST);
            egress.tokens.put(FILE, NEW);
            egress.settle();
            Answer held = first.get(30, TimeUnit.SECONDS);
            assertEquals(200, held.status(), held::body);
            assertEquals(200, second.get(30, TimeUnit.SECONDS).status());
            assertTrue(
                    vendor.requests().stream().allMatch(one -> ("Bearer " + NEW).equals(one.header("authorization"))));
        }
    }

    @Test
    void shouldRefuseWhatWaitedWhenThereIsNoTokenAfterwards() throws Exception {
        try (TestServer vendor = egress.plain(accepting(NEW))) {
            Worker worker = worker(vendor);
            Future<Answer> missing = send(worker, POST);
            refusal();
            egress.settle();
            Answer answer = missing.get(30, TimeUnit.SECONDS);
            assertEquals(403, answer.status());
            assertTrue(answer.body().contains("has no value now"), answer.body());

            egress.tokens.put(FILE, OLD);
            egress.tick();
            Future<Answer> refused = send(worker, POST);
            assertTrue(refusal().byVendor());
            egress.tokens.remove(FILE);
            egress.settle();
            answer = refused.get(30, TimeUnit.SECONDS);
            assertEquals(401, answer.status());
            assertFalse(answer.body().contains("planted"), answer.body());
        }
    }

    @Test
    void shouldGiveTheAnswerOfTheVendorAfterSomeTries() throws Exception {
        egress.tokens.put(FILE, OLD);
        try (TestServer vendor = egress.plain(accepting(NEW))) {
            Worker worker = worker(vendor);
            Future<Answer> answer = send(worker, POST);
            for (int i = 0; i < 3; i++) {
                assertTrue(refusal().byVendor());
                egress.settle();
            }
            assertEquals(401, answer.get(30, TimeUnit.SECONDS).status());
            assertEquals(4, vendor.requests().size());
        }
    }

    /** Scenario: the person signs in for another proxy, while a request to the first one waits. */
    @Test
    void shouldNotTakeANewTokenToTheOldPlace() throws Exception {
        egress.tokens.put(FILE, OLD);
        try (TestServer before = egress.plain(accepting(NEW));
                TestServer after = egress.plain(accepting(NEW))) {
            Worker worker = worker(before);
            Future<Answer> refused = send(worker, POST);
            refusal();
            egress.tokens.put(FILE, NEW);
            egress.server.changePolicy(worker.id(), policy(after));
            egress.settle();
            assertEquals(401, refused.get(30, TimeUnit.SECONDS).status());
            assertEquals(1, before.requests().size());
            assertEquals(200, send(worker, POST).get(30, TimeUnit.SECONDS).status());
            assertEquals(1, after.requests().size());
        }
    }

    @Test
    void shouldGiveTheAnswerOfTheVendorAtOnceWhenNobodyIsAsked() throws Exception {
        egress.asksForLogins = false;
        egress.tokens.put(FILE, OLD);
        try (TestServer vendor = egress.plain(accepting(NEW))) {
            Answer answer = send(worker(vendor), POST).get(30, TimeUnit.SECONDS);
            assertEquals(401, answer.status(), answer::body);
            assertEquals(1, vendor.requests().size());
            assertTrue(egress.refusals.isEmpty());
        }
    }
}
