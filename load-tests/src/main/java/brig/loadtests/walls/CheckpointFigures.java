package brig.loadtests.walls;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;

/** What checkpoints of a workspace took, and whether that is within the bounds. */
record CheckpointFigures(Taken.Values ms, Taken.Values bytes) {
    static final double MS_MAX = 1000;
    static final double BYTES_MAX = 1 << 20;

    private static final int MEDIAN = 50;
    private static final double KIB = 1024;

    boolean holds() {
        return ms.percentile(MEDIAN) <= MS_MAX && bytes.percentile(MEDIAN) <= BYTES_MAX;
    }

    List<String> lines() {
        return List.of(line("time, ms", ms, 1, MS_MAX), line("kept more, KiB", bytes, KIB, BYTES_MAX));
    }

    private static String line(String title, Taken.Values values, double unit, double max) {
        double median = values.percentile(MEDIAN);
        return String.format(
                Locale.ROOT,
                "%-16s %.0f (%.0f to %.0f); at most %.0f%s",
                title,
                median / unit,
                values.sorted().getFirst() / unit,
                values.sorted().getLast() / unit,
                max / unit,
                median <= max ? "" : ": DOES NOT HOLD");
    }

    JsonObject json() {
        return JsonObject.builder()
                .put("time_ms", figure(ms))
                .put("bytes", figure(bytes))
                .put("holds", holds())
                .build();
    }

    private static JsonObject figure(Taken.Values values) {
        return JsonObject.builder()
                .put("p50", values.percentile(MEDIAN))
                .put("values", values.sorted())
                .build();
    }
}
