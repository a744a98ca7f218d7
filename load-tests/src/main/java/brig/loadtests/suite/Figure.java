package brig.loadtests.suite;

import java.util.Arrays;
import java.util.Locale;

/** A measurable figure with its unit; files name it in lower case. */
public enum Figure {
    /** Server CPU seconds per million delivered frames. */
    CPU_PER_MILLION("CPU s/million", Unit.SECONDS),
    /** What nats-servers have of that, between gateways that share a host. */
    NATS_CPU_PER_MILLION("of it NATS", Unit.SECONDS),
    /** Delivered frames a second; if some readers stall or some streams flood, those of the others. */
    FRAMES_PER_SECOND("frames/s", Unit.COUNT),
    /** Latency from the time that a frame was due; if some stall or flood, that of the others. */
    P50_MS("p50", Unit.MILLISECONDS),
    P99_MS("p99", Unit.MILLISECONDS),
    P999_MS("p99.9", Unit.MILLISECONDS),
    /** Resident memory per subscriber: after the frames of an idle scenario, minus that before connecting. */
    BYTES_PER_READER("memory/reader", Unit.BYTES),
    /** Resident memory per stream with its readers, minus that before the streams were opened. */
    BYTES_PER_STREAM("memory/stream", Unit.BYTES),
    /** Growth of resident memory since measuring began. */
    GROWTH_BYTES("growth", Unit.BYTES),
    /** Resident memory of the last quarter minus that of the second quarter, medians. */
    DRIFT_BYTES("drift", Unit.BYTES),
    /** As {@code DRIFT_BYTES}, for the minimum of the live heap after full collections. */
    HEAP_DRIFT_BYTES("heap drift", Unit.BYTES),
    /** The server's share of its core. */
    SERVER_SHARE("server CPU", Unit.SHARE),
    /** The generator's share of its core. */
    GENERATOR_SHARE("generator CPU", Unit.SHARE),
    /** The delay of the generator itself. */
    SEND_LAG_MS("send lag p99", Unit.MILLISECONDS),
    /** Time until all readers were connected. */
    CONNECT_MS("connect", Unit.MILLISECONDS);

    private final String label;
    private final Unit unit;

    private enum Unit {
        SECONDS,
        COUNT,
        MILLISECONDS,
        BYTES,
        SHARE
    }

    Figure(String label, Unit unit) {
        this.label = label;
        this.unit = unit;
    }

    /** @throws IllegalArgumentException naming the existing ones */
    public static Figure of(String key) {
        return Arrays.stream(values())
                .filter(figure -> figure.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("figure '" + key + "' is unknown; known are "
                        + Arrays.stream(values()).map(Figure::key).toList()));
    }

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The heading of its column. */
    public String label() {
        return label;
    }

    /** A value with three digits and its unit. */
    public String format(double value) {
        return switch (unit) {
            case SECONDS -> digits(value);
            case COUNT ->
                value >= 1e6 ? digits(value / 1e6) + " M" : value >= 1e3 ? digits(value / 1e3) + " k" : digits(value);
            case MILLISECONDS -> digits(value) + " ms";
            case BYTES ->
                Math.abs(value) >= 1 << 20 ? digits(value / (1 << 20)) + " MiB" : digits(value / 1024) + " KiB";
            case SHARE -> Math.round(value * 100) + " %";
        };
    }

    private static String digits(double value) {
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
