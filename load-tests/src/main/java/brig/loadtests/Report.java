package brig.loadtests;

import brig.loadtests.report.Machine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** The output of a scenario: for people immediately, or as one JSON object at the end. */
final class Report {
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final boolean json;
    private JsonObject object = JsonObject.EMPTY;

    Report(boolean json) {
        this.json = json;
        value("machine", Machine.line());
    }

    /** A line for people. */
    void say(String text) {
        if (!json) {
            out.println(text);
        }
    }

    /** A result with its name. */
    void value(String name, Object value) {
        keep(name, value);
        say("%-22s %s".formatted(name, value instanceof Double number ? number(number) : value));
    }

    /** A row of a table; its cells are aligned to the right. */
    void row(List<String> cells) {
        StringBuilder line = new StringBuilder();
        cells.forEach(cell -> line.append("%15s".formatted(cell)));
        say(line.toString());
    }

    /** A value for the JSON only, which people saw already. */
    void keep(String name, Object value) {
        object = object.with(name, value);
    }

    void finish() {
        if (json) {
            out.println(new String(Json.write(object), StandardCharsets.UTF_8));
        }
    }

    /** Three decimals, where a tenth of a millisecond is too coarse. */
    static String precise(double ms) {
        return Math.round(ms * 1e3) / 1e3 + "";
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** The smallest value that at least {@code percent} percent of the values do not exceed. */
    static double percentile(double[] sorted, int percent) {
        return sorted[Math.max(0, (sorted.length * percent + 99) / 100 - 1)];
    }
}
