package brig.loadtests.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Results;
import brig.loadtests.bench.Samples;
import brig.loadtests.bench.Verdict;
import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.suite.Bound;
import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class ReportsTest {
    private static final Heading HEADING =
            new Heading("two cores", "2026-01-01", "bench <\"all\">", List.of("NOT node"));

    private final Results results = Samples.results(
            List.of(new Bound("fan-out", "cpu_per_million", "nats", "", 20, 0, 0, "5x & more")),
            Samples.run("fan-out", "brig", 1, Outcome.OK, 0.1),
            Samples.run("fan-out", "nats", 1, Outcome.OK, 1),
            Samples.run("fan-out", "nats", 2, Outcome.OK, 3),
            Samples.run("fan-out", "brig", 2, Outcome.VOID, 7));

    @Test
    void shouldWriteATableWithMediansAndSpread() {
        String text = Table.of(results);
        assertTrue(text.contains("nats  2.00 (1.00 to 3.00)"), text);
        assertTrue(text.contains("brig: VOID because"), text);
        assertTrue(text.contains("holds      fan-out"), text);
        assertTrue(text.contains("5.00 % (0.100 / 2.00)"), text);
    }

    @Test
    void shouldWriteEveryRunAsJson() {
        byte[] line = JsonReport.of(HEADING, results).line();
        assertTrue(new String(line, StandardCharsets.UTF_8).contains("\"outcome\":\"VOID\",\"why\""));
        JsonReport report = Json.read(line, JsonReport.class);
        assertEquals("two cores", report.machine());
        List<JsonReport.MeasuredPeer> peers = report.scenarios().getFirst().peers();
        assertEquals("nats", peers.get(1).peer());
        assertEquals(
                3.0,
                Objects.requireNonNull(peers.get(1).figures().get("cpu_per_million"))
                        .max());
        assertEquals(
                List.of(Outcome.OK, Outcome.VOID),
                peers.getFirst().runs().stream()
                        .map(JsonReport.MeasuredRun::outcome)
                        .toList());
        assertEquals(Verdict.Status.HOLDS, report.bounds().getFirst().status());
    }

    @Test
    void shouldWriteAPageThatNeedsNothingElse() throws Exception {
        String page = HtmlReport.of(HEADING, results);
        for (String outside : List.of("http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link")) {
            assertFalse(page.contains(outside), outside);
        }
        assertTrue(page.contains("bench &lt;&quot;all&quot;&gt;"));
        assertTrue(page.contains("5x &amp; more"));
        // Well-formed charts, each of which a browser shows: bars, latency, and memory of both peers.
        int charts = 0;
        for (int at = page.indexOf("<svg"); at >= 0; at = page.indexOf("<svg", at + 1)) {
            String svg = page.substring(at, page.indexOf("</svg>", at) + 6);
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
            assertFalse(svg.contains("NaN") || svg.contains("Infinity"), svg);
            charts++;
        }
        assertEquals(4, charts);
    }

    @Test
    void shouldWriteReportsOfNothingMeasured() {
        Results broken = Samples.results(List.of(), Samples.run("fan-out", "brig", 1, Outcome.BROKEN, 0));
        assertTrue(Table.of(broken).contains("BROKEN because"));
        assertFalse(HtmlReport.of(HEADING, broken).contains("NaN"));
    }

    @Test
    void shouldDrawABarOnATerminalOnly() {
        assertTrue(screen(true).contains("\r\033[K[######"), screen(true));
        assertEquals("  1/2  a brig round 1: CPU s/million 0.500\n", screen(false));
    }

    private static String screen(boolean terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ProgressDisplay screen = new ProgressDisplay(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal);
        screen.handleStart(1, 2, "a brig round 1", 1);
        screen.handleProgress(new Progress(0, 1, 1, 1));
        screen.handleEnd(Samples.run("a", "brig", 1, Outcome.OK, 0.5), Samples.saturated("a"));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
