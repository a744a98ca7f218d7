package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Asks;
import brig.formats.permission.Permissions;
import brig.formats.permission.Rule;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.PermissionMode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requests of agents whose profile leaves the decision to a person. */
class AskingTest {
    private static final String CLAUDE = "{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":"
            + "{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{\"command\":\"ls\"},"
            + "\"tool_use_id\":\"t1\",\"agent_id\":\"a1\",\"description\":\"List files\"}}";
    private static final String CODEX =
            "{\"id\":\"r1\",\"method\":\"item/commandExecution/requestApproval\",\"params\":"
                    + "{\"threadId\":\"sub\",\"itemId\":\"i\",\"command\":\"rm -rf x\",\"reason\":\"to tidy up\"}}";
    private static final String ACP =
            "{\"jsonrpc\":\"2.0\",\"id\":\"r1\",\"method\":\"session/request_permission\",\"params\":"
                    + "{\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"bash\",\"rawInput\":{\"command\":\"ls\"}},"
                    + "\"options\":[{\"optionId\":\"o\",\"kind\":\"allow_once\"},{\"optionId\":\"n\",\"kind\":\"reject_once\"}]}}";

    private static final Map<String, Object> CANCELLED =
            Map.of("jsonrpc", "2.0", "id", "r1", "result", Map.of("outcome", Map.of("outcome", "cancelled")));

