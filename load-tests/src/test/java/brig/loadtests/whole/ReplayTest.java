package brig.loadtests.whole;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplayTest {
    @Test
    void shouldAnswerInTheRecordedOrderAndRepeatTheMessage() {
        List<String> recorded = List.of(
                "{\"t\":1,\"dir\":\"->\",\"m\":{\"id\":1,\"method\":\"initialize\"}}",
                "{\"t\":2,\"dir\":\"<-\",\"m\":{\"id\":1,\"result\":{\"x\":1}}}",
                "{\"t\":3,\"dir\":\"->\",\"m\":{\"id\":2,\"method\":\"turn/start\"}}",
                "{\"t\":4,\"dir\":\"<-\",\"m\":{\"method\":\"item/started\",\"params\":{\"type\":\"userMessage\"}}}",
                "{\"t\":5,\"dir\":\"<-\",\"m\":{\"method\":\"item/started\",\"params\":{\"type\":\"agentMessage\"}}}",
                "{\"t\":6,\"dir\":\"<-\",\"m\":{\"method\":\"delta\",\"delta\":\"tok0\"}}",
                "{\"t\":7,\"dir\":\"<-\",\"m\":{\"method\":\"delta\",\"delta\":\" tok1\"}}",
                "{\"t\":8,\"dir\":\"<-\",\"m\":{\"method\":\"item/completed\",\"type\":\"agentMessage\",\"text\":\"tok0 tok1\"}}",
                "{\"t\":9,\"dir\":\"<-\",\"m\":{\"method\":\"turn/completed\",\"items\":[{\"type\":\"agentMessage\"}]}}");
        assertEquals("""
                <
                >{"id":1,"result":{"x":1}}
                <
                >{"method":"item/started","params":{"type":"userMessage"}}
                =
                >{"method":"item/started","params":{"type":"agentMessage"}}
                *{"method":"delta","delta":"@TOKEN@"}
                >{"method":"item/completed","type":"agentMessage","text":"@MESSAGE@"}
                """, Replay.CODEX.script(recorded));
    }

    @Test
    void shouldAwaitTheMessageWhereOnlyTheAgentWasRecorded() {
        List<String> recorded = List.of(
                "{\"type\":\"system\"}",
                "{\"event\":\"message_start\"}",
                "{\"text\":\"tok0\"}",
                "{\"text\":\" tok1\"}",
                "{\"event\":\"message_stop\"}",
                "{\"type\":\"result\"}");
        assertEquals("""
                <
                >{"type":"system"}
                =
                >{"event":"message_start"}
                *{"text":"@TOKEN@"}
                >{"event":"message_stop"}
                """, Replay.CLAUDE.script(recorded));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadItsRecording(Replay replay) throws IOException {
        List<String> script = replay.script().lines().toList();
        List<String> again = script.subList(script.indexOf("=") + 1, script.size());
        assertTrue(script.getFirst().equals("<"), script::toString);
        assertEquals(1, again.stream().filter(line -> line.startsWith("*")).count());
        assertTrue(script.stream().noneMatch(line -> line.contains("tok0") || line.contains("tok1")), script::toString);
    }
}
