package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two worker-agents, one of which stands for another host: programs behind its walls reach the outside through the
 * brig-egress of the first.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Order(2)
@Tag("slow")
class HomeEgressTest {
    private static final String SECRET = "planted-value-that-stays-at-home-8812";

    private static TestWeb web;

    private AgentFixture home;
    private AgentFixture far;
    private TestGateway homeControl;
    private TestGateway farControl;
    private TestJoiner joiner;

    @BeforeAll
    static void openWeb() throws Exception {
        web = new TestWeb(TestFolders.create("brig-outside"), "allowed.test", "other.test");
    }

    @AfterAll
    static void closeWeb() throws IOException {
        web.close();
        web.delete();
    }

    @BeforeEach
    void open() throws IOException {
        web.requests.clear();
        web.authorizations.clear();
        home = new AgentFixture("", web.settings()).open();
        far = new AgentFixture().open();
        Path token = Files.writeString(home.root.resolve("token"), SECRET + "\n");
        Files.setAttribute(token, "unix:mode", 0600);
        Map<String, Object> egress = new LinkedHashMap<>();
        egress.put(
                "allowedHosts",
                Stream.of("allowed.test", "127.0.0.1")
                        .flatMap(name -> Stream.of(name + ":" + web.port(false), name + ":" + web.port(true)))
                        .toList());
        egress.put("secrets", Map.of("TOKEN", Map.of("hosts", List.of("allowed.test"), "file", token.toString())));
        egress.put(
                "modelRoutes",
                Map.of(
                        "openai",
                        Map.of("baseUrl", "https://allowed.test:" + web.port(true) + "/v1", "secret", "TOKEN")));
        home.writePolicy("test", Map.of("egress", egress));
        homeControl = home.control();
        farControl = far.control();
        joiner = new TestJoiner(far.linkSocket(), home.linkSocket(), 4);
    }

    @AfterEach
    void close() throws IOException {
        joiner.close();
        farControl.close();
        homeControl.close();
        far.close();
        home.close();
    }

    private static String json(Map<String, ?> object) {
        return new String(Json.write(object), UTF_8);
    }

    private FarShell shell() throws IOException {
        return new FarShell(home, far, "bash-lines", "test", false);
    }

    private static String url(boolean encrypted, String host, String path) {
        return (encrypted ? "https://" : "http://") + host + ":" + web.port(encrypted) + path;
    }

    /** Returns when home's audit has them; it is written behind the answers. */
    private void untilAudited(String... expected) throws IOException {
        String audit;
        do {
            Thread.onSpinWait();
            audit = homeControl.ask("{\"id\":1,\"op\":\"audit\"}").toString();
        } while (!Stream.of(expected).allMatch(audit::contains));
    }

    @Test
    void shouldReachWhatHomeAllowsWithSecretsThatOnlyHomeKnows() throws IOException {
        try (FarShell shell = shell()) {
            // A name, TLS without the proxy, and a datagram for it; then the proxy; then a model route.
            String said = shell.say("curl -sS --noproxy '*' -d $TOKEN -H \"Authorization: Bearer $TOKEN\" "
                    + url(true, "allowed.test", "/echo"));
            assertTrue(said.contains("echo Bearer BRIG_SECRET_"), said);
            said = shell.say("curl -sS " + url(false, "allowed.test", "/page"));
            assertTrue(said.contains("hello"), said);
            said = shell.say("curl -sS --noproxy '*' $OPENAI_BASE_URL/echo");
            assertTrue(said.contains("hello"), said);
            assertEquals(List.of("Bearer " + SECRET, "Bearer " + SECRET), List.copyOf(web.authorizations));
            said = shell.say(
                    "curl -sSv --noproxy '*' -w '%{http_code}' " + url(false, "other.test", "/page") + " 2>&1");
            assertTrue(said.contains("198.18.") && said.endsWith("403"), said);
            said = shell.say("grep -c " + SECRET + " /proc/self/environ");
            assertTrue(said.startsWith("0"), said);
            untilAudited("other.test", "blocked");
        }
        assertTrue(
                web.requests.stream().noneMatch(request -> request.startsWith("other.test")), web.requests::toString);
        assertEquals(List.of(), TestFolders.filesWith(far.root, SECRET));
        assertEquals(List.of(), far.egressProcesses());
    }

