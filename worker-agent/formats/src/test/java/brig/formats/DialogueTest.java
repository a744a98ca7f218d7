package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.AgentTask;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The input that dialogues send to agents, and its order. */
class DialogueTest {
    private static List<Object> methods(ScriptedTalk talk) {
        return talk.written.stream().map(message -> message.get("method")).toList();
    }

    @Test
    void shouldHoldTheMessageUntilThereIsAThreadWhenItComesEarly() {
        ScriptedTalk talk = new ScriptedTalk(
                "codex", new AgentTask("/workspace", "large", "Be brief.", null, false, ScriptedTalk.answering(true)));
        talk.dialogue.start();
        assertTrue(talk.dialogue.send("hello"));
        assertEquals(List.of("initialize"), methods(talk));
        talk.says("{\"id\":1,\"result\":{}}");
        assertEquals(
                Map.of(
                        "cwd",
                        "/workspace",
                        "approvalPolicy",
                        "never",
                        "sandbox",
                        "danger-full-access",
                        "model",
                        "large",
                        "developerInstructions",
                        "Be brief."),
                talk.written.getLast().get("params"));
        talk.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"t1\",\"cliVersion\":\"1\"},\"model\":\"large\"}}");
        assertEquals(List.of("initialize", "initialized", "thread/start", "turn/start"), methods(talk));
        assertEquals(
                Map.of("session_id", "t1", "agent", "codex", "agent_version", "1", "model", "large"),
                talk.frames.getFirst().fields());
    }

    @Test
    void shouldGoOnWithTheSessionWhenOneIsNamed() {
        AgentTask task = new AgentTask("/workspace", null, null, "earlier", false, ScriptedTalk.answering(true));
        ScriptedTalk codex = new ScriptedTalk("codex", task);
        codex.dialogue.start();
        codex.says("{\"id\":1,\"result\":{}}");
        assertEquals("thread/resume", codex.written.getLast().get("method"));
        ScriptedTalk acp = new ScriptedTalk("acp", task);
        acp.dialogue.start();
        acp.says("{\"id\":1,\"result\":{\"agentCapabilities\":{\"loadSession\":true}}}");
        assertEquals("session/load", acp.written.getLast().get("method"));
        acp.says("{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
                + "\"content\":{\"type\":\"text\",\"text\":\"old\"}}}}");
        acp.says("{\"id\":2,\"result\":{}}");
        assertEquals(
                List.of(Map.of("session_id", "earlier")),
                acp.frames.stream().map(ScriptedTalk.Frame::fields).toList());
    }

    @Test
    void shouldGoOnWithACopyOfTheSessionInAFork() {
        ScriptedTalk codex = new ScriptedTalk(
                "codex", new AgentTask("/workspace", null, null, "earlier", false, ScriptedTalk.answering(true), true));
        codex.dialogue.start();
        codex.says("{\"id\":1,\"result\":{}}");
        assertEquals("thread/fork", codex.written.getLast().get("method"));
        codex.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"copy\"},\"model\":\"m\"}}");
        assertEquals("copy", codex.frames.getLast().text("session_id"));
    }

    @Test
    void shouldTellNothingOfThePastOfACopyWhenTheAgentReplaysIt() {
        ScriptedTalk talk = new ScriptedTalk(
                "opencode",
                new AgentTask("/workspace", null, null, "earlier", false, ScriptedTalk.answering(true), true));
        talk.dialogue.start();
        talk.says(
                "{\"id\":1,\"result\":{\"agentCapabilities\":{\"sessionCapabilities\":{\"resume\":{},\"fork\":{}}}}}");
        assertEquals("session/fork", talk.written.getLast().get("method"));
        assertEquals(
                Map.of("sessionId", "earlier", "cwd", "/workspace", "mcpServers", List.of()),
                talk.written.getLast().get("params"));
        talk.says("{\"method\":\"opencode/event\",\"params\":{\"type\":\"message.part.updated\",\"properties\":{"
                + "\"sessionID\":\"copy\",\"part\":{\"type\":\"tool\",\"tool\":\"task\",\"callID\":\"c\",\"state\":{"
                + "\"status\":\"completed\",\"input\":{},\"metadata\":{\"sessionId\":\"child\"}}}}}}");
        talk.says("{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
                + "\"content\":{\"type\":\"text\",\"text\":\"old\"}}}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"copy\"}}");
        assertEquals(
                List.of(Map.of("session_id", "copy")),
                talk.frames.stream().map(ScriptedTalk.Frame::fields).toList());
        talk.dialogue.send("go on");
        assertEquals(
                "copy", JsonObject.of(talk.written.getLast()).object("params").text("sessionId"));
    }

    @Test
    void shouldSayWhyAndTakeNoMoreWhenTheAgentRefusesToBegin() {
        for (String adapter : List.of("codex", "acp")) {
            ScriptedTalk talk = new ScriptedTalk(adapter);
            talk.dialogue.start();
            talk.dialogue.send("hello");
            talk.says("{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"not logged in\"}}");
            assertEquals("not logged in", talk.frames.getFirst().text("error"));
            assertEquals(
                    Map.of("exit_code", 1L, "reason", "failed"),
                    talk.frames.getLast().fields());
            assertEquals(1, talk.turnsDone);
            assertFalse(talk.dialogue.send("again"));
        }
    }

    @Test
    void shouldSayWhatTheCaptainWantsFirstOnceWhenTheProtocolHasNoPlaceForIt() {
        ScriptedTalk talk = new ScriptedTalk(
                "acp", new AgentTask("/workspace", null, "Be brief.", null, false, ScriptedTalk.answering(true)));
        talk.dialogue.start();
        talk.dialogue.send("one");
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"}}");
        assertTrue(talk.written.getLast().toString().contains("Be brief.\n\none"));
        talk.says("{\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}");
        talk.dialogue.send("two");
        assertEquals(
                List.of(JsonObject.of(Map.of("type", "text", "text", "two"))),
                JsonObject.of(talk.written.getLast()).object("params").value("prompt"));
    }

    @Test
    void shouldSayTheSystemPromptOverClaudesOwnChannelBeforeTheMessage() {
        AgentTask task = new AgentTask("/workspace", null, "Be brief.", null, false, ScriptedTalk.answering(true));
        ScriptedTalk talk = new ScriptedTalk("claude", task);
        talk.dialogue.start();
        assertTrue(talk.dialogue.send("hello"));
        assertEquals(
                List.of(Map.of(
                        "type",
                        "control_request",
                        "request_id",
                        "brig-initialize",
                        "request",
                        Map.of("subtype", "initialize", "appendSystemPrompt", "Be brief."))),
                talk.written);
        talk.says("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"other\"}}");
        assertEquals(1, talk.written.size());
        talk.says(
                "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"brig-initialize\"}}");
        assertEquals("user", talk.written.getLast().get("type"));
        assertTrue(talk.dialogue.send("again"));
        assertEquals(3, talk.written.size());
        ScriptedTalk refused = new ScriptedTalk("claude", task);
        refused.dialogue.start();
        refused.dialogue.send("hello");
        refused.says(
                "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"brig-initialize\","
                        + "\"error\":\"too late\"}}");
        assertEquals(
                "the agent did not take the system prompt: too late",
                refused.frames.getFirst().text("error"));
        assertEquals(
                Map.of("exit_code", 1L, "reason", "failed"),
                refused.frames.getLast().fields());
        assertFalse(refused.dialogue.send("again"), "it does not continue without the system prompt");
    }

    private static ScriptedTalk acpWith(String model, String answer) {
        ScriptedTalk talk = new ScriptedTalk(
                "acp", new AgentTask("/workspace", model, null, null, false, ScriptedTalk.answering(true)));
        talk.dialogue.start();
        talk.dialogue.send("hello");
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"" + answer + "}}");
        return talk;
    }

    @Test
    void shouldChooseTheModelBeforeTheMessageAndNotGoOnWithAnother() {
        String offered = ",\"configOptions\":[{\"id\":\"model\",\"currentValue\":\"p/small\",\"options\":"
                + "[{\"value\":\"p/small\"},{\"value\":\"p/large\"}]}]";
        assertEquals(
                "session/prompt",
                acpWith("small", offered).written.getLast().get("method"),
                "the session has that model already");
        ScriptedTalk large = acpWith("large", offered);
        assertEquals(
                Map.of("sessionId", "s", "configId", "model", "value", "p/large"),
                large.written.getLast().get("params"));
        large.says("{\"id\":3,\"result\":{}}");
        assertEquals("session/prompt", large.written.getLast().get("method"));
        for (String answer : List.of(offered, "")) {
            ScriptedTalk unknown = acpWith("huge", answer);
            unknown.says("{\"id\":3,\"error\":{\"message\":\"model not found: huge\"}}");
            assertEquals("session/set_config_option", unknown.written.getLast().get("method"));
            assertEquals(
                    "model not found: huge",
                    unknown.frames(FrameType.ERROR).getFirst().text("error"));
            assertEquals(1, unknown.turnsDone);
        }
    }

    private static String event(String type, String properties) {
        return "{\"method\":\"opencode/event\",\"params\":{\"type\":\"" + type + "\",\"properties\":{" + properties
                + "}}}";
    }

    private static String call(String session, int input) {
        return event(
                "message.part.updated",
                "\"sessionID\":\"" + session + "\",\"part\":{\"type\":\"step-finish\",\"tokens\":" + "{\"input\":"
                        + input + ",\"output\":2,\"cache\":{\"read\":0}},\"cost\":0}");
    }

    /** Scenario: a turn of two calls, then a turn whose last event follows its end, then another turn. */
    @Test
    void shouldCountAllModelCallsOfATurnOfOpenCode() {
        ScriptedTalk talk = new ScriptedTalk("opencode");
        talk.dialogue.start();
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"}}");
        List<List<String>> turns = List.of(
                List.of(call("s", 10), call("s", 30)), List.of(call("s", 40)), List.of(call("s", 50), call("s", 60)));
        List<Integer> lastOfTurn = List.of(30, 50, 60);
        for (int i = 0; i < turns.size(); i++) {
            talk.dialogue.send("hello");
            turns.get(i).forEach(talk::says);
            talk.says("{\"id\":" + (i + 3) + ",\"result\":{\"stopReason\":\"end_turn\",\"usage\":{\"inputTokens\":"
                    + lastOfTurn.get(i) + ",\"outputTokens\":2}}}");
        }
        assertEquals(
                List.of(40L, 90L, 60L),
                talk.frames(FrameType.DONE).stream()
                        .map(done ->
                                JsonObject.of(done.fields()).object("usage").number("input_tokens", 0))
                        .toList());
        assertEquals(3, talk.frames(FrameType.USAGE).size());
    }

    @Test
    void shouldTellWhatASubAgentOfOpenCodeAskedAndWasAnswered() {
        ScriptedTalk talk = new ScriptedTalk(
                "opencode", new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(false)));
        talk.dialogue.start();
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"}}");
        talk.says(event("session.created", "\"info\":{\"id\":\"child\",\"parentID\":\"s\",\"agent\":\"general\"}"));
        talk.says("{\"id\":\"per_1\",\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"child\","
                + "\"toolCall\":{\"toolCallId\":\"call_1\",\"title\":\"bash\",\"rawInput\":{\"command\":\"ls\"}},"
                + "\"options\":[{\"optionId\":\"reject\",\"kind\":\"reject_once\"}]}}");
        assertEquals(
                Map.of(
                        "id",
                        "per_1",
                        "agent",
                        "child",
                        "tool",
                        "call_1",
                        "name",
                        "bash",
                        "input",
                        Map.of("command", "ls"),
                        "decision",
                        "deny"),
                talk.frames(FrameType.PERMISSION).getFirst().fields());
        assertEquals(
                "general",
                talk.frames(FrameType.SUBAGENT).getFirst().text("subagent_type"),
                "it has its place in the tree");
    }

    @ParameterizedTest
    @ValueSource(strings = {"acp", "codex", "claude"})
    void shouldHaveNothingToCancelWhenAMessageCouldNotBeHandedOver(String adapter) {
        ScriptedTalk talk = new ScriptedTalk(adapter);
        talk.dialogue.start();
        if (!adapter.equals("claude")) {
            talk.says("{\"id\":1,\"result\":{}}");
            talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\",\"thread\":{\"id\":\"s\"}}}");
        }
        talk.inputOpen = false;
        assertFalse(talk.dialogue.send("one"));
        talk.inputOpen = true;
        assertFalse(talk.dialogue.cancel());
        assertTrue(talk.dialogue.send("two"));
        assertTrue(talk.dialogue.cancel());
    }

    @Test
    void shouldInterruptATurnThatBeginsAfterTheCancel() {
        // Scenario: the captain cancels before Codex has named the turn.
        ScriptedTalk talk = new ScriptedTalk("codex");
        talk.dialogue.start();
        talk.dialogue.send("hello");
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"t1\"}}}");
        assertTrue(talk.dialogue.cancel());
        assertEquals("turn/start", talk.written.getLast().get("method"));
        talk.says("{\"method\":\"turn/started\",\"params\":{\"threadId\":\"t1\",\"turn\":{\"id\":\"u1\"}}}");
        assertEquals(
                Map.of("threadId", "t1", "turnId", "u1"), talk.written.getLast().get("params"));
        talk.says("{\"method\":\"turn/completed\",\"params\":{\"threadId\":\"t1\",\"turn\":{\"id\":\"u1\","
                + "\"status\":\"interrupted\"}}}");
        assertEquals(
                Map.of("exit_code", 1L, "reason", "cancelled"),
                talk.frames.getLast().fields());
    }

    @Test
    void shouldRefuseAtOnceWhatItDoesNotServe() {
        ScriptedTalk acp = new ScriptedTalk("acp");
        acp.says(
                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"fs/read_text_file\",\"params\":{\"path\":\"/etc/passwd\"}}");
        assertEquals(
                "{jsonrpc=2.0, id=5, error={code=-32601, message=not served by this client}}",
                sorted(acp.written.getLast()));
        ScriptedTalk codex = new ScriptedTalk("codex");
        codex.says("{\"id\":\"r\",\"method\":\"account/chatgptAuthTokens/refresh\",\"params\":{}}");
        assertTrue(codex.written.getLast().containsKey("error"));
        ScriptedTalk claude = new ScriptedTalk("claude");
        claude.says("{\"type\":\"control_request\",\"request_id\":\"q\",\"request\":{\"subtype\":\"hook_callback\"}}");
        assertTrue(claude.written.getLast().toString().contains("subtype=error"));
        assertEquals(FrameType.RAW, claude.frames.getLast().type());
    }

    @Test
    void shouldNotBeginWhatWasCancelledBeforeThereWasASession() {
        for (String adapter : List.of("codex", "acp")) {
            ScriptedTalk talk = new ScriptedTalk(adapter);
            talk.dialogue.start();
            talk.dialogue.send("hello");
            assertTrue(talk.dialogue.cancel());
            talk.says("{\"id\":1,\"result\":{}}");
            talk.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"t\"},\"sessionId\":\"t\"}}");
            assertEquals(
                    Map.of("exit_code", 1L, "reason", "cancelled"),
                    talk.frames.getLast().fields());
            assertFalse(methods(talk).contains("turn/start") || methods(talk).contains("session/prompt"));
        }
    }

    private static String sorted(Map<String, Object> message) {
        @SuppressWarnings("unchecked")
        Map<String, Object> error = (Map<String, Object>) message.get("error");
        return "{jsonrpc=" + message.get("jsonrpc") + ", id=" + message.get("id") + ", error={code=" + error.get("code")
                + ", message=" + error.get("message") + "}}";
    }

    @Test
    void shouldAnswerEveryApprovalAsTheProfileSays() {
        for (boolean allow : List.of(true, false)) {
            ScriptedTalk talk = new ScriptedTalk(
                    "codex", new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(allow)));
            talk.says("{\"id\":1,\"method\":\"item/commandExecution/requestApproval\",\"params\":{\"itemId\":\"i\","
                    + "\"command\":\"rm -rf x\"}}");
            assertEquals(
                    Map.of("decision", allow ? "accept" : "decline"),
                    talk.written.getLast().get("result"));
            assertEquals(allow ? "allow" : "deny", talk.frames.getLast().text("decision"));
            talk.says("{\"id\":2,\"method\":\"item/permissions/requestApproval\",\"params\":{\"permissions\":"
                    + "{\"network\":{\"enabled\":true}}}}");
            assertEquals(
                    Map.of("permissions", allow ? Map.of("network", Map.of("enabled", true)) : Map.of()),
                    talk.written.getLast().get("result"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            item/fileChange/requestApproval | edit        | {decision=accept}   | {decision=decline} | allow
            execCommandApproval             | shell       | {decision=approved} | {decision=denied}  | allow
            applyPatchApproval              | edit        | {decision=approved} | {decision=denied}  | allow
            item/permissions/requestApproval| permissions | {permissions={}}    | {permissions={}}   | allow
            item/tool/requestUserInput      |             | {answers={}}        | {answers={}}       | deny
            mcpServer/elicitation/request   |             | {action=decline}    | {action=decline}   | deny
            """)
    void shouldAnswerEachRequestOfCodexUnderItsIdAlsoWhereThatIsAText(
            String method, String tool, String allowed, String denied, String decision) {
        for (boolean allow : List.of(true, false)) {
            ScriptedTalk talk = new ScriptedTalk(
                    "codex", new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(allow)));
            talk.says("{\"id\":\"r-1\",\"method\":\"" + method + "\"}");
            assertEquals("r-1", talk.written.getLast().get("id"));
            assertEquals(
                    allow ? allowed : denied,
                    talk.written.getLast().get("result").toString());
            assertEquals(
                    Map.of("id", "r-1", "name", tool == null ? method : tool, "decision", allow ? decision : "deny"),
                    talk.frames.getLast().fields());
        }
    }

    @Test
    void shouldTellALongOutputInPiecesThatJoinWhenItIsCharactersOfControl() {
        // Scenario: 1 MiB of control characters, which JSON writes as 6 bytes each.
        ScriptedTalk talk = new ScriptedTalk("codex");
        talk.says("{\"id\":2,\"result\":{}}");
        String output = "\u0001".repeat(1 << 20);
        talk.dialogue.start();
        talk.says("{\"id\":1,\"result\":{}}");
        talk.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"t\"}}}");
        talk.says(
                "{\"method\":\"item/completed\",\"params\":{\"threadId\":\"t\",\"item\":{\"type\":\"commandExecution\","
                        + "\"id\":\"c\",\"command\":\"x\",\"status\":\"completed\",\"aggregatedOutput\":\""
                        + "\\u0001".repeat(1 << 20) + "\"}}}");
        StringBuilder joined = new StringBuilder();
        talk.frames(FrameType.TOOL).forEach(frame -> joined.append(frame.text("output")));
        assertEquals(output, joined.toString());
        assertEquals("completed", talk.frames.getLast().text("status"));
    }

    @Test
    void shouldShortenAnInputThatFitsNoFrame() {
        ScriptedTalk talk = new ScriptedTalk("claude");
        talk.says("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\","
                + "\"name\":\"Write\",\"input\":{\"file_path\":\"a.txt\",\"content\":\"" + "x".repeat(3_000_000)
                + "\"}}]}}");
        ScriptedTalk.Frame tool = talk.frames.getLast();
        assertEquals(true, tool.fields().get("truncated"));
        assertTrue(tool.fields().get("input").toString().startsWith("{file_path=a.txt, content=xxx"));
    }

    @Test
    void shouldEndWhatLivesWhenTheProcessEnds() {
        ScriptedTalk talk = Recording.of("claude", "bidi-close-mid-tool").play();
        assertTrue(talk.frames(FrameType.SUBAGENT).isEmpty());
        ScriptedTalk cut = new ScriptedTalk("claude");
        cut.says("{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"a\",\"task_type\":\"local_agent\"}");
        cut.ends();
        assertEquals("killed", cut.frames.getLast().text("status"));
    }
}
