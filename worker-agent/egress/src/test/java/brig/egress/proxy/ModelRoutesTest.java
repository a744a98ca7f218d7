package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.connection.ProxyLimits;
import brig.egress.link.WallSocket.Role;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.EgressEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelRoutesTest {
    private static final String KEY = "sk-planted-model-key-1";

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder, Map.of("MODEL_KEY", KEY), ProxyLimits.USUAL);
        egress.name("model.example");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker worker(TestServer server) throws IOException {
        return egress.worker(EgressFixture.policy("""
                {'allowedHosts': ['127.0.0.1:PORT'], 'secrets': {'MODEL_KEY': {}},
                 'modelRoutes': {'anthropic': {'baseUrl': 'https://model.example:PORT/api', 'secret': 'MODEL_KEY', 'header': 'x-api-key'},
                                 'openai': {'baseUrl': 'https://model.example:PORT/', 'secret': 'MODEL_KEY'}}}""", server.port()), Role.MODEL, Role.PROXY);
    }

    private static TestClient client(Worker worker) throws IOException {
        return new TestClient(worker.ports().get(Role.MODEL));
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n" + headers + "Content-Length: " + body.length()
                + "\r\n\r\n" + body;
    }

    @Test
    void shouldAddTheKeyOutside() throws Exception {
        try (TestServer server = egress.tls("model.example", TestServer.answering("key " + KEY))) {
            Worker worker = worker(server);
            try (TestClient client = client(worker)) {
                Answer answer = client.send(post(
                                "/anthropic/v1/messages?beta=true",
                                "x-api-key: dummy\r\nAuthorization: Bearer dummy\r\nanthropic-version: 1\r\n",
                                "{}"))
                        .answer();
                assertEquals("key " + worker.placeholders().get("MODEL_KEY"), answer.body());
                TestServer.Request got = server.requests().getFirst();
                assertEquals("POST /api/v1/messages?beta=true HTTP/1.1", got.line());
                assertEquals(KEY, got.header("x-api-key"));
                assertNull(got.header("authorization"));
                assertEquals("1", got.header("anthropic-version"));
                assertEquals("model.example:" + server.port(), got.header("host"));
                client.send(post("/openai/v1/responses", "", "{}")).answer();
                assertEquals("Bearer " + KEY, server.requests().get(1).header("authorization"));
                assertEquals(
                        "POST /v1/responses HTTP/1.1", server.requests().get(1).line());
            }
            String written = egress.audit() + "" + egress.events;
            assertFalse(written.contains(KEY), written);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/other/v1",
                "http://model.example/",
                "/anthropic/../openai",
                "/anthropic/%2e%2e/x",
                "/anthropic/..%2fx",
                "/ANTHROPIC/x"
            })
    void shouldRefuseWhatIsNoRoute(String path) throws Exception {
        try (TestServer server = egress.tls("model.example", TestServer.answering("x"));
                TestClient client = client(worker(server))) {
            int status = client.send(post(path, "", "{}")).answer().status();
            assertTrue(status == 403 || status == 400, path + " " + status);
            assertTrue(server.requests().isEmpty());
        }
    }

    /** A route's key goes nowhere else: not even through the proxy to the same host. */
    @Test
    void shouldNotOpenTheHostOfARouteToTheProxy() throws Exception {
        try (TestServer server = egress.tls("model.example", TestServer.answering("x"));
                TestClient client = egress.client(worker(server))) {
            String authority = "model.example:" + server.port();
            assertEquals(
                    403,
                    client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n")
                            .answer()
                            .status());
        }
    }

    /** Scenario: the model sends one token and waits; the agent must get it before the next one. */
    @Test
    void shouldPassAStreamOnAsItComes() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (TestServer server = egress.tls("model.example", (request, out) -> {
                    TestServer.write(
                            out,
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                    chunk(
                            out,
                            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m-1\",\"usage\":"
                                    + "{\"input_tokens\":25,\"cache_read_input_tokens\":7,\"output_tokens\":1}}}\n\n");
                    chunk(out, "data: {\"delta\":\"first\"}\n\n");
                    try {
                        seen.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    chunk(out, "data: {\"type\":\"message_delta\",\"usa");
                    chunk(out, "ge\":{\"output_tokens\":15}}\n\n");
                    TestServer.write(out, "0\r\n\r\n");
                });
                TestClient client = client(worker(server))) {
            client.send(post("/anthropic/v1/messages", "", "{}"));
            StringBuilder got = new StringBuilder();
            while (got.indexOf("first") < 0) {
                got.append((char) client.in().read());
            }
            seen.countDown();
            while (got.indexOf("0\r\n\r\n") < 0) {
                got.append((char) client.in().read());
            }
            EgressEvent.Usage usage = egress.event(EgressEvent.Usage.class);
            assertEquals("anthropic", usage.route());
            assertEquals("m-1", usage.model());
            assertEquals(25L, usage.inputTokens());
            assertEquals(15L, usage.outputTokens());
            assertEquals(7L, usage.cachedInputTokens());
            assertTrue(egress.audit().stream()
                    .anyMatch(line -> line.event() instanceof EgressEvent.Usage noted
                            && Objects.equals(noted.outputTokens(), 15L)));
        }
    }

    private static void chunk(java.io.OutputStream out, String text) throws IOException {
        TestServer.write(out, Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/json | {\"model\":\"g\",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":2}}} | 3 | 4",
                "application/json; charset=utf-8 | {\"response\":{\"model\":\"g\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}} | 3 | 4",
                "text/event-stream | data: {\"choices\":[],\"model\":\"g\",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}~~data: [DONE]~~ | 3 | 4",
                "text/event-stream | data: {\"type\":\"response.completed\",\"response\":{\"model\":\"g\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}~~ | 3 | 4"
            })
    void shouldReadTokensOffWhateverTheInterfaceIs(String type, String body, long input, long output) throws Exception {
        String sent = body.replace('~', '\n');
        try (TestServer server = egress.tls(
                        "model.example",
                        (request, out) -> TestServer.write(
                                out,
                                "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + sent.length()
                                        + "\r\n\r\n" + sent));
                TestClient client = client(worker(server))) {
            client.send(post("/openai/v1/chat/completions", "", "{}")).answer();
            EgressEvent.Usage usage = egress.event(EgressEvent.Usage.class);
            assertEquals(input, usage.inputTokens());
            assertEquals(output, usage.outputTokens());
            assertEquals("g", usage.model());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x-session-id: ses_child~x-parent-session-id: ses_root~ | ses_child |",
                "x-claude-code-session-id: s1~x-claude-code-agent-id: a1~ | a1 |",
                "x-claude-code-session-id: s1~x-claude-code-agent-id: a2~x-claude-code-parent-agent-id: a1~ | a2 | a1",
                "session-id: t0~thread-id: t1~x-openai-subagent: collab_spawn~x-codex-parent-thread-id: t0~ | t1 |"
            })
    void shouldTellOfSubAgents(String headers, String agent, @Nullable String parent) throws Exception {
        try (TestServer server = egress.tls("model.example", TestServer.answering("{}"));
                TestClient client = client(worker(server))) {
            for (int i = 0; i < 2; i++) {
                client.send(post("/openai/v1/x", headers.replace("~", "\r\n"), "{}"))
                        .answer();
            }
            client.send(post(
                            "/openai/v1/x",
                            "x-session-id: root\r\nx-claude-code-session-id: s\r\nsession-id: t\r\n",
                            "{}"))
                    .answer();
            EgressEvent.Subagent event = egress.event(EgressEvent.Subagent.class);
            assertEquals(agent, event.agentId());
            assertEquals(parent, event.parentId());
            assertTrue(egress.events.stream().noneMatch(other -> other instanceof EgressEvent.Subagent), "told once");
        }
    }

    /** Scenario: a sub-agent and the agent itself call the model. */
    @Test
    void shouldTellWhoseTheTokensAre() throws Exception {
        String body = "{\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}";
        try (TestServer server = egress.tls(
                        "model.example",
                        (request, out) -> TestServer.write(
                                out,
                                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                                        + "\r\n\r\n" + body));
                TestClient client = client(worker(server))) {
            client.send(post("/openai/v1/x", "x-claude-code-session-id: s\r\nx-claude-code-agent-id: a1\r\n", "{}"))
                    .answer();
            assertEquals("a1", egress.event(EgressEvent.Usage.class).agentId());
            client.send(post("/openai/v1/x", "x-claude-code-session-id: s\r\n", "{}"))
                    .answer();
            assertNull(egress.event(EgressEvent.Usage.class).agentId());
        }
    }

    @Test
    void shouldNameTheParentOfASubAgentThatIsOneItself() throws Exception {
        try (TestServer server = egress.tls("model.example", TestServer.answering("{}"));
                TestClient client = client(worker(server))) {
            client.send(post("/openai/v1/x", "x-session-id: child\r\nx-parent-session-id: root\r\n", "{}"))
                    .answer();
            client.send(post("/openai/v1/x", "x-session-id: grandchild\r\nx-parent-session-id: child\r\n", "{}"))
                    .answer();
            assertNull(egress.event(EgressEvent.Subagent.class).parentId());
            assertEquals("child", egress.event(EgressEvent.Subagent.class).parentId());
        }
    }
}
