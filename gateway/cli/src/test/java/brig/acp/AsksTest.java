package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.acp.message.CallFields.Status;
import brig.acp.message.SessionUpdate;
import brig.captain.ScriptedGateway;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AsksTest {
    private static final long WAITS_MS = 60_000;

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final EditorLines editor = new EditorLines();
    private final EditorRpc rpc = new EditorRpc(editor, sentence -> {});
    private final List<SessionUpdate> updates = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Asks asks =
            new Asks("session", new AcpContext(gateway, rpc, Runnable::run, false), updates::add, notes::add);

    private static Frame.Ask ask(String askId, String agent, String... options) {
        return new Frame.Ask(
                askId,
                Frame.Ask.Kind.TOOL,
                agent,
                "8",
                "call_4",
                "Bash: Remove the build folder",
                JsonObject.EMPTY.with("command", "rm -rf build"),
                Stream.of(options)
                        .map(option -> new Frame.Ask.Option(option, "Name of " + option))
                        .toList(),
                false,
                WAITS_MS,
                options[0]);
    }

    private static Frame.Answered answered(String askId, String option) {
        return new Frame.Answered(askId, option, null, "ci", "cli", Frame.Answered.Reason.PERSON);
    }

    private List<String> kinds() {
        return editor.lines().getLast().object("params").objects("options").stream()
                .map(option -> option.text("optionId") + "=" + option.text("kind"))
                .toList();
    }

    private Status lastStatus() {
        return ((SessionUpdate.ToolCallUpdate) updates.getLast()).call().status();
    }

    private void answer(String json) {
        rpc.handleAnswer(JsonObject.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private void choose(long question, String option) {
        rpc.handleAnswer(JsonObject.read(("{\"id\":" + question
                        + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}")
                .getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldOfferAHostForOnceAndForTheSessionButNotForOtherSessions() {
        asks.handle(
                new Frame.Ask(
                        "ask_1",
                        Frame.Ask.Kind.EGRESS,
                        null,
                        "a.test:443",
                        null,
                        "GET a.test:443",
                        JsonObject.EMPTY.with("host", "a.test"),
                        Stream.of("once", "allow", "save", "deny")
                                .map(option -> new Frame.Ask.Option(option, option))
                                .toList(),
                        false,
                        WAITS_MS,
                        "deny"),
                7,
                true);
        assertEquals(List.of("once=allow_once", "allow=allow_always", "deny=reject_once"), kinds());
        choose(1, "save");
        assertTrue(gateway.said.isEmpty(), "it was not offered");
    }

    @Test
    void shouldAnswerAnAskWithWhatTheUserChose() {
        asks.handle(ask("ask_1", null, "deny", "allow", "allow_session"), 7, true);
        JsonObject call = editor.lines().getLast().object("params").object("toolCall");
        assertEquals("Bash: Remove the build folder", call.text("title"));
        assertEquals("rm -rf build", call.object("rawInput").text("command"));
        assertEquals(List.of("deny=reject_once", "allow=allow_once", "allow_session=allow_always"), kinds());
        gateway.answer("{'ask_id':'ask_1','option':'allow_session'}".replace('\'', '"'));
        choose(1, "allow_session");
        assertEquals(
                "{\"action\":\"answer_ask\",\"client\":\"acp\",\"id\":\"ask_1\",\"option\":\"allow_session\"}",
                gateway.said.poll());
        asks.handle(answered("ask_1", "allow_session"));
        assertEquals(Status.COMPLETED, lastStatus());
        assertEquals(List.of("session/request_permission"), editor.methods(), "nothing is left to withdraw");
    }

    @Test
    void shouldOfferTheAnswersToAQuestionAndNameTheSubAgent() {
        asks.handle(ask("ask_1", "a60f", "decline", "0", "1"), 7, true);
        assertEquals(List.of("decline=reject_once", "0=allow_once", "1=allow_once"), kinds());
        assertEquals(
                "Sub-agent a60f: Bash: Remove the build folder",
                editor.lines().getLast().object("params").object("toolCall").text("title"));
    }

    @Test
    void shouldSayHowToAnswerAQuestionInOwnWords() {
        asks.handle(
                new Frame.Ask(
                        "ask_1",
                        Frame.Ask.Kind.QUESTION,
                        null,
                        "8",
                        null,
                        "Which colour?",
                        null,
                        List.of(
                                new Frame.Ask.Option("1", "Red", "warm"),
                                new Frame.Ask.Option("2", "Blue"),
                                new Frame.Ask.Option("decline", "Do not answer")),
                        true,
                        WAITS_MS,
                        "decline"),
                7,
                true);
        assertEquals(List.of("1=allow_once", "2=allow_once", "decline=reject_once"), kinds());
        JsonObject call = editor.lines().getLast().object("params").object("toolCall");
        assertEquals(
                "Red: warm\nIn your own words, on a terminal: brig answer ask_1 --text TEXT",
                call.objects("content").getFirst().object("content").text("text"));
    }

    @Test
    void shouldSaySomethingOnlyIfNobodyElseAnswered() {
        asks.handle(ask("ask_1", null, "deny"), 7, true);
        asks.handle(ask("ask_2", null, "deny"), 8, true);
        gateway.answer("{\"error\":\"answered by ci\",\"code\":\"ASK_SETTLED\"}");
        choose(1, "deny");
        assertEquals(List.of(), notes);
        gateway.answer("{\"error\":\"watchers only read\",\"code\":\"FORBIDDEN\"}");
        choose(2, "deny");
        assertEquals(List.of("the answer for ask_2 was refused: watchers only read"), notes);
    }

    @ParameterizedTest
    @EnumSource(Frame.Answered.Reason.class)
    void shouldWithdrawWhatIsSettledElsewhere(Frame.Answered.Reason reason) {
        asks.handle(ask("ask_1", null, "deny", "allow"), 7, true);
        asks.handle(new Frame.Answered("ask_1", null, null, null, null, reason));
        assertEquals(List.of("session/request_permission", "$/cancel_request"), editor.methods());
        assertEquals(Status.FAILED, lastStatus());
        choose(1, "allow");
        assertTrue(gateway.said.isEmpty(), "its answer counts no more");
    }

    @Test
    void shouldWithdrawAllAtTheEnd() {
        asks.handle(ask("ask_1", null, "deny"), 7, true);
        asks.handle(ask("ask_2", null, "deny"), 8, true);
        asks.end();
        assertEquals(
                List.of(
                        "session/request_permission",
                        "session/request_permission",
                        "$/cancel_request",
                        "$/cancel_request"),
                editor.methods());
    }

    @Test
    void shouldAskOnceWhatWasAskedBeforeTheEditorCame() {
        asks.handle(ask("ask_1", null, "deny"), 1, false);
        asks.handle(ask("ask_2", null, "deny"), 2, false);
        asks.handle(answered("ask_1", "deny"));
        assertEquals(List.of(), editor.methods());
        asks.askAgain(WAITS_MS - 1);
        asks.askAgain(WAITS_MS - 1);
        assertEquals(List.of("session/request_permission"), editor.methods());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'id':1,'result':{'outcome':{'outcome':'cancelled','optionId':'allow'}}}",
                "{'id':1,'result':{'outcome':{'outcome':'selected','optionId':'rm'}}}",
                "{'id':1,'result':{'outcome':{'outcome':'selected'}}}",
                "{'id':1,'result':{}}",
                "{'id':1,'result':'allow'}",
                "{'id':1,'error':{'code':1}}",
                "{'id':2,'result':{'outcome':{'outcome':'selected','optionId':'allow'}}}",
            })
    void shouldDecideNothingWithoutAUsableAnswer(String answer) {
        asks.handle(ask("ask_1", null, "deny", "allow"), 7, true);
        answer(answer);
        assertTrue(gateway.said.isEmpty() && notes.isEmpty());
        asks.handle(answered("ask_1", "allow"));
        assertEquals(Status.COMPLETED, lastStatus(), "the ask went on");
    }

    @Test
    void shouldTakeOnlyTheFirstAnswerOfAnEditor() {
        asks.handle(ask("ask_1", null, "deny", "allow"), 7, true);
        gateway.answer("{\"ask_id\":\"ask_1\",\"option\":\"deny\"}");
        choose(1, "deny");
        choose(1, "allow");
        assertEquals(1, gateway.said.size());
    }
}
