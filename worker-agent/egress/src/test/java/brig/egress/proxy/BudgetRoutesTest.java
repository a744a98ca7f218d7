package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Amount;
import brig.egress.budget.LedgerFile;
import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.egress.link.WallSocket.Role;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class BudgetRoutesTest {
    private static final String OWN = "spn_test";
    private static final String ANTHROPIC = "/anthropic/v1/messages";
    private static final String OPENAI = "/openai/v1/responses";
    /** 4 dollars a million tokens of input, 20 of output; the shipped prices have it. */
    private static final String ASK = "{\"model\":\"claude-opus-5.5\",\"max_tokens\":1000,\"stream\":true}";

    private static final String START =
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":"
                    + "\"claude-opus-5.5\",\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n\n";
    private static final String END =
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":100}}\n\n";

    /** What such a request costs; the most that it may: 58 bytes are 20 tokens, all kept in a cache for an hour. */
    private static final long COST = 10 * 4_000 + 100 * 20_000;

    private static final long MOST = 20 * 8_000 + 1_000 * 20_000;

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("model.example");
        egress.purses.begin(new LedgerFile() {
            @Override
            public void write(byte[] bytes) {}

            @Override
            public void close() {}
        });
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker worker(TestServer server, Limit limit) throws IOException {
        egress.charged = List.of(PurseSpec.ofSession(OWN, limit));
        return egress.worker(EgressFixture.policy("""
                {'allowedHosts': ['127.0.0.1:PORT'],
                 'modelRoutes': {'anthropic': {'baseUrl': 'http://model.example:PORT/'},
                                 'openai': {'baseUrl': 'http://model.example:PORT/'}}}""", server.port()), Role.MODEL);
    }

    private static Limit money(double usd) {
        return new Limit((long) (usd * 1e9), null, null);
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n" + headers + "Content-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    private static Answer send(Worker worker, String request) throws IOException {
        try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
            return client.send(request).answer();
        }
    }

    private static TestServer.Handler answering(String status, String type, String content) {
        return (request, out) -> TestServer.write(
                out,
                "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + content.length()
                        + "\r\n\r\n" + content);
    }

    private static TestServer.Handler stream(String content) {
        return answering("200 OK", "text/event-stream", content);
    }

    private Amount used() {
        return egress.purses.view(OWN).used();
    }

    @Test
    void shouldSettleWhatTheAnswerSays() throws Exception {
        try (TestServer server = egress.plain(stream(START + END))) {
            Worker worker = worker(server, money(1));
            assertEquals(200, send(worker, post(ANTHROPIC, "", ASK)).status());
            assertEquals(new Amount(COST, 110, 0), used());
            assertEquals(Amount.NONE, egress.purses.view(OWN).reserved());
            assertEquals(ASK, server.requests().getFirst().body());
        }
    }

    @Test
    void shouldRefuseInTheFormOfTheProviderBeforeAnythingGoesOut() throws Exception {
        try (TestServer server = egress.plain(stream(START + END))) {
            Worker worker = worker(server, money(0.01));
            Answer anthropic = send(worker, post(ANTHROPIC, "", ASK));
            assertEquals(400, anthropic.status());
            assertEquals("application/json", anthropic.header("content-type"));
            JsonObject error = JsonObject.read(anthropic.body().getBytes(StandardCharsets.UTF_8));
            assertEquals("error", error.text("type"));
            assertEquals("invalid_request_error", error.object("error").text("type"));
            String sentence = error.object("error").text("message");
            assertEquals(
                    "The budget of this session has no room for this request: 0 % of its money is used up, and this may take"
                            + " more than 100 %. Do not try again: a person must raise the budget.",
                    sentence);
            Answer openai = send(worker, post(OPENAI, "", ASK));
            assertEquals(400, openai.status());
            assertEquals(
                    "budget_used_up",
                    JsonObject.read(openai.body().getBytes(StandardCharsets.UTF_8))
                            .object("error")
                            .text("code"));
            assertEquals(0, server.requests().size());
            EgressEvent.Budget told = egress.event(EgressEvent.Budget.class);
            assertEquals(sentence, told.refused());
            assertEquals(100, told.percent());
            assertNull(egress.events.peek());
            assertTrue(egress.firstResult().rule().startsWith("The budget of this session"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            200 | text/event-stream | ~~                                   | whole
            200 | application/json  | {"id":"x"}                           | whole
            200 | application/json  | {"usage":{"output_tokens":5}}        | whole
            500 | application/json  | {"type":"error"}                     | none
            429 | application/json  | {"type":"error"}                     | none
            302 | text/plain        | moved                                | none
            """)
    void shouldCountTheReservationUnlessTheAnswerSaysOtherwise(int status, String type, String body, String counts)
            throws Exception {
        try (TestServer server = egress.plain(answering(status + " Some", type, body))) {
            Worker worker = worker(server, money(1));
            assertEquals(status, send(worker, post(ANTHROPIC, "", ASK)).status());
            assertEquals(counts.equals("none") ? Amount.NONE : new Amount(MOST, 1_020, 0), used());
        }
    }

    /** Scenario: the stream ends after its start, which has counts too. */
    @Test
    void shouldCountTheReservationOfAStreamThatIsCut() throws Exception {
        try (TestServer server = egress.plain(stream(START))) {
            Worker worker = worker(server, money(1));
            send(worker, post(ANTHROPIC, "", ASK));
            assertEquals(1_020, used().tokens());
        }
    }

    @Test
    void shouldCountNothingWhereTheServerCannotBeReached() throws Exception {
        Worker worker;
        try (TestServer server = egress.plain(stream(START))) {
            worker = worker(server, money(1));
        }
        egress.names.remove("model.example");
        assertEquals(502, send(worker, post(ANTHROPIC, "", ASK)).status());
        assertEquals(Amount.NONE, used());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"model":"unheard-of","max_tokens":1} | ~~                        | The model 'unheard-of' has no price
            {"max_tokens":1}                      | ~~                        | A session with a budget sends only
            not json                              | ~~                        | A session with a budget sends only
            {"model":"claude-opus-5.5"}           | ~Content-Encoding: zstd~  | A session with a budget sends no compressed
            """)
    void shouldRefuseWhatItCannotBound(String body, String header, String sentence) throws Exception {
        try (TestServer server = egress.plain(stream(START))) {
            Worker worker = worker(server, money(100));
            Answer answer = send(worker, post(OPENAI, header.isEmpty() ? "" : header + "\r\n", body));
            assertEquals(400, answer.status());
            assertTrue(answer.body().contains(sentence), answer.body());
            assertEquals(0, server.requests().size());
        }
    }

    @Test
    void shouldTakeAModelWithoutAPriceWhereOnlyTokensAreLimited() throws Exception {
        try (TestServer server = egress.plain(stream(START + END))) {
            Worker worker = worker(server, new Limit(null, 1_100L, null));
            String body = ASK.replace("claude-opus-5.5", "unheard-of");
            assertEquals(200, send(worker, post(ANTHROPIC, "", body)).status());
            assertEquals(110, used().tokens());
            Answer refused = send(worker, post(ANTHROPIC, "", body));
            assertTrue(
                    refused.body().contains("10 % of its tokens is used up, and this may take 93 %"), refused.body());
        }
    }

    @Test
    void shouldLetRequestsPassThatCostNothing() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("{\"input_tokens\":7}"))) {
            Worker worker = worker(server, money(0.000001));
            assertEquals(
                    200,
                    send(worker, post("/anthropic/v1/messages/count_tokens", "", ASK))
                            .status());
            assertEquals(
                    200,
                    send(worker, "GET /openai/v1/models HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n\r\n")
                            .status());
            assertEquals(
                    426,
                    send(
                                    worker,
                                    "GET /openai/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nConnection: Upgrade\r\n"
                                            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
                            .status());
            assertEquals(Amount.NONE, used());
        }
    }

    @Test
    void shouldCloseConnectionsWhenTheBytesAreUsedUp() throws Exception {
        try (TestServer server = egress.plain(answering("200 OK", "text/plain", "x".repeat(3_000)))) {
            Worker worker = worker(server, new Limit(null, null, 10_000L));
            String get = "GET /openai/v1/models HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n\r\n";
            for (int i = 0; i < 3; i++) {
                assertEquals(200, send(worker, get).status());
            }
            try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
                assertTrue(client.send(get).isEnded());
            }
            assertTrue(used().bytes() <= 10_000 && used().bytes() > 9_000, used().toString());
            assertTrue(Objects.requireNonNull(
                            egress.event(EgressEvent.Budget.class).refused())
                    .contains("of its traffic is used up"));
        }
    }

    @Test
    void shouldReadABodyOfUnknownLengthWhole() throws Exception {
        try (TestServer server = egress.plain(stream(START + END))) {
            Worker worker = worker(server, money(1));
            String chunked = "POST " + ANTHROPIC
                    + " HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n"
                    + ASK.substring(0, 5) + "\r\n" + Integer.toHexString(ASK.length() - 5) + "\r\n" + ASK.substring(5)
                    + "\r\n0\r\n\r\n";
            assertEquals(200, send(worker, chunked).status());
            assertEquals(ASK, server.requests().getFirst().body());
            assertEquals(110, used().tokens());
        }
    }

    /** Scenario: the server closes in the middle of the stream, after counts that look whole. */
    @Test
    void shouldCountTheReservationWhereTheEndIsMissing() throws Exception {
        try (TestServer server = egress.plain((request, out) -> {
            TestServer.write(
                    out,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + START + END);
            out.close();
        })) {
            Worker worker = worker(server, money(1));
            try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
                client.send(post(ANTHROPIC, "", ASK));
                client.in().readAllBytes();
            }
            assertEquals(1_020, used().tokens());
        }
    }

    /** What no answer can come to counts as one that says nothing. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            9223372036854775807 | 9223372036854775807 | 0
            9223372036854775807 | 5                   | 9223372036854775807
            5                   | 200000000           | 0
            """)
    void shouldCountTheReservationWhereTheCountsAreAbsurd(long input, long output, long cached) throws Exception {
        String usage = "{\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d,\"cache_read_input_tokens\":%d}}"
                .formatted(input, output, cached);
        try (TestServer server = egress.plain(answering("200 OK", "application/json", usage))) {
            Worker worker = worker(server, money(1));
            assertEquals(200, send(worker, post(ANTHROPIC, "", ASK)).status());
            assertEquals(new Amount(MOST, 1_020, 0), used());
            assertEquals(Amount.NONE, egress.purses.view(OWN).reserved());
            assertTrue(egress.audit().stream().anyMatch(entry -> entry.event() instanceof AuditEvent.Decided));
        }
    }

    /** Scenario: servers that cut a fragment off would serve the path before it. */
    @Test
    void shouldNotTakeAFragmentForAPathThatCostsNothing() throws Exception {
        try (TestServer server = egress.plain(stream(START + END))) {
            Worker worker = worker(server, money(1));
            assertEquals(
                    400,
                    send(worker, post(ANTHROPIC + "#/count_tokens", "", ASK)).status());
            assertEquals(0, server.requests().size());
        }
    }

    /** Scenario: 64 sub-agents ask again and again until they are refused; each may cost ten times what it does. */
    @Test
    void shouldNotSpendMoreThanThereIsWhateverRunsAtOnce() throws Exception {
        try (TestServer server = egress.plain(stream(START + END));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Worker worker = worker(server, money(1));
            AtomicInteger refused = new AtomicInteger();
            for (int i = 0; i < 64; i++) {
                var unused = threads.submit(() -> {
                    while (send(worker, post(ANTHROPIC, "", ASK)).status() == 200) {
                        Thread.onSpinWait();
                    }
                    return refused.incrementAndGet();
                });
            }
            threads.shutdown();
            assertTrue(threads.awaitTermination(50, TimeUnit.SECONDS));
            assertEquals(64, refused.get());
            assertTrue(used().nanos() <= 1_000_000_000, used().toString());
            assertEquals(used().nanos(), server.requests().size() * COST);
            assertTrue(used().nanos() > 1_000_000_000 - 64 * MOST, used().toString());
        }
    }
}
