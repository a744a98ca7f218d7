package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two worker-agents, one of which stands for another host: its workers have a profile, a policy and a secret that are
 * at home alone, and it serves their networks.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Order(2)
@Tag("slow")
class HandoverEgressTest {
    private static final String SECRET = "planted-value-of-home-3307";
    private static final String NEWER = "planted-value-of-home-4418";
    /** A variable of the other host that has the secret's name. */
    private static final String OTHERS = "value-of-the-other-host-1";

    private static TestWeb web;

    private AgentFixture home;
    private AgentFixture far;
    private Path token;

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
        web.authorizations.clear();
        home = new AgentFixture("", web.settings()).open();
        far = new AgentFixture("", web.settings()).open(Map.of("TOKEN", OTHERS));
        token = home.root.resolve("token");
        rotate(SECRET);
        Files.writeString(
                home.root.resolve("agents/mine.json"),
                "{\"description\": \"bash\", \"command\": [\"/bin/bash\"], \"process\": \"spawn\", \"stdin\": \"lines\","
                        + " \"policy\": \"mine\", \"env\": {\"MINE\": \"of home\"}}");
        home.writePolicy("mine", policy("allowed.test", "127.0.0.1"));
    }

    @AfterEach
    void close() throws IOException {
        far.close();
        home.close();
    }

    private void rotate(String value) throws IOException {
        Files.setAttribute(Files.writeString(token, value + "\n"), "unix:mode", 0600);
    }

    private Map<String, Object> policy(String... hosts) {
        return Map.of(
                "environment",
                List.of("PATH", "HOME", "MINE"),
                "egress",
                Map.of(
                        "allowedHosts",
                        List.of(hosts).stream()
                                .map(host -> host + ":" + web.port(true))
                                .toList(),
                        "secrets",
                        Map.of("TOKEN", Map.of("hosts", List.of("allowed.test"), "file", token.toString()))));
    }

    private FarShell shell(boolean network) throws IOException {
        return new FarShell(home, far, "mine", "mine", network);
    }

    private static String curl(String host) {
        return curl(host, "/echo");
    }

    private static String curl(String host, String path) {
        return "curl -sS --noproxy '*' -H \"Authorization: Bearer $TOKEN\" https://" + host + ":" + web.port(true)
                + path + " 2>&1";
    }

    private static List<Long> startedWith(String text) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> TestFolders.has(Path.of("/proc/" + pid + "/environ"), text)
                        || TestFolders.has(Path.of("/proc/" + pid + "/cmdline"), text))
                .toList();
    }

    @Test
    void shouldServeThereWhatIsAtHomeAlone() throws IOException {
        try (FarShell shell = shell(true)) {
            String said = shell.say("echo $MINE; " + curl("allowed.test"));
            assertTrue(said.startsWith("of home\necho Bearer BRIG_SECRET_"), said);
            assertEquals(List.of("Bearer " + SECRET), List.copyOf(web.authorizations));
            said = shell.say(curl("other.test"));
            assertTrue(said.contains("other.test"), said);
            assertEquals(1, web.authorizations.size());
            said = shell.say("cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c " + SECRET);
            assertEquals("0", said.strip());
            assertEquals(1, far.egressProcesses().size());
            assertEquals(List.of(), home.egressProcesses());
            assertEquals(List.of(), startedWith(SECRET));
            assertEquals(List.of(), TestFolders.filesWith(far.root, SECRET));
            assertEquals(List.of(token), TestFolders.filesWith(home.root, SECRET), "this search finds it where it is");
            // The sources are of no use there.
            assertFalse(shell.handover.contains(token.toString()), shell.handover);
            assertTrue(shell.handover.contains(SECRET));
        }
    }

    @Test
    void shouldGiveNothingOfTheNetworkWhereHomeServesIt() throws Exception {
        try (AutoCloseable joiner = new TestJoiner(far.linkSocket(), home.linkSocket(), 4);
                FarShell shell = shell(false)) {
            assertNotNull(joiner);
            String said = shell.say("echo $MINE; " + curl("allowed.test"));
            assertTrue(said.startsWith("of home\necho Bearer BRIG_SECRET_"), said);
            assertEquals(List.of("Bearer " + SECRET), List.copyOf(web.authorizations));
            assertFalse(shell.handover.contains(SECRET), shell.handover);
            assertFalse(shell.handover.contains("allowed.test"), shell.handover);
            assertEquals(List.of(), far.egressProcesses());
        }
    }

    @Test
    void shouldFollowWhatHomeHasNowAndSurviveBrigEgress() throws Exception {
        try (FarShell shell = shell(true)) {
            shell.say(curl("allowed.test"));
            kill(far.egressProcesses().getFirst());
            shell.say("until " + curl("allowed.test") + " | grep -q 'echo Bearer'; do :; done");
            assertTrue(web.authorizations.size() >= 2);
            assertTrue(web.authorizations.stream().allMatch(("Bearer " + SECRET)::equals));

            rotate(NEWER);
            home.writePolicy("mine", policy("allowed.test", "other.test", "127.0.0.1"));
            assertTrue(shell.takeOver(shell.handOver()).contains("ok"));
            shell.say("until curl -sS --noproxy '*' https://other.test:" + web.port(true)
                    + "/page 2>&1 | grep -q hello; do :; done");
            do {
                shell.say(curl("allowed.test"));
            } while (!web.authorizations.contains("Bearer " + NEWER));

            assertTrue(shell.takeOver("").contains("ok"));
            shell.say("while " + curl("allowed.test") + " | grep -q 'echo Bearer'; do :; done");
            // A request that the loss of the permission cut off may arrive late: another path tells this one from it.
            String said = shell.say(curl("allowed.test", "/after"));
            assertTrue(said.contains("allowed.test"), said);
            assertFalse(said.contains("hello"), said);
            assertFalse(web.requests.stream().anyMatch(request -> request.endsWith("/after")), web.requests::toString);
        }
    }

    private static void kill(long pid) throws Exception {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepNothingForTheNextWorkerAgent() throws IOException {
        String handover;
        try (FarShell shell = shell(true)) {
            handover = shell.handover;
        }
        far.agent.close();
        assertEquals(List.of(), TestFolders.filesWith(far.root, SECRET));
        far.open(Map.of("TOKEN", OTHERS));
        String id = Ids.newSpawnId(System.currentTimeMillis());
        try (TestGateway control = far.control()) {
            Map<String, Object> request = Map.of("agent_config", Map.of("name", "mine"), "policy", "mine");
            String answer = control.ask(new String(
                            Json.write(
                                    Map.of("id", 1, "op", "spawn", "spawn_id", id, "request", request, "handed", true)),
                            UTF_8))
                    .toString();
            assertTrue(answer.contains("HOST_UNREACHABLE"), answer);
        }
        try (FarShell shell = shell(true)) {
            assertEquals(handover, shell.handover);
            assertTrue(shell.say(curl("allowed.test")).contains("BRIG_SECRET_"));
        }
    }

    @Test
    void shouldRefuseWhatAFileWouldBeRefusedForAndNameNoValue() throws IOException {
        String handover;
        try (FarShell shell = shell(true)) {
            handover = shell.handover;
        }
        for (String bad : List.of(
                "{",
                handover.replace("\"stdin\":\"lines\"", "\"stdin\":\"words\""),
                handover.replace("\"allowedHosts\":[\"", "\"allowedHosts\":[\"a b "),
                handover.replace(
                        "\"/workspace\":", "\"/proc\":{\"hostPath\":\"/srv\",\"readonly\":true},\"/workspace\":"),
                handover.replace("\"agent\":\"mine\"", "\"agent\":\"../mine\""),
                handover.replace("\"secrets\":{\"TOKEN\":\"" + SECRET, "\"secrets\":{\"TOKEN\":\"" + SECRET + "\\n"),
                handover.replace("\"secrets\":{\"TOKEN\":\"" + SECRET, "\"secrets\":{\"MORE\":\"" + SECRET))) {
            assertFalse(bad.equals(handover));
            String answer = FarShell.takeOver(far, Ids.newSpawnId(System.currentTimeMillis()), bad);
            assertTrue(answer.contains("\"code\":\"INVALID_FIELD\"") || answer.contains("MALFORMED_JSON"), answer);
            assertFalse(answer.contains(SECRET), answer);
        }
    }
}
