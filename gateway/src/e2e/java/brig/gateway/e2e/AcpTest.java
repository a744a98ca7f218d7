package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An editor on the one side, a walled worker on the other, {@code brig acp} between them. */
@Timeout(120)
@Order(11)
class AcpTest {
    private static Outside outside;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        outside = new Outside();
        outside.writePolicy("asks", 60_000);
        product = Product.start(outside.settings("build", "asks"));
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
        outside.close();
    }

    /** A folder of an editor's user, which workers may write to. */
    private static Path folder(String name) throws IOException {
        Path folder = Files.createDirectories(product.workspaces().resolve(name));
        host(folder, Product.isRoot() ? "chown 59617:59617 ." : "true");
        return folder;
    }

    private static String host(Path folder, String script) throws IOException {
        Run run = Run.of(List.of("sh", "-c", "cd '" + folder + "' && " + script), "", product.folder());
        assertEquals(0, run.exitCode(), run::err);
        return run.out();
    }

    private static boolean hasEnded(String session) throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"" + session + "\"}").has("ended_ms");
    }

    @Test
    void shouldShowWhatAWalledAgentDoesAndWhereItWrites() throws IOException {
        Path folder = folder("prompts");
        try (Editor editor = Editor.open(product, "--agent", "mock")) {
            String session = editor.newSession(folder);
            List<JsonObject> said = editor.until(editor.prompt(session, "#scenario:write:/workspace/made.txt"));
            assertEquals("end_turn", said.getLast().object("result").text("stopReason"));
            assertEquals("File written.", Editor.text(said, "agent_message_chunk"));
            JsonObject call = Editor.update(said.stream()
                    .filter(Editor.isUpdate("tool_call"))
                    .findFirst()
                    .orElseThrow());
            assertEquals(
                    folder.resolve("made.txt").toString(),
                    call.objects("locations").getFirst().text("path"));
            assertEquals(
                    "edit diff",
                    call.text("kind") + " " + call.objects("content").getFirst().text("type"));
            assertTrue(Files.exists(folder.resolve("made.txt")));
            assertEquals(
                    100,
                    said.getLast()
                            .object("result")
                            .object("_meta")
                            .object("brig")
                            .object("usage")
                            .number("input_tokens", 0));

            List<JsonObject> walled = editor.until(editor.prompt(session, "#scenario:shell:id -u; cat /etc/shadow"));
            JsonObject last = Editor.update(walled.stream()
                    .filter(Editor.isUpdate("tool_call_update"))
                    .reduce((before, now) -> now)
                    .orElseThrow());
            String output = last.objects("content").getFirst().object("content").text("text", "");
            assertFalse(output.contains("root:"), output);
            assertFalse(output.startsWith("0\n"), output);

            List<JsonObject> thought = editor.until(editor.prompt(session, "#scenario:think:3"));
            assertTrue(Editor.text(thought, "agent_thought_chunk").startsWith("think0 think1 think2"));
            List<JsonObject> failed = editor.until(editor.prompt(session, "#scenario:error:529"));
            assertEquals(-32603, failed.getLast().object("error").number("code", 0));
            assertTrue(failed.getLast().object("error").text("message", "").contains("529"), failed::toString);
            assertEquals(0, editor.end());
        }
    }

    @Test
    void shouldShowSubAgentsAsCalls() throws IOException {
        try (Editor editor = Editor.open(product, "--agent", "mock")) {
            String session = editor.newSession(folder("agents"));
            List<JsonObject> said = editor.until(editor.prompt(session, "#scenario:subagents-parallel"));
            assertEquals("Both sub-agents reported back.", Editor.text(said, "agent_message_chunk"));
            for (String call : List.of("call_agentA", "call_agentB")) {
                List<JsonObject> updates = said.stream()
                        .map(Editor::update)
                        .filter(update -> update.text("toolCallId", "").equals(call))
                        .toList();
                assertEquals("tool_call", updates.getFirst().text("sessionUpdate"));
                assertEquals("completed", updates.getLast().text("status"));
            }
            assertEquals(
                    2,
                    said.stream()
                            .filter(Editor.isUpdate("tool_call"))
                            .filter(message -> Editor.update(message)
                                    .object("_meta")
                                    .object("brig")
                                    .has("parent_tool_id"))
                            .count());
            List<JsonObject> background = editor.until(editor.prompt(session, "#scenario:subagent-bg"));
            assertTrue(
                    background.stream()
                            .anyMatch(message -> Editor.update(message)
                                    .text("toolCallId", "")
                                    .equals("brig-agent-agentBG")),
                    background::toString);
        }
    }

    @Test
    void shouldAnswerCancelledWhenTheUserStopsATurn() throws IOException {
        try (Editor editor = Editor.open(product, "--agent", "mock")) {
            String session = editor.newSession(folder("cancels"));
            long prompt = editor.prompt(session, "#scenario:hang");
            editor.next(Editor.isUpdate("agent_message_chunk"));
            editor.notify("session/cancel", Map.of("sessionId", session));
            assertEquals("cancelled", editor.result(prompt).text("stopReason"));
            List<JsonObject> next = editor.until(editor.prompt(session, "#scenario:text:2"));
            assertEquals("tok0 tok1", Editor.text(next, "agent_message_chunk"), "the session goes on");
        }
    }

    @Test
    @Tag("slow")
    void shouldShareASessionBetweenEditors() throws IOException {
        Path folder = folder("shared");
        try (Editor one = Editor.open(product, "--agent", "mock");
                Editor two = Editor.open(product, "--agent", "mock")) {
            String session = one.newSession(folder);
            one.result(one.prompt(session, "first"));
            List<JsonObject> listed =
                    two.ask("session/list", Map.of("cwd", folder.toString())).objects("sessions");
            assertEquals(
                    List.of(session),
                    listed.stream().map(info -> info.text("sessionId")).toList());

            List<JsonObject> replayed = two.until(two.begin(
                    "session/load", Map.of("sessionId", session, "cwd", folder.toString(), "mcpServers", List.of())));
            assertEquals("first", Editor.text(replayed, "user_message_chunk"));
            assertEquals("You said: first", Editor.text(replayed, "agent_message_chunk"));

            long hanging = one.prompt(session, "#scenario:hang");
            two.next(Editor.isUpdate("agent_message_chunk"));
            long waiting = two.prompt(session, "second");
            one.notify("session/cancel", Map.of("sessionId", session));
            assertEquals("cancelled", one.result(hanging).text("stopReason"));
            List<JsonObject> answered = two.until(waiting);
            assertEquals(
                    "end_turn", answered.getLast().object("result").text("stopReason"), "its own end, not the other's");
            assertEquals("You said: second", Editor.text(answered, "agent_message_chunk"));
            assertEquals(
                    "second",
                    Editor.update(one.next(Editor.isUpdate("user_message_chunk")))
                            .object("content")
                            .text("text"));

            assertEquals(0, two.end());
            assertFalse(hasEnded(session), "it is not the second editor's");
            assertEquals(0, one.end());
            Await.until("it ends with the editor that began it", () -> hasEnded(session));
        }
    }

    @Test
    void shouldWriteOnlyWithControl() throws IOException {
        try (Editor editor = Editor.open(product, "--agent", "mock")) {
            String session = editor.newSession(folder("control"));
            String token = product.web()
                    .post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"ci\",\"session\":\"" + session + "\"}")
                    .json()
                    .text("token", "");
            try (Wire ci = Wire.unix(product.folder().resolve("io/" + session + "/io.sock"))) {
                ci.sendLine("{\"auth\":\"" + token + "\"}");
                ci.sendLine(Spawned.user("theirs"));
                new Frames().readUntilType(ci, "done");
                JsonObject refusal = editor.refusal("session/prompt", Editor.prompted(session, "ours"));
                assertEquals("CONTROL_HELD", refusal.object("data").text("code"));
                Map<String, Object> taking = Editor.prompted(session, "ours");
                taking.put("_meta", Map.of("brig", Map.of("takeControl", true)));
                assertEquals("end_turn", editor.ask("session/prompt", taking).text("stopReason"));
            }
        }
    }

    @Test
    void shouldAskTheUserWhatTheAgentMayReach() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/curl")), "curl is not here");
        try (Editor editor = Editor.open(product, "--agent", "shell", "--policy", "asks")) {
            String session = editor.newSession(folder("asks"));
            long prompt = editor.prompt(
                    session,
                    "curl -sS http://" + outside.at("ask.test") + "/; curl -sS http://" + outside.at("ask.test") + "/");
            JsonObject question =
                    editor.next(message -> message.text("method", "").equals("session/request_permission"));
            assertEquals(
                    "GET " + outside.at("ask.test"),
                    question.object("params").object("toolCall").text("title"));
            editor.answer(question, Map.of("outcome", Map.of("outcome", "selected", "optionId", "once")));
            JsonObject again = editor.next(message -> message.text("method", "").equals("session/request_permission"));
            editor.answer(again, Map.of("outcome", Map.of("outcome", "selected", "optionId", "deny")));
            List<JsonObject> rest = editor.until(prompt);
            assertTrue(Editor.text(rest, "agent_message_chunk").contains("a person refused it"), rest::toString);
            assertTrue(outside.authorizations.contains("null"), "the first got through");
        }
    }

    @Test
    @Tag("slow")
    void shouldLeaveTheEditorsFolderAloneWhenItWorksInAWorktree() throws IOException {
        Path folder = Files.createDirectories(product.workspaces().resolve("project"));
        host(
                folder,
                "git init -q -b main && echo one > a.txt && git add -A && git -c user.name=a -c user.email=a@example.org"
                        + " commit -qm work" + (Product.isRoot() ? " && chown -R 59617:59617 ." : ""));
        try (Editor editor = Editor.open(product, "--agent", "mock", "-r")) {
            String one = editor.newSession(folder);
            String two = editor.newSession(folder);
            assertEquals(
                    "end_turn",
                    editor.result(editor.prompt(one, "#scenario:write:/workspace/made.txt"))
                            .text("stopReason"));
            assertFalse(Files.exists(folder.resolve("made.txt")));
            assertTrue(product.brig("diff", one).out().contains("+hello from the mock agent"));
            assertEquals("", product.brig("diff", two).out());
            List<JsonObject> listed = editor.ask("session/list", Map.of()).objects("sessions").stream()
                    .filter(info -> info.text("sessionId", "").equals(one))
                    .toList();
            assertEquals(
                    folder.toString().matches("(/[A-Za-z0-9._-]+)+"),
                    listed.getFirst().text("cwd", "").equals(folder.toString()),
                    listed::toString);
            assertEquals(0, editor.end());
        }
    }

    @Test
    void shouldEndOrKeepSessionsWhenTheEditorGoes() throws IOException {
        try (Editor killed = Editor.open(product, "--agent", "mock");
                Editor keeping = Editor.open(product, "--agent", "mock", "--keep")) {
            String gone = killed.newSession(folder("gone"));
            String kept = keeping.newSession(folder("kept"));
            killed.prompt(gone, "#scenario:hang");
            killed.next(Editor.isUpdate("agent_message_chunk"));
            killed.process().destroy();
            killed.awaitEnd();
            Await.until("it ends with SIGTERM", () -> hasEnded(gone));
            assertEquals(0, keeping.end());
            assertFalse(hasEnded(kept));
            try (Editor later = Editor.open(product, "--agent", "mock")) {
                later.ask(
                        "session/resume",
                        Map.of("sessionId", kept, "cwd", folder("kept").toString()));
                assertEquals("end_turn", later.result(later.prompt(kept, "on")).text("stopReason"));
                Map<String, Object> ended =
                        Map.of("sessionId", gone, "cwd", folder("gone").toString(), "mcpServers", List.of());
                List<JsonObject> replayed = later.until(later.begin("session/load", ended));
                assertEquals(
                        "#scenario:hang", Editor.text(replayed, "user_message_chunk"), "what has ended can be read");
                assertEquals(
                        "SESSION_ENDED",
                        later.refusal("session/prompt", Editor.prompted(gone, "on"))
                                .object("data")
                                .text("code"));
            }
            assertEquals(0, product.brig("terminate", kept).exitCode());
        }
    }

    @Test
    @Tag("slow")
    void shouldSurviveWhateverTheEditorSends() throws IOException {
        try (Editor editor = Editor.open(product, "--agent", "mock")) {
            for (String line :
                    List.of("no JSON", "{\"jsonrpc\":\"2.0\",\"id\":1,", "x".repeat(5 * 1024 * 1024), "\u0000")) {
                editor.sendLine(line);
                JsonObject refusal = editor.next();
                assertTrue(refusal.names().contains("id") && !refusal.has("id"), "an id of null");
                assertEquals(-32700, refusal.object("error").number("code", 0));
            }
            assertEquals(-32601, editor.refusal("session/fly", Map.of()).number("code", 0));
            String session = editor.newSession(folder("hostile"));
            assertEquals(
                    -32602,
                    editor.refusal("session/prompt", Editor.prompted(session, "x".repeat(2 * 1024 * 1024)))
                            .number("code", 0));
            assertEquals(
                    "end_turn",
                    editor.result(editor.prompt(session, "still here")).text("stopReason"));
            JsonObject outsideOfBase = editor.refusal("session/new", Map.of("cwd", "/etc", "mcpServers", List.of()));
            assertTrue(
                    outsideOfBase.text("message", "").contains("worker.workspaceBases of brig.json"),
                    outsideOfBase::toString);
            assertEquals("UNKNOWN_POLICY", unknownPolicy());
        }
    }

    private static String unknownPolicy() throws IOException {
        try (Editor editor = Editor.open(product, "--agent", "mock", "--policy", "none-such")) {
            return editor.refusal("session/new", Map.of("cwd", folder("none").toString(), "mcpServers", List.of()))
                    .object("data")
                    .text("code");
        }
    }

    @Test
    @Tag("slow")
    void shouldGoOnWhenTheGatewayIsKilledAndComesBack() throws IOException {
        try (Product own = Product.start()) {
            Path folder = Files.createDirectories(own.workspaces().resolve("restarted"));
            host(folder, Product.isRoot() ? "chown 59617:59617 ." : "true");
            try (Editor editor = Editor.open(own, "--agent", "mock")) {
                String session = editor.newSession(folder);
                long prompt = editor.prompt(session, "#scenario:text:40:100");
                StringBuilder said = new StringBuilder();
                said.append(Editor.update(editor.next(Editor.isUpdate("agent_message_chunk")))
                        .object("content")
                        .text("text"));
                own.kill();
                own.serve();
                List<JsonObject> rest = editor.until(prompt);
                said.append(Editor.text(rest, "agent_message_chunk"));
                assertEquals("end_turn", rest.getLast().object("result").text("stopReason"), rest::toString);
                assertTrue(
                        said.toString().startsWith("tok0 tok1 tok2 ")
                                && said.toString().endsWith(" tok39"),
                        said::toString);
                assertEquals(40, said.toString().split(" ", -1).length, "nothing twice, nothing lost");
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldStartAGatewayOfItsOwnUnlessSessionsAreToStay() throws IOException {
        try (Product alone = Product.prepare(Map.of())) {
            try (Editor editor = Editor.open(alone, "--agent", "mock", "--keep")) {
                JsonObject refusal = editor.refusal("session/list", Map.of());
                assertTrue(refusal.text("message", "").contains("brig serve"), refusal::toString);
            }
            Path folder = Files.createDirectories(alone.workspaces().resolve("own"));
            host(folder, Product.isRoot() ? "chown 59617:59617 ." : "true");
            try (Editor editor = Editor.open(alone, "--agent", "mock")) {
                List<JsonObject> said = editor.until(editor.prompt(editor.newSession(folder), "alone"));
                assertEquals("You said: alone", Editor.text(said, "agent_message_chunk"));
                assertEquals(0, editor.end());
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldServeAnEditorMadeWithTheProtocolsOwnSdk() throws IOException {
        Path modules = Path.of(System.getProperty("brig.npm"));
        Assumptions.assumeTrue(Files.exists(modules.resolve("@agentclientprotocol/sdk")), "npm brought no ACP SDK");
        Path node = modules.resolve("node/bin/node");
        Path folder = folder("sdk");
        List<String> command = product.command("acp", "--agent", "mock");
        command.addAll(
                0,
                List.of(
                        Files.exists(node) ? node.toString() : "node",
                        Path.of("src/e2e/resources/acp/editor.mjs")
                                .toAbsolutePath()
                                .toString(),
                        modules.toString(),
                        folder.toString()));
        Run run = Run.of(command, "", product.folder());
        assertEquals(0, run.exitCode(), run::err);
        JsonObject seen = run.json();
        assertEquals("Brig: mock", seen.text("agent"));
        assertEquals("end_turn cancelled", seen.text("stopReason") + " " + seen.text("cancelled"));
        assertTrue(
                seen.texts("kinds").containsAll(List.of("tool_call", "tool_call_update", "agent_message_chunk")),
                run::out);
        assertTrue(seen.flag("listed"), run::out);
        assertEquals(
                "#scenario:shell:echo from-the-wallThe command finished.#scenario:hangWaiting.", seen.text("replayed"));
        assertEquals(-32002, seen.number("refused", 0));
        assertEquals(0, seen.number("code", -1));
    }
}
