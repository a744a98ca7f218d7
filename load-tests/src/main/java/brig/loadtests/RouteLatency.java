package brig.loadtests;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.product.ServeSettings;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code brig bench route}. */
@Command(
        name = "route",
        description = "What a budget adds to a request to a model.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "curl asks a model on the loopback, one request after another over one connection, from",
            "behind a wall through brig-egress: without a budget, with one, and with one of its own",
            "below three more sessions with budgets. Rounds are interleaved, and the first one does",
            "not count. Exit code 3: a budget adds more than 0.2 ms at the median.",
            "",
            "Example: brig bench route --requests 500"
        })
final class RouteLatency implements Callable<Integer> {
    private static final int EXIT_TOO_SLOW = 3;
    private static final double ADDED_MS_MAX = 0.2;
    private static final String AGENT = "asks";

    private static final Map<String, Integer> BUDGET = Map.of("usd", 100_000);
    private static final int ABOVE = 3;

    @Option(names = "--requests", description = "Of each round.", defaultValue = "500")
    private int requests;

    @Option(names = "--rounds", description = "Of each way.", defaultValue = "7")
    private int rounds;

    @Option(names = "--body-bytes", description = "Of each request.", defaultValue = "20000")
    private int bodyBytes;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** A way to ask: its budget, and the session above. */
    private record Way(
            @Nullable Map<String, Integer> budget, @Nullable String parent) {}

    @Override
    public Integer call() throws Exception {
        Report report = new Report(json);
        Path folder = Brig.newFolder();
        try (LocalWeb web = LocalWeb.start(folder.resolve("web"));
                Brig brig = start(folder, web.port(false))) {
            HttpWire.Place place = HttpWire.Place.unix(brig.httpSocket().toString());
            String above = null;
            for (int i = 0; i < ABOVE; i++) {
                above = spawn(place, new Way(BUDGET, above), null);
            }
            Map<String, Way> ways = new LinkedHashMap<>();
            ways.put("no_budget", new Way(null, null));
            ways.put("one_purse", new Way(BUDGET, null));
            ways.put("four_purses", new Way(BUDGET, above));
            return report(report, measure(place, ways));
        }
    }

    private static Brig start(Path folder, int port) throws IOException {
        Path policies = Files.createDirectories(folder.resolve("policies"));
        Files.writeString(policies.resolve("bench.json"), """
                {"description": "for load tests", "mounts": {"/workspace": {"hostPath": ".", "readonly": false}},
                 "environment": ["PATH", "BRIG_MODEL_URL_BENCH"], "privateFiles": [],
                 "egress": {"allowedHosts": ["127.0.0.1:%1$d"],
                            "modelRoutes": {"bench": {"baseUrl": "http://127.0.0.1:%1$d/"}}}}
                """.formatted(port));
        Path agents = Files.createDirectories(folder.resolve("agents"));
        AgentFile.perMessage("for load tests", List.of("/bin/bash", "-c", "eval -- \"$(<{messageFile})\""))
                .write(agents, AGENT);
        ServeSettings settings = ServeSettings.DEFAULTS.withWorker(new ServeSettings.Worker(
                List.of(), List.of("", agents.toString()), List.of("", policies.toString()), List.of("bench"), null));
        return Brig.prepare(folder, Brig.Launch.with(settings)).launch();
    }

    private static String spawn(HttpWire.Place place, Way way, @Nullable String prompt) throws IOException {
        JsonObject body = JsonObject.builder()
                .put("agent_config", Map.of("name", AGENT))
                .put("policy", "bench")
                .put("budget", way.budget)
                .put("parent", way.parent)
                .put("prompt", prompt)
                .put("once", prompt != null)
                .build();
        try (HttpWire wire = place.connect()) {
            return wire.send(place.request(
                            "POST", "/api/v1/spawns?wait=60s", new String(Json.write(body), StandardCharsets.UTF_8)))
                    .answer(201)
                    .as(SpawnAnswer.class)
                    .spawnId();
        }
    }

    /** Milliseconds of all requests that count, sorted. */
    private Map<String, double[]> measure(HttpWire.Place place, Map<String, Way> ways) throws IOException {
        Map<String, double[]> all = new LinkedHashMap<>();
        for (int round = -1; round < rounds; round++) {
            for (Map.Entry<String, Way> way : ways.entrySet()) {
                double[] each = round(place, way.getValue());
                if (round >= 0) {
                    double[] before = all.getOrDefault(way.getKey(), new double[0]);
                    double[] more = Arrays.copyOf(before, before.length + each.length);
                    System.arraycopy(each, 0, more, before.length, each.length);
                    all.put(way.getKey(), more);
                }
            }
        }
        all.values().forEach(Arrays::sort);
        return all;
    }

    private double[] round(HttpWire.Place place, Way way) throws IOException {
        // The shipped prices have this model.
        String asking = """
            { printf '{"model":"claude-opus-5.5","max_tokens":1000,"text":"'; head -c %d /dev/zero | tr '\\0' x; printf '"}'; } >/tmp/body
            exec curl -sS -o /dev/null -w '%%{http_code} %%{time_total}\\n' -d @/tmp/body "$BRIG_MODEL_URL_BENCH/v1/messages?[1-%d]"
            """.formatted(bodyBytes, requests);
        String id = spawn(place, way, asking);
        StringBuilder said = new StringBuilder();
        try (HttpWire stream =
                place.connect().send(place.request("GET", "/api/v1/sessions/" + id + "/stream", "")).stream()) {
            JsonObject frame = JsonObject.EMPTY;
            while (!frame.text("state", "").equals("terminated")) {
                String line = stream.line();
                if (line.startsWith("data: {")) {
                    frame = JsonObject.read(line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8));
                    said.append(FrameType.CHUNK.wireName().equals(frame.text("type")) ? frame.text("content", "") : "");
                }
            }
        }
        double[] ms = said.toString()
                .lines()
                .filter(line -> line.startsWith("200 "))
                .mapToDouble(line -> Double.parseDouble(line.substring("200 ".length())) * 1e3)
                .toArray();
        if (ms.length != requests) {
            throw new IOException("a request did not come through: " + said);
        }
        return ms;
    }

    private int report(Report report, Map<String, double[]> all) {
        report.row(List.of("budget", "p50 ms", "p99 ms"));
        all.forEach((way, ms) -> {
            report.row(
                    List.of(way, Report.precise(Report.percentile(ms, 50)), Report.precise(Report.percentile(ms, 99))));
            report.keep(way + ".p50_ms", Report.percentile(ms, 50));
            report.keep(way + ".p99_ms", Report.percentile(ms, 99));
        });
        double plain = Report.percentile(all.getOrDefault("no_budget", new double[1]), 50);
        boolean holds = true;
        for (String way : List.of("one_purse", "four_purses")) {
            double added = Report.percentile(all.getOrDefault(way, new double[1]), 50) - plain;
            holds &= added <= ADDED_MS_MAX;
            report.keep(way + ".added_p50_ms", added);
            report.say(way + " adds " + Report.precise(added) + " ms at the median"
                    + (added <= ADDED_MS_MAX ? "" : ": more than " + ADDED_MS_MAX));
        }
        report.finish();
        return holds ? 0 : EXIT_TOO_SLOW;
    }
}
