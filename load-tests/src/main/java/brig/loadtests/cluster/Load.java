package brig.loadtests.cluster;

import static brig.loadtests.suite.Figure.CPU_PER_MILLION;
import static brig.loadtests.suite.Figure.FRAMES_PER_SECOND;
import static brig.loadtests.suite.Figure.NATS_CPU_PER_MILLION;
import static brig.loadtests.suite.Figure.P50_MS;
import static brig.loadtests.suite.Figure.P99_MS;

import brig.loadtests.engine.EngineResult;
import brig.loadtests.suite.Figure;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the workers of the host do. */
enum Load {
    /** As fast as frames are acknowledged, with no reader: what the stream of one host takes. */
    STREAM("stream", "acknowledged"),
    /** As fast as a reader of each takes it. */
    READ("read", "read"),
    /** At a rate, with a reader each. */
    PACED("paced", "paced");

    private static final int MEDIAN = 50;
    private static final int P99 = 99;
    private static final double MILLION = 1e6;
    private static final double NANOS_PER_MS = 1e6;
    /** More frames than a run has: without readers only acknowledgements bound them. */
    private static final int WINDOW_WITHOUT_READERS = 1_000_000_000;

    private static final int WINDOW = 500;

    private final String key;
    private final String title;

    Load(String key, String title) {
        this.key = key;
        this.title = title;
    }

    String key() {
        return key;
    }

    String title() {
        return title;
    }

    /** What is measured of it. */
    List<Figure> figures() {
        return this == PACED
                ? List.of(P50_MS, P99_MS, CPU_PER_MILLION, NATS_CPU_PER_MILLION)
                : List.of(FRAMES_PER_SECOND, CPU_PER_MILLION, NATS_CPU_PER_MILLION);
    }

    /** Without readers it does not matter where these are. */
    boolean differs(Way way) {
        return this != STREAM || way != Way.ELSEWHERE;
    }

    /** The generator's arguments. */
    List<String> arguments(int rate) {
        return switch (this) {
            case STREAM -> List.of("--readers", "0", "--window", String.valueOf(WINDOW_WITHOUT_READERS));
            case READ -> List.of("--readers", "1", "--window", String.valueOf(WINDOW));
            case PACED -> List.of("--readers", "1", "--rate", String.valueOf(rate));
        };
    }

    /** @throws IOException if no frame came */
    Map<Figure, Double> measured(Way way, EngineResult result) throws IOException {
        double frames = this == STREAM ? result.published() : result.all().delivered();
        if (frames == 0) {
            throw new IOException("no frame came in " + result.seconds() + " s");
        }
        List<Double> each = result.cpuSecondsEach();
        double nats = each.subList(way.gateways(), each.size()).stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        for (Figure figure : figures()) {
            all.put(
                    figure,
                    switch (figure) {
                        case FRAMES_PER_SECOND -> frames / result.seconds();
                        case CPU_PER_MILLION -> result.cpuSeconds() / frames * MILLION;
                        case NATS_CPU_PER_MILLION -> nats / frames * MILLION;
                        case P50_MS -> ms(result, MEDIAN);
                        default -> ms(result, P99);
                    });
        }
        return all;
    }

    private static double ms(EngineResult result, int percent) {
        return result.all().latencyNs().getValueAtPercentile(percent) / NANOS_PER_MS;
    }
}
