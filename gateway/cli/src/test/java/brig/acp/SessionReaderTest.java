package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.acp.message.ContentBlock;
import brig.acp.message.SessionUpdate;
import brig.acp.view.PathMapping;
import brig.acp.view.SessionUpdates;
import brig.captain.ScriptedGateway;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionReaderTest {
    private final EditorLines editor = new EditorLines();
    private final EditorRpc rpc = new EditorRpc(editor, sentence -> {});
    private final List<SessionUpdate> updates = new ArrayList<>();
    private final SessionUpdates shown =
            new SessionUpdates(new PathMapping(Path.of("/a"), Path.of("/a")), updates::add);
    private final Prompts prompts = new Prompts(rpc, () -> {});
    private boolean replayed;

    private SessionReader reader(long until, boolean wholeFrames) {
        AcpContext context = new AcpContext(new ScriptedGateway(), rpc, Runnable::run, wholeFrames);
        SessionReader.History history = new SessionReader.History(1, until, () -> replayed = true);
        Asks asks = new Asks("s", context, updates::add, shown::note);
        return new SessionReader("s", context, prompts, shown, asks, history);
    }

    private static JsonObject line(String json) {
        return JsonObject.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private String said() {
        return switch (updates.getLast()) {
            case SessionUpdate.AgentThoughtChunk thought -> ((ContentBlock.Text) thought.content()).text();
            case SessionUpdate.UserMessageChunk user -> ((ContentBlock.Text) user.content()).text();
            default -> throw new AssertionError(updates);
        };
    }

    @Test
    void shouldAnswerAPromptWithTheEndOfItsTurn() {
        SessionReader reader = reader(0, false);
        reader.begin();
        prompts.add("m", 5L, () -> {});
        reader.handle(line("{'type':'message','seq':1,'ts':1,'message_id':'m','content':'Hi'}"));
        reader.handle(line("{'type':'error','seq':2,'ts':1,'error':'overloaded','code':'MODEL_ERROR'}"));
        reader.handle(line("{'type':'done','seq':3,'ts':1,'exitCode':1,'reason':'failed'}"));
        assertEquals("overloaded", editor.lines().getLast().object("error").text("message"));
        assertEquals(4, reader.next());
    }

    @Test
    void shouldShowWhatOthersAsk() {
        SessionReader reader = reader(0, false);
        reader.handle(line("{'type':'message','seq':1,'ts':1,'message_id':'x','content':'Build ','more':true}"));
        reader.handle(line("{'type':'message','seq':2,'ts':1,'message_id':'x','content':'it'}"));
        assertEquals("Build it", said());
    }

    @Test
    void shouldAskTheUserAndWithdrawItWhenNoLineFollows() {
        SessionReader reader = reader(1, false);
        reader.begin();
        reader.handle(line("{'type':'ask','seq':1,'ts':1,'ask_id':'ask_1','kind':'tool','title':'Bash',"
                + "'options':[{'id':'deny','name':'Deny'}],'deadline':" + Long.MAX_VALUE / 2048
                + ",'default':'deny'}"));
        assertEquals(List.of("session/request_permission"), editor.methods());
        reader.handleEnd(false);
        assertEquals(List.of("session/request_permission", "$/cancel_request"), editor.methods());
    }

    @Test
    void shouldNotAskWhatIsSettled() {
        SessionReader reader = reader(2, false);
        reader.begin();
        reader.handle(line("{'type':'ask','seq':1,'ts':1,'ask_id':'ask_1','kind':'later','title':'Bash',"
                + "'options':[{'id':'deny','name':'Deny'}],'deadline':" + Long.MAX_VALUE / 2048
                + ",'default':'deny'}"));
        reader.handle(line("{'type':'answered','seq':2,'ts':1,'ask_id':'ask_1','option':'deny','reason':'deadline'}"));
        assertEquals(List.of(), editor.methods());
    }

    @Test
    void shouldSayWhenHistoryIsOver() {
        SessionReader reader = reader(2, false);
        reader.begin();
        reader.handle(line("{'type':'state','seq':1,'ts':1,'state':'running'}"));
        assertFalse(replayed);
        reader.handle(line("{'type':'gap','from':2,'to':9,'reason':'evicted'}"));
        assertTrue(replayed);
        assertEquals(10, reader.next());
        assertEquals("\n[brig] frames 2 to 9 are lost: evicted\n", said());
    }

    @Test
    void shouldSayWhatItCouldNotReadAndGoOnBehindIt() {
        SessionReader reader = reader(0, true);
        reader.handle(line("{'type':'tool','seq':3,'ts':1}"));
        assertEquals(List.of("_brig/frame"), editor.methods());
        assertEquals("\n[brig] a frame could not be shown: field 'id' is missing\n", said());
        assertEquals(4, reader.next());
        reader.handle(line("{'type':'hologram','seq':4,'ts':1,'depth':3}"));
        reader.handle(line("{'type':'weather','of':'today'}"));
        assertEquals(1, updates.size(), "what only a newer gateway says is passed over");
    }

    @Test
    void shouldEndWithTheSession() {
        SessionReader reader = reader(0, false);
        prompts.add("m", 5L, () -> {});
        reader.handle(line("{'type':'state','seq':1,'ts':1,'state':'terminated','reason':'completed'}"));
        assertEquals(
                "the session has ended: completed",
                editor.lines().getLast().object("error").text("message"));
        assertTrue(reader.isOver());
    }

    @Test
    void shouldAnswerAPromptThatTheGatewayRefused() {
        SessionReader reader = reader(0, false);
        prompts.add("m", 5L, () -> {});
        reader.handle(line("{'type':'error','error':'held by ci','code':'CONTROL_HELD','message_id':'m'}"));
        JsonObject error = editor.lines().getLast().object("error");
        assertEquals("held by ci", error.text("message"));
        assertEquals("CONTROL_HELD", error.object("data").text("code"));
        assertFalse(prompts.isBusy());
        reader.handle(line("{'type':'error','error':'the gateway stops','code':'SHUTTING_DOWN','epoch':'e','from':9}"));
        assertEquals(List.of(), updates, "a last word is no news");
    }

    @Test
    void shouldSayThatTheGatewayIsGone() {
        SessionReader reader = reader(3, false);
        reader.begin();
        reader.handleEnd(true);
        assertTrue(replayed, "who waits for the history is not left alone");
        assertTrue(reader.isOver());
        assertEquals("\n[brig] the gateway is gone\n", said());
    }
}
