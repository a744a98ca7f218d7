package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
