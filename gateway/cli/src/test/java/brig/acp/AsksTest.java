package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.acp.message.CallFields.Status;
import brig.acp.message.SessionUpdate;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AsksTest {
    private static final long WAITS_MS = 60_000;

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final EditorLines editor = new EditorLines();
    private final EditorRpc rpc = new EditorRpc(editor, sentence -> {});
    private final List<SessionUpdate> updates = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Asks asks =
            new Asks("session", "spn_1", new AcpContext(gateway, rpc, Runnable::run, false), updates::add, notes::add);

    private static Frame.Egress ask(String host) {
        return new Frame.Egress(new EgressEvent.Ask(host, 443, "GET", "not listed", WAITS_MS), 0);
    }

    private static Frame.Egress answered(String host, boolean allowed) {
        return new Frame.Egress(new EgressEvent.Answered(host, 443, allowed, "a person"), 0);
    }

    private void choose(long question, String option) {
        rpc.handleAnswer(JsonObject.read(("{\"id\":" + question
                        + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}")
                .getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldTellTheGatewayWhatTheUserChose() {
        asks.handle(ask("a.test"), 7, 0, true);
        asks.handle(ask("a.test"), 8, 0, true);
        assertEquals(List.of("session/request_permission"), editor.methods(), "one question for both");
        gateway.answer("{}");
        choose(1, "once");
        assertEquals(
                "{\"action\":\"egress\",\"decision\":\"once\",\"host\":\"a.test:443\",\"id\":\"spn_1\"}",
                gateway.said.poll());
    }

    @Test
    void shouldSayWhyTheGatewayRefused() {
        asks.handle(ask("2001:db8::1"), 7, 0, true);
        gateway.answer("{\"error\":\"held by ci\",\"code\":\"CONTROL_HELD\"}");
        choose(1, "deny");
        assertEquals(List.of("the answer for [2001:db8::1]:443 was refused: held by ci"), notes);
    }

    @Test
    void shouldWithdrawAQuestionThatSomebodyElseAnswered() {
        asks.handle(ask("a.test"), 7, 0, true);
        asks.handle(answered("a.test", false), 8, 0, true);
        assertEquals(List.of("session/request_permission", "$/cancel_request"), editor.methods());
        SessionUpdate.ToolCallUpdate last = (SessionUpdate.ToolCallUpdate) updates.getLast();
        assertEquals(Status.FAILED, last.call().status());
        choose(1, "allow");
        assertTrue(gateway.said.isEmpty(), "its answer counts no more");
    }

    @Test
    void shouldAskAgainWhatStillWaits() {
        asks.handle(ask("late.test"), 1, 0, false);
        asks.handle(ask("answered.test"), 2, WAITS_MS, false);
        asks.handle(answered("answered.test", true), 3, 0, false);
        asks.handle(ask("waits.test"), 4, WAITS_MS, false);
        assertEquals(List.of(), editor.methods());
        asks.askAgain(WAITS_MS);
        assertEquals(List.of("session/request_permission"), editor.methods());
        assertEquals(
                "Reach waits.test:443",
                editor.lines().getFirst().object("params").object("toolCall").text("title"));
    }

    @Test
    void shouldWaitOnWhereNobodyHasDecided() {
        asks.handle(ask("a.test"), 7, 0, true);
        rpc.handleAnswer(JsonObject.read("{\"id\":1,\"error\":{\"code\":1}}".getBytes(StandardCharsets.UTF_8)));
        assertTrue(gateway.said.isEmpty() && notes.isEmpty());
    }
}
