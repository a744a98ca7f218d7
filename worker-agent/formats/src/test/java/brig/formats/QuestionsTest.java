package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Asks;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The questions of agents to a person. */
class QuestionsTest {
    private static final List<Map<String, ?>> COLOURS =
            List.of(Map.of("label", "Red", "description", "warm"), Map.of("label", "Blue"));

    private static Map<String, Object> question(String text) {
        return Map.of("id", text, "header", "Colour", "question", text, "isOther", true, "options", COLOURS);
    }

    /** The request of that agent, with the id r1, by its sub-agent. */
    private static String request(String adapter, List<?> questions) {
        Map<String, ?> line = switch (adapter) {
            case "claude" ->
                Map.of(
                        "type",
                        "control_request",
                        "request_id",
                        "r1",
                        "request",
                        Map.of(
                                "subtype",
                                "can_use_tool",
                                "tool_name",
                                "AskUserQuestion",
                                "tool_use_id",
                                "t1",
                                "agent_id",
                                "sub",
                                "input",
                                Map.of("questions", questions)));
            case "codex" ->
                Map.of(
                        "id",
                        "r1",
                        "method",
                        "item/tool/requestUserInput",
                        "params",
                        Map.of("threadId", "sub", "itemId", "t1", "questions", questions));
            default ->
                Map.of(
                        "id",
                        "r1",
                        "method",
                        "opencode/question",
                        "params",
                        Map.of("sessionID", "sub", "tool", Map.of("callID", "t1"), "questions", questions));
        };
        return new String(Json.write(line), StandardCharsets.UTF_8);
    }