    private static String request(String adapter) {
        return switch (adapter) {
            case "claude" -> CLAUDE;
            case "codex" -> CODEX;
            default -> ACP;
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude | allow | {behavior=allow, updatedInput={command=ls}}
            claude | deny  | {behavior=deny, message=not allowed here}
            codex  | allow | {decision=accept}
            codex  | deny  | {decision=decline}
            acp    | allow | {outcome={outcome=selected, optionId=o}}
            acp    | deny  | {outcome={outcome=selected, optionId=n}}
            """)
    void shouldHoldARequestUntilItIsAnsweredAndAnswerInTheAgentsOwnWords(
            String adapter, String option, String expected) {
        ScriptedTalk talk = ScriptedTalk.asking(adapter);
        talk.says(request(adapter));
        assertEquals(List.of(), talk.written);
        talk.asks.answer("r1", option);
        Map<String, Object> answer = talk.written.getLast();
        assertEquals(expected, answerOf(answer).toString());
    }

    @SuppressWarnings("unchecked")
    private static Object answerOf(Map<String, Object> line) {
        return line.containsKey("result")
                ? line.get("result")
                : ((Map<String, Object>) line.get("response")).get("response");
    }

    @Test
    void shouldSayWhoAsksWhat() {
        ScriptedTalk claude = ScriptedTalk.asking("claude");
        claude.says(CLAUDE);
        Asks.Request asked = claude.asks.open.get("r1");
        assertEquals(Frame.Ask.Kind.TOOL, asked.kind());
        assertEquals("a1", asked.agent());
        assertEquals("t1", asked.tool());
        assertEquals("Bash: List files", asked.title());
        assertEquals("deny", asked.fallback());

        ScriptedTalk codex = ScriptedTalk.asking("codex");
        codex.says(CODEX);
        assertEquals("sub", codex.asks.open.get("r1").agent());
        assertEquals("rm -rf x", codex.asks.open.get("r1").detail());
    }

    @Test
    void shouldAllowTheSameCallForTheSessionAndNoOther() {
        ScriptedTalk talk = ScriptedTalk.asking("claude");
        talk.says(CLAUDE);
        talk.asks.answer("r1", "allow_session");
        talk.says(CLAUDE.replace("r1", "r2"));
        assertEquals("allow", talk.frames.getLast().text("decision"));
        assertEquals(2, talk.written.size());
        talk.says(CLAUDE.replace("r1", "r3").replace("ls", "ls; rm -rf ."));
        assertTrue(talk.asks.open.containsKey("r3"));
    }

    @Test
    void shouldNotOfferTheSameCallWhereNobodyCanTellWhichThatIs() {
        ScriptedTalk talk = ScriptedTalk.asking("codex");
        talk.says("{\"id\":\"r1\",\"method\":\"item/fileChange/requestApproval\"}");
        assertFalse(talk.asks.open.get("r1").options().stream()
                .anyMatch(option -> option.id().equals("allow_session")));
        talk.says(CODEX.replace("r1", "r2"));
        assertTrue(talk.asks.open.get("r2").options().stream()
                .anyMatch(option -> option.id().equals("allow_session")));
    }

    @Test
    void shouldNotTakeAnotherHostForTheSameCall() {
        // A rule for commands does not decide about hosts either.
        Permissions permissions =
                new Permissions(PermissionMode.ASK, List.of(new Rule("permissions", "curl*", PermissionMode.ALLOW)));
        ScriptedTalk talk =
                new ScriptedTalk("codex", new AgentTask("/workspace", null, null, null, false, permissions));
        String first = "{\"id\":\"r1\",\"method\":\"item/commandExecution/requestApproval\",\"params\":"
                + "{\"command\":\"curl\",\"networkApprovalContext\":{\"host\":\"a\"}}}";
        talk.says(first);
        assertTrue(String.valueOf(talk.asks.open.get("r1").detail()).contains("host"));
        talk.asks.answer("r1", "allow_session");
        talk.says(first.replace("r1", "r2").replace("\"a\"", "\"b\""));
        assertTrue(talk.asks.open.containsKey("r2"));
        talk.says(first.replace("r1", "r3"));
        assertFalse(talk.asks.open.containsKey("r3"));
    }

    /** The tool is what rules of that agent's profile write. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude | Bash        | {"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"%s"}}}
            acp    | execute     | {"id":"r1","method":"session/request_permission","params":{"toolCall":{"title":"%s","kind":"execute","rawInput":{"command":"%s"}}}}
            codex  | shell       | {"id":"r1","method":"item/commandExecution/requestApproval","params":{"command":"/bin/bash -lc '%s'"}}
            codex  | shell       | {"id":"r1","method":"execCommandApproval","params":{"command":["bash","-lc","%s"]}}
            """)
    void shouldDecideByRulesAtOnceAndAskWhereTheyCannotTell(String adapter, String tool, String line) {
        Permissions permissions = new Permissions(
                PermissionMode.ASK,
                List.of(
                        new Rule("other", null, PermissionMode.ALLOW),
                        new Rule(tool, "git push*", PermissionMode.DENY),
                        new Rule(tool, "git *", PermissionMode.ALLOW)));
        ScriptedTalk talk =
                new ScriptedTalk(adapter, new AgentTask("/workspace", null, null, null, false, permissions));
        talk.says(line.replace("%s", "git status && git log"));
        assertEquals("allow", talk.frames.getLast().text("decision"));
        talk.says(line.replace("%s", "git pull; git push x"));
        assertEquals("deny", talk.frames.getLast().text("decision"));
        talk.says(line.replace("%s", "git $(rm x)"));
        assertTrue(talk.asks.open.containsKey("r1"));
        assertEquals(2, talk.written.size());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            item/fileChange/requestApproval  | edit
            applyPatchApproval               | edit
            item/permissions/requestApproval | permissions
            """)
    void shouldKnowTheToolsOfCodexByName(String method, String tool) {
        Permissions permissions =
                new Permissions(PermissionMode.ASK, List.of(new Rule(tool, null, PermissionMode.DENY)));
        ScriptedTalk talk =
                new ScriptedTalk("codex", new AgentTask("/workspace", null, null, null, false, permissions));
        talk.says("{\"id\":\"r1\",\"method\":\"" + method + "\"}");
        assertEquals("deny", talk.frames.getLast().text("decision"));
    }

    @ParameterizedTest
    @CsvSource({"ALLOW, false, never", "ALLOW, true, untrusted", "ASK, false, untrusted", "DENY, true, untrusted"})
    void shouldStartCodexSoThatItAsksWhereThereAreRules(PermissionMode mode, boolean hasRule, String policy) {
        List<Rule> rules = hasRule ? List.of(new Rule("shell", "git *", PermissionMode.ALLOW)) : List.of();
        ScriptedTalk talk = new ScriptedTalk(
                "codex", new AgentTask("/workspace", null, null, null, false, new Permissions(mode, rules)));
        talk.dialogue.start();
        talk.says("{\"id\":1,\"result\":{}}");
        assertTrue(talk.written.getLast().toString().contains("approvalPolicy=" + policy), talk.written.toString());
    }

    /** Scenario: Codex announces a change of files with its diff, and then asks whether it may make it. */
    @Test
    void shouldShowWhatWouldChangeAndBindTheAnswerToIt() {
        ScriptedTalk talk = ScriptedTalk.asking("codex");
        String item =
                "{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"fileChange\",\"id\":\"i\",\"changes\":"
                        + "[{\"path\":\"a.txt\",\"diff\":\"+new\"}]}}}";
        String asks = "{\"id\":\"r1\",\"method\":\"item/fileChange/requestApproval\",\"params\":{\"itemId\":\"i\"}}";
        talk.says(item);
        talk.says(asks);
        assertEquals("edit", talk.asks.open.get("r1").title());
        assertEquals(
                "{changes=[{path=a.txt, diff=+new}]}",
                String.valueOf(talk.asks.open.get("r1").detail()));
        talk.asks.answer("r1", "allow_session");
        talk.says(asks.replace("r1", "r2").replace("\"i\"", "\"unknown\""));
        talk.says(asks.replace("r1", "r3").replace("\"i\"", "\"other\""));
        talk.asks.answer("r2", "allow_session");
        assertEquals(Set.of("r3"), talk.asks.open.keySet(), "two unknown changes are not the same");
        talk.says(asks.replace("r1", "r4").replace("\"i\"", "\"other\""));
        talk.says(asks.replace("r1", "r5"));
        assertEquals(Set.of("r3", "r4"), talk.asks.open.keySet(), "the same change is allowed already");
        talk.says(item.replace("a.txt", "b.txt"));
        talk.says(asks.replace("r1", "r6"));
        assertTrue(talk.asks.open.containsKey("r6"), "another file");
    }

    @Test
    void shouldIgnoreAnAnswerAfterTheEndOfTheAgent() {
        ScriptedTalk talk = ScriptedTalk.asking("claude");
        talk.says(CLAUDE);
        talk.ends();
        talk.inputOpen = false;
        talk.asks.answer("r1", "allow");
        assertEquals(List.of(), talk.written);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude | {"type":"control_cancel_request","request_id":"r1"} | 0
            codex  | {"method":"serverRequest/resolved","params":{"requestId":"r1"}} | 0
            acp    | {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"r1"}} | 1
            acp    | {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}}} | 1
            """)
    void shouldWithdrawARequestThatTheAgentNoLongerWaitsFor(String adapter, String line, int answers) {
        ScriptedTalk talk = ScriptedTalk.asking(adapter);
        talk.says(request(adapter));
        talk.says(line);
        assertEquals(Map.of(), talk.asks.open);
        assertEquals(answers, talk.written.size());
        talk.says(line);
        assertEquals(answers, talk.written.size());
        assertTrue(talk.written.stream().allMatch(CANCELLED::equals), talk.written::toString);
    }

    /** Scenario: OpenCode refuses all calls of a step with one of them, and asks for the others nevertheless. */
    @Test
    void shouldNotAskForACallThatIsOver() {
        ScriptedTalk talk = ScriptedTalk.asking("acp");
        talk.says("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":"
                + "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"failed\"}}}");
        talk.says(ACP);
        assertEquals(Map.of(), talk.asks.open);
        assertEquals(List.of(CANCELLED), talk.written);
    }
}
