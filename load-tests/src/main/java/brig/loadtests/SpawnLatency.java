package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.json.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests spawn-latency}. */
@Command(
        name = "spawn-latency",
        description = "Time from sending POST /api/v1/spawns (shell, 'echo hi') to the first chunk frame.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The client is a plain socket that keeps its connections: one for requests, and one,",
            "open before the clock starts, that asks for the stream as soon as the spawn is",
            "answered. Without --url and --socket it starts the product itself, with private",
            "folders, over TCP with the admin token.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='spawn-latency --runs 50 --model --json'"
        })
final class SpawnLatency implements Callable<Integer> {
    private static final SpawnBody BODY =
            SpawnBody.of("shell").saying("echo hi").endingAfterOne();

    /** A chat request to the agent as a model. */
    private record Chat(String model, boolean stream, List<Message> messages) {
        private record Message(String role, String content) {}
    }

    /** The shipped profile, offered as a model, which programs without turns are not. */
    private static final AgentFile SHELL = new AgentFile(
            "Runs the message with bash in the workspace",
            List.of("/bin/bash", "-c", "eval -- \"$(<{messageFile})\""),
            null,
            null,
            true,
            null,
            null);

    @Option(names = "--url", description = "A gateway that runs; needs --token.")
    private @Nullable URI url;

    @Option(names = "--token", description = "Its admin token: brig token.")
    private @Nullable String token;

    @Option(names = "--socket", description = "Its HTTP socket instead, where the uid needs no token.")
    private @Nullable String socket;

    @Option(names = "--runs", description = "Measured runs.", defaultValue = "20")
    private int runs;

    @Option(names = "--warm-up", description = "Runs before, which do not count.", defaultValue = "5")
    private int warmUps;

    @Option(
            names = "--model",
            description = "In turn with each run the same through /openai/v1/chat/completions; "
                    + "a gateway of your own has to offer the profile 'shell' there: asModel.")
    private boolean model;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Report report = new Report(json);
        if (socket != null) {
            measure(HttpWire.Place.unix(socket), report);
        } else if (url != null) {
            measure(HttpWire.Place.tcp(url.getHost(), url.getPort(), token), report);
        } else {
            try (Brig brig = model ? Brig.start(Map.of("shell", SHELL)) : Brig.start()) {
                measure(HttpWire.Place.tcp("127.0.0.1", brig.port(), brig.adminToken()), report);
            }
        }
        report.finish();
        return 0;
    }

    private void measure(HttpWire.Place place, Report report) throws IOException {
        report.value("client", "plain keep-alive sockets to " + place.address());
        double[] spawned = new double[runs];
        double[] first = new double[runs];
        double[] asModel = new double[model ? runs : 0];
        try (HttpWire requests = place.connect()) {
            for (int i = 0; i < warmUps; i++) {
                run(place, requests);
                if (model) {
                    asModel(place);
                }
            }
            report.value("warm_up_runs", warmUps);
            report.row(List.of("run", "answer ms", "first chunk ms", model ? "as model ms" : ""));
            for (int i = 0; i < runs; i++) {
                double[] times = run(place, requests);
                spawned[i] = times[0];
                first[i] = times[1];
                if (model) {
                    asModel[i] = asModel(place);
                }
                report.row(List.of(
                        String.valueOf(i + 1),
                        Report.number(times[0]),
                        Report.number(times[1]),
                        model ? Report.number(asModel[i]) : ""));
            }
        }
        report.keep("first_chunk_ms", Arrays.stream(first).boxed().toList());
        summarize(report, "answer_ms", spawned);
        summarize(report, "first_chunk_ms", first);
        if (model) {
            summarize(report, "as_model_ms", asModel);
        }
    }

    /** Milliseconds to the first text of the agent's answer as a model. */
    private static double asModel(HttpWire.Place place) throws IOException {
        Chat chat = new Chat("shell", true, List.of(new Chat.Message("user", "echo hi")));
        byte[] request = place.request(
                "POST", "/openai/v1/chat/completions", new String(Json.write(chat), StandardCharsets.UTF_8));
        try (HttpWire stream = place.connect()) {
            long start = System.nanoTime();
            stream.send(request).stream();
            while (!stream.line().contains("{\"content\":\"hi\\n\"}")) {
                // read on
            }
            return (System.nanoTime() - start) / 1e6;
        }
    }

    /** Milliseconds to the answer and to the first chunk. */
    private static double[] run(HttpWire.Place place, HttpWire requests) throws IOException {
        byte[] request = place.request("POST", "/api/v1/spawns?wait=60s", BODY.text());
        try (HttpWire stream = place.connect()) {
            long start = System.nanoTime();
            SpawnAnswer answer = requests.send(request).answer(201).as(SpawnAnswer.class);
            long answered = System.nanoTime();
            stream.send(place.request("GET", "/api/v1/sessions/" + answer.spawnId() + "/stream", ""));
            stream.stream();
            // Events are not split between HTTP chunks, so their lines are found without parsing the framing.
            while (!stream.line().startsWith("data: {\"type\":\"chunk\"")) {
                // read on
            }
            return new double[] {(answered - start) / 1e6, (System.nanoTime() - start) / 1e6};
        }
    }

    private static void summarize(Report report, String name, double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        report.value(name + ".min", sorted[0]);
        report.value(name + ".median", Report.percentile(sorted, 50));
        report.value(name + ".p90", Report.percentile(sorted, 90));
        report.value(name + ".max", sorted[sorted.length - 1]);
    }
}
