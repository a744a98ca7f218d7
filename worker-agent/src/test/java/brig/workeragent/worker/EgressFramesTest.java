package brig.workeragent.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Frames;
import brig.protocol.wire.FrameType;
import brig.workeragent.pump.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EgressFramesTest {
    private final FakeTimers timers = new FakeTimers();
    private final Outbox outbox = new Outbox(2048);
    private final EgressFrames frames = new EgressFrames(outbox, timers);

    private static Map<String, Object> event(String kind, String key, Object value) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("kind", kind);
        event.put(key, value);
        return event;
    }

    @Test
    void shouldBecomeFramesOfTheStream() throws InterruptedException {
        frames.handle(event("blocked", "host", "evil.example"));
        frames.handle(event("usage", "input_tokens", 5L));
        frames.handle(event("usage", "agent_id", "a"));
        frames.handle(event("subagent", "agent_id", "a"));
        FrameTail tail = new FrameTail(outbox);
        assertEquals("{type=egress, kind=blocked, host=evil.example}", tail.next());
        assertEquals("{type=usage, source=egress, input_tokens=5}", tail.next());
        assertEquals("{type=usage, source=egress, agent=a}", tail.next());
        assertEquals("{type=subagent, source=egress, agent_id=a}", tail.next());
    }

    /** Scenario: an agent makes a million requests that are refused, and nobody reads its stream. */
    @Test
    void shouldLeaveOutWhatNobodyHasRoomFor() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            frames.handle(event("blocked", "host", "evil.example"));
        }
        assertTrue(outbox.lastSeq() < 30, "kept " + outbox.lastSeq());
        long kept = outbox.lastSeq();
        outbox.ack(kept);
        frames.handle(event("blocked", "host", "evil.example"));
        Outbox.Reader reader = outbox.open(kept + 1);
        String next = UTF_8.decode(reader.take().getFirst()).toString();
        assertTrue(next.contains("\"dropped\":" + (1000 - kept)), next);
    }

    @Test
    void shouldSayNothingBehindTheLastFrame() {
        outbox.appendLast(FrameType.STATE, Frames.body(1, Map.of("state", "terminated")));
        frames.handle(event("blocked", "host", "evil.example"));
        assertEquals(1, outbox.lastSeq());
        assertFalse(outbox.offer(FrameType.EGRESS, ",\"ts\":1}\n".getBytes(UTF_8)));
    }
}