    /** A dialogue with an agent that has a sub-agent. */
    private static ScriptedTalk talk(String adapter) {
        ScriptedTalk talk = ScriptedTalk.asking(adapter);
        if (adapter.equals("opencode")) {
            talk.dialogue.start();
            talk.says("{\"id\":1,\"result\":{}}");
            talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"}}");
            talk.says("{\"method\":\"opencode/event\",\"params\":{\"type\":\"session.created\",\"properties\":"
                    + "{\"info\":{\"id\":\"sub\",\"parentID\":\"s\"}}}}");
        }
        talk.written.clear();
        return talk;
    }

    /** What the agent got, without the envelope of its protocol. */
    @SuppressWarnings("unchecked")
    private static String answer(ScriptedTalk talk) {
        assertEquals(1, talk.written.size(), talk.written::toString);
        Map<String, Object> line = talk.written.getFirst();
        Map<String, Object> result = (Map<String, Object>)
                (line.containsKey("result")
                        ? line.get("result")
                        : ((Map<String, Object>) line.get("response")).get("response"));
        return String.valueOf(result.get("updatedInput") instanceof Map<?, ?> input ? input.get("answers") : result);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude   | {One?=Blue, Two?=Green}
            codex    | {answers={One?={answers=[Blue]}, Two?={answers=[Green]}}}
            opencode | {answers=[[Blue], [Green]]}
            """)
    void shouldAnswerARequestWhenEachOfItsQuestionsHasAnAnswer(String adapter, String expected) {
        ScriptedTalk talk = talk(adapter);
        talk.says(request(adapter, List.of(question("One?"), question("Two?"))));
        Asks.Request first = talk.asks.open.get("r1");
        assertEquals(Frame.Ask.Kind.QUESTION, first.kind());
        assertEquals("sub", first.agent());
        assertEquals("t1", first.tool());
        assertEquals("One?", first.title());
        assertTrue(first.text());
        assertEquals("decline", first.fallback());
        assertEquals(
                List.of("Red", "Blue", "Do not answer"),
                first.options().stream().map(Frame.Ask.Option::name).toList());
        talk.asks.say("r1#2", "Green");
        assertEquals(List.of(), talk.written);
        talk.asks.answer("r1", "2");
        assertEquals(expected, answer(talk));
        assertEquals(Map.of(), talk.asks.open);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude   | {behavior=deny, message=nobody answered}
            codex    | {answers={}}
            opencode | {}
            """)
    void shouldDeclineARequestWithOneOfItsQuestions(String adapter, String expected) {
        ScriptedTalk talk = talk(adapter);
        talk.says(request(adapter, List.of(question("One?"), question("Two?"), question("Three?"))));
        talk.asks.answer("r1", "1");
        talk.asks.answer("r1#2", "decline");
        assertEquals(expected, answer(talk));
        assertEquals(Map.of(), talk.asks.open, "nobody is asked for what nobody waits for");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude   | {"type":"control_cancel_request","request_id":"r1"}
            codex    | {"method":"serverRequest/resolved","params":{"requestId":"r1"}}
            opencode | {"method":"$/cancel_request","params":{"requestId":"r1"}}
            """)
    void shouldWithdrawAllQuestionsOfARequest(String adapter, String line) {
        ScriptedTalk talk = talk(adapter);
        talk.says(request(adapter, List.of(question("One?"), question("Two?"))));
        assertEquals(2, talk.asks.open.size());
        talk.says(line);
        assertEquals(Map.of(), talk.asks.open);
        assertEquals(List.of(), talk.written);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Red, Blue     | {One?=Red, Blue}
            2             | {One?=Blue}
            2,1           | {One?=Blue, Red}
            Red, or Green | {One?=Red, or Green}
            """)
    void shouldTakeSeveralChoicesSeparatedByCommas(String text, String expected) {
        ScriptedTalk talk = talk("claude");
        talk.says(request("claude", List.of(Map.of("question", "One?", "multiSelect", true, "options", COLOURS))));
        talk.asks.say("r1", text);
        assertEquals(expected, answer(talk));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldDeclineWhatCannotBeShown(String adapter) {
        for (List<?> hostile : List.of(
                List.of(),
                Collections.nCopies(1000, question("One?")),
                List.of(Map.of("header", "no text")),
                List.of(Map.of("question", 5)),
                List.of(Map.of("question", "One?", "options", Collections.nCopies(1000, Map.of("label", "x")))))) {
            ScriptedTalk talk = talk(adapter);
            talk.says(request(adapter, hostile));
            assertEquals(Map.of(), talk.asks.open, () -> hostile.toString().substring(0, 2));
            assertEquals("deny", talk.frames(FrameType.PERMISSION).getFirst().text("decision"));
            answer(talk);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldKeepHugeAndStrangeChoicesSmallAndGiveThemBackWhole(String adapter) {
        String huge = "\u001b[31m" + "x".repeat(1 << 20);
        ScriptedTalk talk = talk(adapter);
        List<Map<String, ?>> options = new ArrayList<>(List.of(
                Map.of("label", huge, "description", huge), Map.of("description", "no label"), Map.of("label", " ")));
        options.addAll(Collections.nCopies(30, Map.of("label", "same")));
        talk.says(request(
                adapter, List.of(Map.of("id", "q", "question", "Which?", "isOther", true, "options", options))));
        Asks.Request asked = talk.asks.open.get("r1");
        assertEquals(32, asked.options().size(), "31 with a label, and the default");
        assertEquals(
                32,
                asked.options().stream().map(Frame.Ask.Option::id).distinct().count());
        assertTrue(Json.write(Map.of("o", asked.options().toString())).length < 64 * 1024);
        talk.asks.answer("r1", "1");
        assertTrue(answer(talk).contains(huge));
    }

    @Test
    void shouldAskNoPersonForASecret() {
        ScriptedTalk talk = talk("codex");
        talk.says(request(
                "codex", List.of(question("One?"), Map.of("id", "key", "question", "Your key?", "isSecret", true))));
        assertEquals(Map.of(), talk.asks.open);
        assertEquals("{answers={}}", answer(talk));
    }

    @ParameterizedTest
    @CsvSource({"claude, true", "claude, false", "codex, true", "codex, false", "opencode, true", "opencode, false"})
    void shouldAskNobodyWhereTheProfileDecides(String adapter, boolean allow) {
        ScriptedTalk talk = new ScriptedTalk(
                adapter, new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(allow)));
        talk.says(request(adapter, List.of(question("One?"))));
        assertEquals(Map.of(), talk.asks.open);
        assertEquals(1, talk.written.size());
        assertFalse(talk.frames(FrameType.PERMISSION).isEmpty());
    }

    private static String elicitation(String mode, String schema) {
        return "{\"id\":\"r1\",\"method\":\"mcpServer/elicitation/request\",\"params\":{\"threadId\":\"sub\","
                + "\"serverName\":\"shop\",\"mode\":\"" + mode + "\",\"message\":\"Size?\",\"requestedSchema\":"
                + schema
                + "}}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"type":"string"}                  | text   | large | {action=accept, content={size=large}}
            {"type":"string","enum":["S","L"]} | option | 2     | {action=accept, content={size=L}}
            {"type":"boolean"}                 | option | 1     | {action=accept, content={size=true}}
            {"type":"boolean"}                 | option | 2     | {action=accept, content={size=false}}
            {"type":"string"}                  | option | decline | {action=decline}
            """)
    void shouldAskForAFormWithOneField(String field, String kind, String value, String expected) {
        ScriptedTalk talk = talk("codex");
        talk.says(elicitation("form", "{\"properties\":{\"size\":" + field + "}}"));
        assertEquals("Size?", talk.asks.open.get("r1").title());
        if (kind.equals("text")) {
            talk.asks.say("r1", value);
        } else {
            talk.asks.answer("r1", value);
        }
        assertEquals(expected, answer(talk));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            url  | {"properties":{"size":{"type":"string"}}}
            form | {"properties":{"size":{"type":"string"},"colour":{"type":"string"}}}
            form | {"properties":{"size":{"type":"number"}}}
            form | {"properties":{"size":{"type":"string","oneOf":[{"const":"S","title":"small"}]}}}
            form | {"properties":{}}
            form | {"properties":5}
            form | 5
            """)
    void shouldDeclineFormsThatCannotBeShown(String mode, String schema) {
        ScriptedTalk talk = talk("codex");
        talk.says(elicitation(mode, schema));
        assertEquals(Map.of(), talk.asks.open);
        assertEquals("{action=decline}", answer(talk));
    }
}
