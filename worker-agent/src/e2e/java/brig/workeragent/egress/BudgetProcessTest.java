package brig.workeragent.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.egress.policy.EgressPolicy;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.worker.EgressSessions;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What budgets have used up when processes are killed. */
@Timeout(300)
@Order(3)
class BudgetProcessTest {
    private static final String SPAWN = "spn_000000000000000000000001";

    @TempDir
    Path folder;

    private final LinkedBlockingQueue<EgressEvent> events = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;
    private EgressProcess egress;
    private FakeNetwork network;
    private EgressPolicy policy;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.start();
        egress = new EgressProcess(EgressProcessTest.services(folder), Clock.systemUTC());
        network = new FakeNetwork();
    }

    @AfterEach
    void close() {
        egress.close();
        network.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private EgressEvent.Budget budgetEvent() throws InterruptedException {
        while (true) {
            EgressEvent event = events.poll(30, TimeUnit.SECONDS);
            if (event == null || event instanceof EgressEvent.Budget) {
                return assertInstanceOf(EgressEvent.Budget.class, event);
            }
        }
    }

    /** With a client that never repeats a request by itself. */
    private String askModel(String path) throws IOException, InterruptedException {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + network.modelPort() + "/m/" + path))
                            .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"x\",\"max_tokens\":1000}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        }
    }

    private void chargeTokens(long tokens) {
        policy = EgressPolicy.read(JsonObject.readCommented(
                ("{'allowedHosts': ['127.0.0.1:PORT'], 'modelRoutes': {'m': {'baseUrl': 'http://127.0.0.1:PORT/'}}}")
                        .replace('\'', '"')
                        .replace("PORT", String.valueOf(server.getAddress().getPort()))));
        EgressSessions.Source source = EgressSessions.Source.of(() -> policy)
                .charging(() -> List.of(PurseSpec.ofSession(SPAWN, new Limit(null, tokens, null))));
        var unused = egress.open(SPAWN, policy, source, new EventList(events));
        egress.take(new EgressGate.Registration(SPAWN, "tester", policy, Map.of(), network));
    }

    /** Scenario: brig-egress is killed while a request is out whose cost nobody learns, and later the worker-agent. */
    @Test
    void shouldForgetNothingThatWasReservedAndCountNothingTwice() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        server.createContext("/slow", exchange -> {
            asked.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.createContext("/quick", exchange -> {
            byte[] body = "{\"model\":\"x\",\"usage\":{\"input_tokens\":10,\"output_tokens\":90}}".getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        chargeTokens(2_150);
        assertTrue(askModel("quick").startsWith("200 "));
        Future<String> slow = threads.submit(() -> askModel("slow"));
        asked.await();
        long first = egress.pid().orElseThrow();
        ProcessHandle.of(first).orElseThrow().destroyForcibly();
        assertThrows(ExecutionException.class, slow::get);
        over.countDown();
        String again = askModel("quick");
        assertTrue(again.startsWith("200 "), again);
        String sentence = "56 % of its tokens is used up, and this may take 47 %";
        assertTrue(askModel("quick").contains(sentence));
        assertEquals(1_211, budgetEvent().used().tokens());
        egress.close();
        egress = new EgressProcess(EgressProcessTest.services(folder), Clock.systemUTC());
        network.close();
        network = new FakeNetwork();
        chargeTokens(2_150);
        String refused = askModel("quick");
        assertTrue(refused.startsWith("400 ") && refused.contains(sentence), refused);
    }
}
