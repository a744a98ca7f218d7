package brig.gateway.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.ErrorCode;
import brig.protocol.control.EgressDecision;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostAsksTest {
    private final HostAsks asks = new HostAsks();
    private final List<FrameType> passed = new ArrayList<>();
    private int ended;

    private final FrameDecoder.Sink sink = asks.follow(
            "w",
            new FrameDecoder.Sink() {
                @Override
                public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                    passed.add(type);
                }

                @Override
                public void handleBadFrame(ErrorCode code) {
                    passed.clear();
                }
            },
            () -> ended++);

    private void frame(FrameType type, String fields) {
        byte[] line = ("{" + fields.replace('\'', '"') + "}\n").getBytes(StandardCharsets.UTF_8);
        sink.handleFrame(type, 1, line, 0, line.length);
    }

    @Test
    void shouldKnowTheHostThatPeopleSawUntilTheAskIsAnswered() {
        frame(FrameType.ASK, "'ask_id':'1','kind':'egress','native_id':'a.example:443'");
        frame(FrameType.ASK, "'ask_id':'2','kind':'tool','native_id':'b.example:443'");
        assertEquals("a.example:443", asks.hostOf("w", "1"));
        assertNull(asks.hostOf("w", "2"));
        assertNull(asks.hostOf("other", "1"));
        frame(FrameType.ANSWERED, "'ask_id':'1'");
        assertNull(asks.hostOf("w", "1"));
        assertEquals(List.of(FrameType.ASK, FrameType.ASK, FrameType.ANSWERED), passed);
    }

    @Test
    void shouldHoldNoMoreAsksThanAWorkerCanHave() {
        for (int i = 0; i < 1_000; i++) {
            frame(FrameType.ASK, "'ask_id':'" + i + "','kind':'egress','native_id':'a.example:443'");
        }
        assertEquals("a.example:443", asks.hostOf("w", "0"));
        assertNull(asks.hostOf("w", "999"));
    }

    @Test
    void shouldTellTheEndOnce() {
        frame(FrameType.STATE, "'state':'running'");
        assertEquals(0, ended);
        frame(FrameType.STATE, "'state':'terminated'");
        assertEquals(1, ended);
    }

    @Test
    void shouldTakeOnlyOptionsOfAsks() {
        assertEquals(EgressDecision.ONCE, HostAsks.decision("once"));
        assertNull(HostAsks.decision("revoke"));
        assertNull(HostAsks.decision("ALLOW"));
    }
}
