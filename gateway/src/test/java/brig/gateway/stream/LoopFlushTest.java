package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopFlushTest {
    @Test
    void shouldScheduleOneTaskWhenMuchHappensInATurn() {
        Bench bench = new Bench();
        bench.reader(1, true);
        bench.append(1, 50);
        bench.loop.runOne();
        assertTrue(bench.loop.isIdle());
    }

    @Test
    void shouldFlushInTheSameTurnWhenAFlushMakesAConnectionWritableAgain() {
        // Scenario: the flush sends the first batch, the connection is writable again and calls its reader, which
        // writes the second batch; that one goes out in the same turn, too.
        Bench bench = new Bench();
        RecordingSink sink = new RecordingSink();
        sink.allow(1);
        Subscription reader = bench.log.subscribe(1, true, null, 0, sink);
        sink.onFlush(() -> {
            sink.allow(1);
            reader.drain();
        });
        bench.append(1, 100);

        bench.loop.runOne();

        assertEquals(List.of("1-64", "65-100"), sink.story());
        assertEquals(2, sink.flushes());
    }

    @Test
    void shouldSendTheLineOfAQuietStreamBeforeThatOfABusyOneIsWritten() {
        // Scenario: in one turn an agent that floods was read first, then one that wrote a line.
        Bench bench = new Bench();
        StreamLog quiet = new StreamLog(Bench.EPOCH, 0, bench.archive, bench.environment(1));
        List<String> order = new ArrayList<>();
        RecordingSink ofBusy = bench.reader(1, false);
        ofBusy.onWrite(() -> order.add("busy written"));
        RecordingSink ofQuiet = new RecordingSink();
        ofQuiet.onFlush(() -> order.add("quiet flushed"));
        quiet.subscribe(1, false, null, 0, ofQuiet).drain();

        bench.fill(64 * 1024, 64 * 1024);
        byte[] line = Frames.utf8(Frames.frame(1));
        quiet.append(1, line, 0, line.length);
        bench.loop.runOne();

        assertEquals(List.of("quiet flushed", "busy written"), order);
        assertTrue(ofBusy.flushes() > 0);
    }

    @Test
    void shouldServeLaterTurnsWhenAConnectionThrew() {
        // Scenario: a connection fails in a way that nobody foresaw. The turn that it spoils is lost for it; the loop
        // goes on, for it and for everybody else.
        Bench bench = new Bench();
        RecordingSink healthy = bench.reader(1, false);
        RecordingSink broken = bench.reader(1, false);
        broken.onWrite(() -> {
            throw new IllegalStateException("unforeseen");
        });
        bench.append(1, 3);
        assertThrows(IllegalStateException.class, bench.loop::runOne);
        broken.onWrite(() -> {});

        bench.append(4, 6);
        bench.settle();

        assertEquals(List.of("1-6"), healthy.joined());
        assertTrue(healthy.flushes() > 0);
    }
}
