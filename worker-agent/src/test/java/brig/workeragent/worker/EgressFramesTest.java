package brig.workeragent.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Frames;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.wire.FrameType;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.WaitingReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class EgressFramesTest {
    private final FakeTimers timers = new FakeTimers();
    private final Outbox outbox = new Outbox(2048);
    private final EgressFrames frames = new EgressFrames(outbox, timers);

    private static final EgressEvent BLOCKED = new EgressEvent.Blocked(
            new EgressEvent.Request("GET", "https", "evil.example", 443, "/", "not allowed", List.of(), 403));

    @Test
    void shouldBecomeFramesOfTheStream() throws Exception {
        frames.handle(BLOCKED);
        frames.handle(new EgressEvent.Usage(null, "claude", "small", 5L, null, null, null, 200, 0.25));
        frames.handle(new EgressEvent.Usage("a", "claude", "small", null, null, null, null, 200, null));
        frames.handle(new EgressEvent.Subagent("a", "b", null));
        FrameTail tail = new FrameTail(outbox);
        assertEquals(
                "{type=egress, kind=blocked, method=GET, scheme=https, host=evil.example, port=443, path=/, rule=not allowed, secrets=[], status=403}",
                tail.next());
        assertEquals(
                "{type=usage, source=egress, route=claude, model=small, input_tokens=5, status=200, cost=0.25}",
                tail.next());
        assertEquals("{type=usage, source=egress, agent=a, route=claude, model=small, status=200}", tail.next());
        assertEquals("{type=subagent, source=egress, agent_id=a, parent_id=b}", tail.next());
    }

    /** Scenario: an agent makes a million requests that are refused, and nobody reads its stream. */
    @Test
    void shouldLeaveOutWhatNobodyHasRoomFor() throws Exception {
        for (int i = 0; i < 1000; i++) {
            frames.handle(BLOCKED);
        }
        assertTrue(outbox.lastSeq() < 30, "kept " + outbox.lastSeq());
        long kept = outbox.lastSeq();
        outbox.ack(kept);
        frames.handle(BLOCKED);
        WaitingReader reader = WaitingReader.open(outbox, kept + 1);
        String next = UTF_8.decode(reader.take().getFirst()).toString();
        assertTrue(next.contains("\"dropped\":" + (1000 - kept)), next);
    }

    @Test
    void shouldSayNothingBehindTheLastFrame() {
        outbox.appendLast(FrameType.STATE, Frames.body(1, new Frame.State(Frame.State.TERMINATED, null)));
        frames.handle(BLOCKED);
        assertEquals(1, outbox.lastSeq());
        assertFalse(outbox.offer(FrameType.EGRESS, ",\"ts\":1}\n".getBytes(UTF_8)));
    }
}
