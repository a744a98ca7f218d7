package brig.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameTest {
    private static byte[] utf8(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    private static NumberedFrame read(String json) {
        return Json.read(utf8(json), NumberedFrame.class);
    }

    private static CaptainLine.Order order(String json) {
        return CaptainLine.order(JsonObject.read(utf8(json)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'message','seq':1,'ts':2,'message_id':'m','content':'','more':true}",
                "{'type':'chunk','seq':1,'ts':2,'agent':'a','tool':'t','stream':'stdout','content':'x'}",
                "{'type':'done','seq':1,'ts':2,'exit_code':143,'signal':'SIGTERM','usage':{'input_tokens':1,'output_tokens':2}}",
                "{'type':'error','seq':1,'ts':2,'error':'e','code':'MODEL_ERROR','status':529,'retrying':true,'attempt':1}",
                "{'type':'egress','seq':1,'ts':2,'kind':'ask','host':'h','port':1,'method':'GET','rule':'r','deadline_ms':5,'dropped':3}",
                "{'type':'tool','seq':1,'ts':2,'id':'i','status':'running','input':{'b':[1],'a':null},'truncated':true}",
                "{'type':'subagent','seq':1,'ts':2,'source':'egress','agent_id':'a'}",
                "{'type':'plan','seq':1,'ts':2,'entries':[{'content':'c','status':'pending'}]}"
            })
    void shouldWriteAFrameAsItWasRead(String json) {
        assertEquals(json, new String(Json.write(read(json)), StandardCharsets.UTF_8).replace('"', '\''));
    }

    @Test
    void shouldReadTheNamesThatFieldsHadBefore() {
        assertEquals(
                new Frame.Done(3, null, null, null),
                read("{'type':'done','seq':1,'ts':2,'exitCode':3}").frame());
        assertEquals(
                new Frame.Egress(new EgressEvent.Ask("h", 1, "GET", "r", 5), 0),
                read("{'type':'egress','seq':1,'ts':2,'kind':'ask','host':'h','port':1,'method':'GET','rule':'r','deadlineMs':5}")
                        .frame());
        assertEquals(
                "s",
                Json.read(utf8("{'agent_config':{'name':'a','systemPrompt':'s'}}"), SpawnRequest.class)
                        .systemPrompt());
    }

    @Test
    void shouldKnowWhatItCanOfAFrameThatOnlyANewerVersionHas() {
        assertEquals(
                new NumberedFrame("mood", 7, 0, 2, null, false), read("{'type':'mood','seq':7,'ts':2,'colour':1}"));
        assertEquals(
                new Frame.Egress(null, 0),
                read("{'type':'egress','seq':1,'ts':2,'kind':'delayed','colour':1}")
                        .frame());
        Frame.Tool tool = (Frame.Tool) read("{'type':'tool','seq':1,'ts':2,'id':'i','status':'paused'}")
                .frame();
        assertEquals(null, tool.status());
    }

    @Test
    void shouldTellWhatACaptainWants() {
        assertEquals(new CaptainLine.TakeControl(), order("{'action':'take_control','x':1}"));
        assertEquals(
                CaptainLine.UserMessage.of("Hi", "m-1"), order("{'role':'user','content':'Hi','message_id':'m-1'}"));
        BrigException unknown = assertThrows(BrigException.class, () -> order("{'action':'dance'}"));
        assertEquals(ErrorCode.UNKNOWN_ACTION, unknown.code());
        assertEquals(
                "unknown action 'dance'; known are cancel, terminate, take_control, release_control, answer_ask and ping",
                unknown.getMessage());
    }
}
