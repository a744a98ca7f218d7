package brig.formats.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Terminals of real programs, against another terminal. A file of {@code terminals} has what a program wrote, sizes, and
 * here and there what {@code @xterm/headless} 6.0.0 then showed, with the addon unicode11 and without breaking lines anew when
 * the size changed.
 */
class RecordedTerminalsTest {
    private static final Path FOLDER = Path.of("src/test/resources/terminals");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static List<JsonNode> events(String name) throws IOException {
        List<JsonNode> events = new ArrayList<>();
        for (String line : Files.readAllLines(FOLDER.resolve(name + ".jsonl"))) {
            events.add(MAPPER.readTree(line));
        }
        return events;
    }

    private static TerminalModel terminal(JsonNode size) {
        return new TerminalModel(size.get(0).asInt(), size.get(1).asInt(), answer -> {});
    }

    private static String expected(JsonNode event) {
        List<String> rows = new ArrayList<>();
        event.get("screen").forEach(row -> rows.add(row.asText()));
        return "cursor " + event.get("cursor").asText() + "\n" + String.join("\n", rows);
    }

    private static String shown(TerminalModel terminal) {
        String cursor = terminal.state().lines().skip(1).findFirst().orElse("");
        return cursor.substring(0, cursor.indexOf(' ', 7)) + "\n" + terminal.screen();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "vim", "tmux"})
    void shouldShowWhatAnotherTerminalShows(String name) throws IOException {
        List<JsonNode> events = events(name);
        TerminalModel terminal = terminal(events.getFirst().get("size"));
        int compared = 0;
        for (JsonNode event : events) {
            if (event.has("size")) {
                terminal.resize(
                        event.get("size").get(0).asInt(),
                        event.get("size").get(1).asInt());
            } else if (event.has("output")) {
                terminal.write(event.get("output").asText());
            } else {
                assertEquals(expected(event), shown(terminal));
                compared++;
            }
        }
        assertTrue(compared >= 5, "screens to compare: " + compared);
    }

    /** Who comes late, at any time, sees what one sees who was there: by the drawing, and through the filter. */
    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "vim", "tmux"})
    void shouldShowTheSameToWhoComesLate(String name) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<JsonNode> events = events(name);
        TerminalModel there = terminal(events.getFirst().get("size"));
        TerminalModel late = terminal(events.getFirst().get("size"));
        TerminalFilter filter = new TerminalFilter();
        for (JsonNode event : events) {
            if (event.has("size")) {
                there.resize(
                        event.get("size").get(0).asInt(),
                        event.get("size").get(1).asInt());
                late = terminal(event.get("size"));
                late.write(there.draw());
            }
            String output = event.path("output").asText();
            for (int at = 0; at < output.length(); ) {
                int end = Math.min(output.length(), at + 1 + random.nextInt(400));
                StringBuilder passed = new StringBuilder();
                filter.filter(output.substring(at, end), passed);
                there.write(output.substring(at, end));
                late.write(passed);
                at = end;
                if (there.isGround()) {
                    assertEquals(there.screen(), late.screen(), () -> "seed " + seed);
                    TerminalModel drawn = new TerminalModel(there.columns(), there.rows(), answer -> {});
                    drawn.write(there.draw());
                    assertEquals(there.state(), drawn.state(), () -> "seed " + seed);
                }
            }
        }
    }
}
