package brig.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.HandTimers;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard asks for what the gateway has, and shows all of it. */
class DashboardTest {
    private static final Path FILE = Path.of(
            Files.exists(Path.of("config/grafana")) ? "config/grafana/brig.json" : "../config/grafana/brig.json");
    private static final Pattern NAME = Pattern.compile("\\b(?:brig|process)_\\w+");

    private static JsonNode dashboard() throws IOException {
        return new ObjectMapper().readTree(FILE.toFile());
    }

    /** Names of the metrics, those of timers without what is put behind them. */
    private static Set<String> served() {
        Counters counters = new Counters(() -> 0);
        counters.handleTokens("shell", false, "input", 1);
        counters.handleCost("shell", false, 1.0);
        String text = new String(
                ExpositionTest.exposition(counters, new LoopWatch(counters, new HandTimers()), () -> true)
                        .scrape(),
                StandardCharsets.UTF_8);
        return text.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1)[2].replaceFirst("_seconds_max$", "_seconds"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldAskForExactlyTheMetricsThatThereAre() throws IOException {
        Set<String> asked = new TreeSet<>();
        for (JsonNode expression : dashboard().findValues("expr")) {
            Matcher name = NAME.matcher(expression.asText());
            while (name.find()) {
                asked.add(name.group().replaceFirst("_seconds_(bucket|sum|count)$", "_seconds"));
            }
        }
        assertEquals(served(), asked);
    }

    @Test
    void shouldHavePanelsThatGrafanaCanDraw() throws IOException {
        JsonNode dashboard = dashboard();
        assertFalse(dashboard.path("title").asText().isEmpty());
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            String title = panel.path("title").asText();
            assertFalse(title.isEmpty());
            assertTrue(ids.add(panel.path("id").asInt()), title);
            JsonNode at = panel.path("gridPos");
            assertTrue(
                    at.path("x").asInt() + at.path("w").asInt() <= 24
                            && at.path("w").asInt() > 0,
                    title);
            if (!panel.path("type").asText().equals("row")) {
                assertFalse(panel.path("targets").isEmpty(), title);
                assertFalse(
                        panel.path("fieldConfig")
                                .path("defaults")
                                .path("unit")
                                .asText()
                                .isEmpty(),
                        title);
                assertEquals(
                        "${datasource}", panel.path("datasource").path("uid").asText(), title);
            }
        }
    }
}