    @Test
    void shouldBreakConnectionsWithTheLinkAndServeNewOnesWhenItIsBack() throws IOException {
        try (FarShell shell = shell()) {
            assertTrue(
                    shell.say("curl -sS " + url(false, "allowed.test", "/page")).contains("hello"));
            joiner.close();
            shell.send("echo asked; curl -sS " + url(false, "allowed.test", "/page"));
            shell.until("asked\n");
            joiner = new TestJoiner(far.linkSocket(), home.linkSocket(), 4);
            assertTrue(shell.until("\nover\n").contains("hello"));
        }
    }

    @Test
    void shouldRefuseAndAuditConnectionsThatNobodyGranted() throws IOException {
        try (FarShell shell = shell()) {
            String stranger = Ids.newSpawnId(System.currentTimeMillis());
            for (String wanted : List.of(
                    "\"spawn_id\":\"" + stranger + "\",\"role\":\"proxy\"",
                    "\"spawn_id\":\"" + shell.id + "\",\"role\":\"transparent\",\"address\":\"127.0.0.1\",\"port\":1",
                    "\"spawn_id\":\"" + shell.id + "\",\"role\":\"proxy\",\"refused\":\"it is on another host\"")) {
                try (TestGateway lying =
                        new TestGateway(home.linkSocket()).opened("{\"link\":\"granted\"," + wanted + "}")) {
                    String answer = lying.line();
                    assertTrue(answer.contains("FORBIDDEN"), answer);
                    assertEquals(null, lying.line());
                }
            }
        }
        untilAudited("is not served here", "does not listen at port 1", "it is on another host");
    }

    @Test
    void shouldTellTheWorkersStreamWhatHappenedAtHome() throws IOException {
        try (FarShell shell = shell();
                TestGateway events = new TestGateway(home.linkSocket()).opened("{\"link\":\"egress_events\"}")) {
            shell.say("curl -sS -o /dev/null " + url(false, "other.test", "/page"));
            Map<String, Object> event = Json.parseObject(events.line().getBytes(UTF_8));
            assertEquals(shell.id, event.get("spawn_id"));
            Map<String, Object> told = new LinkedHashMap<>(Map.of("id", 1, "op", "egress_event"));
            told.putAll(event);
            Map<String, Object> answer = farControl.ask(json(told));
            assertTrue(answer.containsKey("ok"), answer::toString);
            shell.frames.read(frame -> {
                boolean is = frame.type() == FrameType.EGRESS;
                assertTrue(!is || frame.text("host").equals("other.test"), frame::toString);
                return !is;
            });
        }
    }

    @Test
    void shouldAnswerAGrantAgainAsBeforeAndEndIt() throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        String grant = json(Map.of(
                "id",
                1,
                "op",
                "grant",
                "spawn_id",
                id,
                "request",
                Map.of("agent_config", Map.of("name", "shell"), "policy", "test", "once", false)));
        Map<String, Object> first = homeControl.ask(grant);
        assertTrue(first.toString().contains("BRIG_SECRET_"), first::toString);
        assertEquals(first, homeControl.ask(grant));
        homeControl.ask("{\"id\":1,\"op\":\"ungrant\",\"spawn_id\":\"" + id + "\"}");
        try (TestGateway late = new TestGateway(home.linkSocket())
                .opened("{\"link\":\"granted\",\"spawn_id\":\"" + id + "\",\"role\":\"proxy\"}")) {
            assertTrue(late.line().contains("FORBIDDEN"));
        }
        // The placeholders survive the worker-agent.
        homeControl.close();
        home.agent.close();
        home.open();
        homeControl = home.control();
        assertEquals(first, homeControl.ask(grant));
    }
}
