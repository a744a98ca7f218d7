package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.spawn.WallKind;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code clients/opencode} in the real OpenCode: sub-agents and tools of an ordinary session run behind the wall. One
 * OpenCode serves two projects: one whose sub-agents are remote, and one whose every tool is.
 */
@Timeout(120)
@Order(10)
class OpenCodePluginTest {
    private static final String PLUGIN = "file://" + System.getProperty("brig.clients") + "/opencode/index.js";
    private static final String SECRET = "the host's own secret";

    private static Product product;
    private static OpenCodeServer openCode;
    private static Path project;
    private static Path walled;

    @BeforeAll
    static void start() throws Exception {
        OpenCodeServer.require();
        product = Product.prepare(Map.of()).offering("mock");
        SecondKernels.giveTo(product);
        product.serve();
        openCode = new OpenCodeServer(product.folder());
        project = Files.createDirectory(product.workspaces().resolve("project"));
        walled = Files.createDirectory(product.workspaces().resolve("walled"));
        Files.writeString(product.folder().resolve("secret"), SECRET);
        Map<String, Object> guarded = new LinkedHashMap<>(
                Json.parseObject(Files.readAllBytes(product.agents().resolve("mock.json"))));
        guarded.put("permissions", "ask");
        Files.write(product.agents().resolve("guarded.json"), Json.write(guarded));
        openCode.configure(
                project,
                Map.of(
                        "plugin",
                                List.of(List.of(
                                        PLUGIN,
                                        Map.of(
                                                "spawnerSocket",
                                                product.spawner().toString(),
                                                "workspace",
                                                "new",
                                                "remoteAgents",
                                                Map.of(
                                                        "runner",
                                                        "shell",
                                                        "asked",
                                                        "mock",
                                                        "guarded",
                                                        "guarded",
                                                        "*-remote",
                                                        "shell"),
                                                "localAgents",
                                                List.of("local*")))),
                        "permission", Json.parseCommented("""
                        // The last rule that fits counts, so their order does.
                        {"*": "allow", "task": {"*": "allow", "denied-remote": "deny"}}"""),
                        "agent",
                                Map.of(
                                        "asked",
                                        Map.of(
                                                "mode",
                                                "subagent",
                                                "description",
                                                "says what it was told",
                                                "model",
                                                "scripted/vendor-9",
                                                "permission",
                                                Map.of("bash", "deny", "task", "deny")),
                                        "denied-remote",
                                        Map.of("mode", "subagent", "description", "may not be called"),
                                        "local-remote",
                                        Map.of("mode", "subagent", "description", "stays here")),
                        "command",
                                Map.of("run", Map.of("template", "$ARGUMENTS", "agent", "runner", "subtask", true))));
        openCode.configure(
                walled,
                Map.of(
                        "permission",
                        "allow",
                        "plugin",
                        List.of(List.of(
                                PLUGIN,
                                Map.of("spawnerSocket", product.spawner().toString(), "sandbox", true)))));
        for (WallKind kind : WallKind.values()) {
            configureBehind(kind);
        }
        shell("git init -q . && git config user.email t@example.org && git config user.name t && echo one > a.txt"
                + " && git add . && git commit -qm first" + (Product.isRoot() ? " && chown -R 59617:59617 ." : ""));
        openCode.start();
    }

    private static Path behind(WallKind kind) {
        return product.workspaces().resolve("walled-" + kind.word());
    }

