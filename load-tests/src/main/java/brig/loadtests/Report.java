package brig.loadtests;

import brig.protocol.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a scenario prints: for people as it comes, or as one JSON object at the end. */
final class Report {
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final boolean json;
    private final Map<String, Object> object = new LinkedHashMap<>();

    Report(boolean json) {
        this.json = json;
        value("machine", machine());
    }

    /** A line for people. */
    void say(String text) {
        if (!json) {
            out.println(text);
        }
    }

    /** A result with its name. */
    void value(String name, Object value) {
        object.put(name, value);
        say("%-22s %s".formatted(name, value instanceof Double number ? number(number) : value));
    }

    /** A row of a table; its cells are aligned to the right. */
    void row(List<String> cells) {
        StringBuilder line = new StringBuilder();
        cells.forEach(cell -> line.append("%15s".formatted(cell)));
        say(line.toString());
    }

    /** What only the JSON holds, because people saw it as it came. */
    void keep(String name, Object value) {
        object.put(name, value);
    }

    void finish() {
        if (json) {
            out.println(new String(Json.write(object), StandardCharsets.UTF_8));
        }
    }

    /** The host that the figures belong to, in a line. */
    private static String machine() {
        return "%d cores of %s, %s, Linux %s, JDK %s, load %s".formatted(
                Runtime.getRuntime().availableProcessors(),
                field("/proc/cpuinfo", "model name"), field("/proc/meminfo", "MemTotal"),
                System.getProperty("os.version"), Runtime.version(), firstLine("/proc/loadavg"));
    }

    private static String field(String file, String name) {
        try {
            return Files.readAllLines(Path.of(file)).stream().filter(line -> line.startsWith(name))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim()).orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String firstLine(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
