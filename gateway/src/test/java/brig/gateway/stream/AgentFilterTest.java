package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers of one agent's frames, from the window and from the archive. */
class AgentFilterTest {
    private final Bench bench = new Bench().record();

    private static String frame(long seq, String agent) {
        return "{\"type\":\"chunk\",\"seq\":" + seq + ",\"ts\":1,"
                + (agent.isEmpty() ? "" : "\"agent\":\"" + agent + "\",") + "\"stream\":\"text\",\"content\":\""
                + "x".repeat(200) + "\"}\n";
    }

    /** Frames in turn of the agent itself, a and b. */
    private void append(long first, long last) {
        for (long seq = first; seq <= last; seq++) {
            bench.append(seq, frame(seq, List.of("", "a", "b").get((int) (seq % 3))));
        }
    }

    private RecordingSink read(long from, boolean tethered, String agent) {
        RecordingSink sink = new RecordingSink();
        bench.log.subscribe(from, tethered, AgentFilter.read(agent), 0, sink).drain();
        bench.settle();
        return sink;
    }

    @Test
    void shouldGetItsOwnFramesWithTheirNumbersAndNoGap() {
        append(1, 9);
        RecordingSink sink = read(1, false, "a");
        assertEquals(List.of("1-1", "4-4", "7-7"), sink.story());
        assertEquals(frame(1, "a") + frame(4, "a") + frame(7, "a"), sink.text());
        assertEquals(List.of("3-3", "6-6", "9-9"), read(2, false, "main").story());
    }

    @Test
    void shouldGetRunsAsOneBatchAndWhatIsOfTheWhole() {
        bench.append(1, frame(1, "a"));
        bench.append(2, frame(2, "a"));
        bench.append(3, frame(3, "b"));
        bench.append(4, "{\"type\":\"error\",\"seq\":4,\"ts\":1,\"error\":\"x\",\"code\":\"X\",\"agent\":\"b\"}\n");
        bench.append(5, "{\"type\":\"done\",\"seq\":5,\"ts\":1,\"exit_code\":0}\n");
        bench.append(6, "{\"type\":\"state\",\"seq\":6,\"ts\":1,\"state\":\"terminated\"}\n");
        bench.end();
        RecordingSink sink = read(1, false, "a");
        assertEquals(List.of("1-2", "5-6", "end"), sink.story());
    }

    @Test
    void shouldReadTheArchiveAndGoOnLiveAsAnyReader() {
        // Scenario: most of the stream has left memory; more frames come while it replays, and after.
        for (long seq = 1; seq <= 2400; seq += 40) {
            append(seq, seq + 39);
            bench.settle();
        }
        RecordingSink sink = new RecordingSink();
        bench.log.subscribe(1, false, AgentFilter.read("b"), 0, sink).drain();
        append(2401, 2420);
        bench.settle();
        append(2421, 2430);
        bench.settle();
        assertEquals(810, sink.story().size());
        assertEquals("2-2", sink.story().getFirst());
        assertEquals("2429-2429", sink.story().getLast());
    }

    @Test
    void shouldHoldNobodyWhenACaptainWantsNothingOfIt() {
        RecordingSink captain = new RecordingSink();
        bench.log.subscribe(1, true, AgentFilter.read("nobody"), 0, captain).drain();
        for (long seq = 1; seq <= 3000; seq += 20) {
            append(seq, seq + 19);
            bench.settle();
        }
        assertEquals(List.of(), captain.story());
        assertEquals(0, bench.pauses);
    }

    @Test
    void shouldLetTheLoopDoOtherThingsWhenThereIsMuchToLookInto() {
        append(1, 400);
        bench.settle();
        RecordingSink sink = new RecordingSink();
        bench.log.subscribe(1, false, AgentFilter.read("a"), 0, sink).drain();
        int first = sink.story().size();
        assertTrue(first > 0 && first < 133, () -> "a batch at a time: " + first);
        bench.settle();
        assertEquals(134, sink.story().size());
    }

    @Test
    void shouldGoOnOnceInATurnWhenItIsDrainedAgainMeanwhile() {
        append(1, 400);
        bench.settle();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.log.subscribe(1, false, AgentFilter.read("a"), 0, sink);
        reader.drain();
        int first = sink.writes();
        reader.drain();
        reader.drain();
        assertEquals(first, sink.writes(), "others come first");
        bench.settle();
        assertEquals(134, sink.story().size());
    }

    @Test
    void shouldWriteNothingMoreWhenItIsClosedBetweenTwoTurnsOrByABatch() {
        append(1, 400);
        bench.settle();
        RecordingSink between = new RecordingSink();
        Subscription reader = bench.log.subscribe(1, false, AgentFilter.read("a"), 0, between);
        reader.drain();
        int first = between.writes();
        reader.close();
        bench.settle();
        assertEquals(first, between.writes());

        RecordingSink inside = new RecordingSink();
        Subscription other = bench.log.subscribe(1, false, AgentFilter.read("a"), 0, inside);
        inside.onWrite(other::close);
        other.drain();
        bench.settle();
        assertTrue(inside.writes() <= first, "no batch after that");
        assertEquals(0, bench.log.readerCount());
    }

    @Test
    void shouldRefuseWhatIsNoId() {
        assertNull(AgentFilter.read(null));
        assertThrows(BrigException.class, () -> AgentFilter.read(""));
        assertThrows(BrigException.class, () -> AgentFilter.read("x".repeat(513)));
    }
}