    /** A project whose tools run behind that wall. */
    private static void configureBehind(WallKind kind) throws IOException {
        Files.writeString(product.agents().resolve("shell-" + kind.word() + ".json"), """
                {"description": "a shell", "command": ["/bin/bash", "-c", "eval -- \\"$(<{messageFile})\\""], "adapter": "text", "process": "message",
                 "stdin": "null", "policy": "build", "wall": "%s"}
                """.formatted(kind.word()));
        openCode.configure(
                Files.createDirectory(behind(kind)),
                Map.of(
                        "permission",
                        "allow",
                        "plugin",
                        List.of(List.of(
                                PLUGIN,
                                Map.of(
                                        "spawnerSocket",
                                        product.spawner().toString(),
                                        "sandbox",
                                        Map.of("profile", "shell-" + kind.word(), "workspace", "new"))))));
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            openCode.close();
            product.close();
        }
    }

    private static void shell(String script) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("sh", "-c", script)
                        .directory(walled.toFile())
                        .inheritIO()
                        .start()
                        .waitFor());
    }

    private static String mark() {
        return "brig-e2e-" + System.nanoTime();
    }

    private static JsonNode delegate(String agent, String prompt) throws Exception {
        String session = openCode.session(project);
        openCode.say(project, session, OpenCodeServer.task(agent, prompt)).join();
        return openCode.calls(project, session).getLast();
    }

    @Test
    void shouldShowTheWorkersWordsAsTheyComeInTheChildSession() throws Exception {
        // Scenario: the worker waits for a file before it ends. What it said before shows in its child session and in
        // the call of the captain while it waits; what it is, is not the host's user and sees nothing of the host.
        String session = openCode.session(project);
        try (OpenCodeServer.Events events = openCode.events(project)) {
            CompletableFuture<JsonNode> turn = openCode.say(
                    project,
                    session,
                    OpenCodeServer.task(
                            "runner",
                            "echo uid $(id -u); cat " + product.folder()
                                    + "/secret; until [ -e go ]; do sleep 0.05; done; echo over"));
            JsonNode child = events.await(
                    "session.created",
                    event -> event.at("/info/parentID").asText().equals(session));
            String childId = child.at("/info/id").asText();
            events.await(
                    "message.part.delta",
                    event -> event.path("sessionID").asText().equals(childId)
                            && event.path("delta").asText().contains("uid 1000"));
            JsonNode shown = events.await(
                    "message.part.updated",
                    event -> event.at("/part/state/metadata/output").asText().contains("uid 1000"));
            assertEquals(childId, shown.at("/part/state/metadata/sessionId").asText());
            assertEquals(session, shown.at("/part/sessionID").asText());
            assertFalse(turn.isDone());
            Files.createFile(workspace("runner").resolve("go"));
            turn.join();
        }
        JsonNode call = openCode.calls(project, session).getLast();
        assertEquals("completed", call.path("status").asText(), call::toString);
        assertTrue(call.path("output").asText().contains("over"), call::toString);
        assertFalse(call.path("output").asText().contains(SECRET), call::toString);
    }

    /** The workspace of the newest worker of that agent. */
    private static Path workspace(String agent) throws IOException {
        return Path.of(product.ask("{\"action\":\"list\"}").objects("spawns").stream()
                .filter(spawn -> spawn.text("task_id", "").startsWith("opencode-" + agent))
                .findFirst()
                .orElseThrow()
                .text("workspace", ""));
    }

    @Test
    void shouldRefuseWhatThePermissionsOfOpenCodeDeny() throws Exception {
        JsonNode call = delegate("denied-remote", "echo never");
        assertEquals("error", call.path("status").asText(), call::toString);
        assertTrue(product.ask("{\"action\":\"list\"}").objects("spawns").stream()
                .noneMatch(spawn -> spawn.text("task_id", "").startsWith("opencode-denied")));
    }

    /** Scenario: the same worker asks twice, and its turn goes on behind each dialogue. */
    @ParameterizedTest
    @CsvSource({"once, allow", "reject, deny"})
    void shouldAskInADialogueOfOpenCodeAndGoOnWithTheAnswer(String reply, String option) throws Exception {
        String session = openCode.session(project);
        try (OpenCodeServer.Events events = openCode.events(project)) {
            CompletableFuture<JsonNode> turn =
                    openCode.say(project, session, OpenCodeServer.task("guarded", "#scenario:ask:2:rm -rf build"));
            for (int i = 0; i < 2; i++) {
                JsonNode dialogue = events.await("permission.asked", event -> true);
                String named = dialogue.path("permission").asText();
                assertTrue(named.startsWith("brig_ask: ") && named.endsWith("rm -rf build"), named);
                openCode.reply(project, dialogue.path("id").asText(), reply);
            }
            turn.join();
        }
        String output =
                openCode.calls(project, session).getLast().path("output").asText();
        assertTrue(output.contains("Answers: " + option + ", " + option), output);
        assertEquals(List.of(), product.ask("{\"action\":\"asks\"}").objects("asks"));
    }

    @Test
    void shouldTellTheWorkerWhichModelAndToolsTheAgentHas() throws Exception {
        String output = delegate("asked", "#scenario:asked").path("output").asText();
        assertTrue(output.contains("Asked for {model=vendor-9, tools=Read,Edit,Write,Grep,Glob}"), output);
    }

    @Test
    void shouldTellTheCaptainHowAWorkerFailed() throws Exception {
        assertTrue(delegate("runner", "exit 7").path("output").asText().contains("[exit code 7]"));
    }

    @Test
    @Tag("slow")
    void shouldGoOnWithTheSameWorkerWhenTheTaskIsResumed() throws Exception {
        String session = openCode.session(project);
        openCode.say(project, session, OpenCodeServer.task("runner", "touch mine; echo first"))
                .join();
        String child = openCode.calls(project, session)
                .getLast()
                .at("/metadata/sessionId")
                .asText();
        openCode.say(
                        project,
                        session,
                        OpenCodeServer.calls(
                                "task",
                                Map.of(
                                        "description",
                                        "work",
                                        "prompt",
                                        "ls; echo second",
                                        "subagent_type",
                                        "runner",
                                        "task_id",
                                        child)))
                .join();
        String output =
                openCode.calls(project, session).getLast().path("output").asText();
        assertTrue(output.contains("mine") && output.contains("second"), output);
    }

    @Test
    void shouldRunCommandsWithSubtaskBehindTheWallToo() throws Exception {
        String session = openCode.session(project);
        openCode.command(project, session, "run", "echo uid $(id -u)").join();
        assertTrue(openCode.calls(project, session)
                .getFirst()
                .path("output")
                .asText()
                .contains("uid 1000"));
    }

    @Test
    void shouldLeaveLocalAgentsAsTheyAre() throws Exception {
        JsonNode call = delegate("local-remote", "#scenario:shell:echo uid $(id -u) $HOME");
        assertEquals("completed", call.path("status").asText(), call::toString);
        assertTrue(call.path("output").asText().contains("The command finished."), call::toString);
        assertEquals("scripted", call.at("/metadata/model/providerID").asText());
    }

    @Test
    void shouldStopTheWorkerWhenTheCaptainAborts() throws Exception {
        String mark = mark();
        String session = openCode.session(project);
        CompletableFuture<JsonNode> turn =
                openCode.say(project, session, OpenCodeServer.task("runner", "exec -a " + mark + " sleep 1000"));
        Await.until("the worker works", () -> Processes.with(mark).size() == 1);
        openCode.abort(project, session);
        requireGone(mark);
        turn.join();
        assertEquals(
                "error",
                openCode.calls(project, session).getLast().path("status").asText());
    }

    @Test
    @Tag("slow")
    void shouldLeaveNoWorkerWhenOpenCodeIsKilled() throws Exception {
        String mark = mark();
        var _ = openCode.say(
                project, openCode.session(project), OpenCodeServer.task("runner", "exec -a " + mark + " sleep 1000"));
        Await.until("the worker works", () -> Processes.with(mark).size() == 1);
        openCode.kill();
        try {
            requireGone(mark);
        } finally {
            openCode.start();
        }
    }

    private static void requireGone(String mark) throws IOException {
        Await.until("no worker is left", () -> Processes.with(mark).isEmpty());
    }

    private static List<JsonNode> inTheWall(Object... namesAndInputs) throws Exception {
        return inTheWallOf(walled, namesAndInputs);
    }

    private static List<JsonNode> inTheWallOf(Path folder, Object... namesAndInputs) throws Exception {
        String session = openCode.session(folder);
        openCode.say(folder, session, OpenCodeServer.calls(namesAndInputs)).join();
        return openCode.calls(folder, session);
    }

    private static Map<String, String> file(String path) {
        return Map.of("path", path);
    }

    @Test
    void shouldKeepTheWholeToolUseBehindTheWall() throws Exception {
        String odd = "odd/it's $(touch x) \"q\"\n-r.txt";
        List<JsonNode> calls = inTheWall(
                "sandbox_bash", Map.of("command", "id -u; cat a.txt; echo changed > a.txt"),
                "sandbox_write", Map.of("path", odd, "content", "first\nsecond\n"),
                "sandbox_edit", Map.of("path", walled + "/" + odd, "oldString", "second", "newString", "third"),
                "sandbox_read", Map.of("path", odd, "offset", 2),
                "sandbox_bash", Map.of("command", "git status --porcelain -uall"));
        calls.forEach(call -> assertEquals("completed", call.path("status").asText(), call::toString));
        assertEquals("1000\none\n", calls.get(0).path("output").asText());
        assertEquals("2: third\n", calls.get(3).path("output").asText());
        assertFalse(calls.get(4).path("output").asText().contains(" x\n"), "a name was run as a command");
        assertEquals("one\n", Files.readString(walled.resolve("a.txt")));
        assertFalse(Files.exists(walled.resolve("odd")));
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void shouldWorkBehindEachKindOfWall(WallKind kind) throws Exception {
        assumeTrue(SecondKernels.areHere(kind), "the build found no gVisor, or no QEMU and kernel");
        List<JsonNode> calls = inTheWallOf(
                behind(kind),
                "sandbox_write",
                Map.of("path", "a/b.txt", "content", "first\nsecond\n"),
                "sandbox_edit",
                Map.of("path", "a/b.txt", "oldString", "second", "newString", "third"),
                "sandbox_read",
                Map.of("path", "a/b.txt", "offset", 2),
                "sandbox_bash",
                Map.of("command", "cat /proc/version"));
        calls.forEach(call -> assertEquals("completed", call.path("status").asText(), call::toString));
        assertEquals("2: third\n", calls.get(2).path("output").asText());
        assertEquals(
                kind == WallKind.BWRAP,
                calls.get(3).path("output").asText().equals(Files.readString(Path.of("/proc/version"))),
                () -> calls.get(3).toString());
    }

    @Test
    void shouldReachNothingOfTheHostByPathsAndLinks() throws Exception {
        String secret = product.folder() + "/secret";
        List<JsonNode> calls = inTheWall(
                "sandbox_bash",
                Map.of("command", "ln -s " + secret + " link; ln -s / root; head -c 100 /dev/urandom > b; echo ok"),
                "sandbox_read",
                file("link"),
                "sandbox_read",
                file(secret),
                "sandbox_read",
                file("root" + secret),
                "sandbox_read",
                file("../../../.." + secret),
                "sandbox_read",
                file("/dev/zero"),
                "sandbox_read",
                file("b"),
                "sandbox_write",
                Map.of("path", "../../etc/cron.d/x", "content", "mine"),
                "sandbox_write",
                Map.of("path", "link", "content", "mine"));
        assertEquals("ok\n", calls.getFirst().path("output").asText());
        calls.subList(1, 8)
                .forEach(call -> assertEquals("error", call.path("status").asText(), call::toString));
        assertEquals("not a file", calls.get(5).path("error").asText());
        assertTrue(calls.get(6).path("error").asText().startsWith("it is a binary file"));
        // The last one may have made a file in the wall's own /tmp.
        assertEquals(SECRET, Files.readString(product.folder().resolve("secret")));
    }

    @Test
    void shouldOfferNoToolThatTouchesTheHost() throws Exception {
        Path made = product.folder().resolve("made");
        List<JsonNode> calls = inTheWall(
                "bash",
                Map.of("command", "touch " + made, "description", "x"),
                "write",
                Map.of("filePath", made.toString(), "content", "x"),
                "read",
                Map.of("filePath", made.toString()),
                "glob",
                Map.of("pattern", "*"),
                "webfetch",
                Map.of("url", "http://127.0.0.1", "format", "text"));
        assertEquals(5, calls.size());
        calls.forEach(call -> assertTrue(call.toString().contains("unavailable tool"), call::toString));
        assertFalse(Files.exists(made));
    }

    @Test
    @Tag("slow")
    void shouldBoundWhatIsReadAndWrittenAndHowLongACommandTakes() throws Exception {
        String big = "0123456789abcde\n".repeat(9_000);
        List<JsonNode> calls = inTheWall(
                "sandbox_write", Map.of("path", "big.txt", "content", big),
                "sandbox_bash", Map.of("command", "wc -c < big.txt; rm big.txt; ls -A | grep -c '^.brig-'"),
                "sandbox_bash", Map.of("command", "yes | head -c 3000000; echo; echo last"),
                "sandbox_bash", Map.of("command", "sleep 60", "timeout", 300));
        assertEquals(
                big.length() + "\n0\n\n[exit code 1]",
                calls.get(1).path("output").asText());
        String output = calls.get(2).path("output").asText();
        assertTrue(output.startsWith("[the beginning is left out]")
                && output.endsWith("last\n")
                && output.length() < 50_000);
        assertFalse(calls.get(2).path("metadata").path("truncated").asBoolean(true));
        assertTrue(calls.get(3).path("output").asText().contains("it was ended after 300 ms"));
    }
}
