package brig.loadtests.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.profile.FlameGraph.Frame;
import brig.loadtests.profile.FlameGraph.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlameGraphTest {
    private static final int BYTES_MAX = 150 * 1024;

    private final FlameGraph graph = new FlameGraph();

    private void add(long nanos, String... names) {
        graph.add(
                List.of(names).stream().map(name -> new Frame(name, Kind.BRIG)).toList(), nanos);
    }

    private String svg() {
        return graph.svg("a title", "words");
    }

    @Test
    void shouldShowAFrameAsWideAsItsShareOnTheOneThatCalledIt() {
        add(300, "loop", "A.read");
        add(100, "loop", "B.write");
        String svg = svg();
        assertEquals(400, graph.nanos());
        assertTrue(svg.contains("<title>loop: 100.0 %</title>"), svg);
        assertTrue(svg.contains("x=\"12.0\" y=\"76\" width=\"882.0\" height=\"16\"><title>A.read: 75.0 %"), svg);
        assertTrue(svg.contains("x=\"894.0\" y=\"76\" width=\"294.0\" height=\"16\"><title>B.write: 25.0 %"), svg);
        assertTrue(svg.contains("y=\"93\" width=\"1176.0\""), svg);
    }

    @Test
    void shouldDrawTogetherWhatIsNarrowerThanAPixel() {
        add(10_000, "loop", "wide");
        for (int i = 0; i < 50; i++) {
            add(2, "loop", "narrow" + i, "narrower");
        }
        String svg = svg();
        assertTrue(svg.contains("<title>others: 1.0 %</title>"), svg);
        assertFalse(svg.contains("narrow"), svg);
    }

    @Test
    void shouldStaySmallAndWellFormed() {
        for (int i = 0; i < 1000; i++) {
            int thread = i;
            add(
                    1 + i % 7,
                    IntStream.range(0, 60)
                            .mapToObj(depth -> "Class<" + thread + ">.method" + depth)
                            .toArray(String[]::new));
        }
        String svg = svg();
        assertTrue(svg.length() < BYTES_MAX, () -> svg.length() + " bytes");
        assertFalse(svg.contains("Class<"), svg);
    }

    @Test
    void shouldShortenNames() {
        assertEquals(
                new Frame("Outbox.Part.flush", Kind.BRIG), CpuSamples.frame("brig.link.Outbox$Part", "flush", false));
        assertEquals(
                new Frame("Net.read lambda", Kind.NETWORK), CpuSamples.frame("io.netty.Net", "lambda$read$0", false));
        assertEquals(new Frame("Native.wait0", Kind.NATIVE), CpuSamples.frame("io.netty.Native", "wait0", true));
        assertEquals(new Frame("Thread.run", Kind.JDK), CpuSamples.frame("java.lang.Thread", "run", false));
    }
}
