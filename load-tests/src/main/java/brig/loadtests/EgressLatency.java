package brig.loadtests;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.ServeSettings;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.record.CamelCase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests egress}. */
@Command(
        name = "egress",
        description = "What the way out costs: a request through brig-egress, a worker that has one, and what others "
                + "feel of a large download.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "curl asks a server on the loopback many times over one connection: outside, as it is; inside a wall by the",
            "proxy's variables, and without them (transparent); plain, and by TLS that brig-egress reads. Rounds are",
            "interleaved; what counts is the median of a round's requests. The workers that stream say the time",
            "50 times a second; what is measured is when their captain reads it, alone and while one more",
            "worker downloads. Exit code 3 where a bound does not hold: 2 ms plain, 5 ms TLS, p99 of streams 1.5",
            "times, 1 MiB for each worker.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='egress --requests 300'"
        })
final class EgressLatency implements Callable<Integer> {
    private static final int EXIT_TOO_SLOW = 3;
    private static final double PLAIN_MS_MAX = 2;
    private static final double TLS_MS_MAX = 5;
    private static final double STREAM_RATIO_MAX = 1.5;
    private static final double WORKER_MIB_MAX = 1;
    private static final double MIB = 1024.0 * 1024;
    private static final String HOST = "fast.test";
    private static final String CLOCK = "use Time::HiRes; $| = 1; "
            + "while (1) { printf \"%.6f\\n\", Time::HiRes::time(); select(undef, undef, undef, 0.02) }";

    @Option(names = "--requests", description = "Of each round.", defaultValue = "300")
    private int requests;

    @Option(names = "--rounds", description = "Of each way.", defaultValue = "5")
    private int rounds;

    @Option(names = "--workers", description = "Idle workers, each with a policy of its own.", defaultValue = "200")
    private int workers;

    @Option(names = "--streams", description = "Workers that say the time.", defaultValue = "20")
    private int streams;

    @Option(names = "--download-mib", description = "What another worker downloads meanwhile.", defaultValue = "3000")
    private long downloadMib;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private boolean holds = true;

    /** One round of requests; returns the seconds of each. */
    private interface RequestPath {
        List<Double> ask() throws IOException;
    }

    @Override
    public Integer call() throws Exception {
        Report report = new Report(json);
        Path folder = Brig.newFolder();
        try (LocalWeb web = LocalWeb.start(folder.resolve("web"));
                Brig brig = start(folder, web);
                WorkerAgentWire control = WorkerAgentWire.control(brig.linkSocket())) {
            latency(report, web, control);
            download(report, web, control);
            memory(report, control);
        }
        report.finish();
        return holds ? 0 : EXIT_TOO_SLOW;
    }

    private Brig start(Path folder, LocalWeb web) throws IOException {
        List<String> hosts = new ArrayList<>();
        for (String host : List.of(HOST, "127.0.0.1")) {
            hosts.add(host + ":" + web.port(false));
            hosts.add(host + ":" + web.port(true));
        }
        PolicyFile policy = new PolicyFile(
                "for load tests",
                Map.of("/workspace", new PolicyFile.Mount(".", false)),
                List.of("PATH", "http_proxy", "https_proxy", "no_proxy"),
                List.of(),
                new PolicyFile.Egress(hosts));
        Path policies = Files.createDirectories(folder.resolve("policies"));
        List<String> names = new ArrayList<>();
        for (int i = 0; i <= workers; i++) {
            names.add("p" + i);
            Files.write(policies.resolve("p" + i + ".json"), Json.write(policy));
        }
        Path agentDir = Files.createDirectories(folder.resolve("agents"));
        agent("/bin/bash", "-s").write(agentDir, "bash");
        agent("/bin/sleep", "infinity").write(agentDir, "idle");
        agent("/usr/bin/perl", "-e", CLOCK).write(agentDir, "clock");
        ServeSettings settings = ServeSettings.DEFAULTS
                .withWorkers(1_000)
                .withWorker(new ServeSettings.Worker(
                        List.of(),
                        List.of("", agentDir.toString()),
                        List.of("", policies.toString()),
                        names,
                        new ServeSettings.Egress(
                                Map.of(HOST, "127.0.0.1"),
                                List.of(web.authority().toString()))));
        return Brig.prepare(folder, Brig.Launch.with(settings)).launch();
    }

    private static AgentFile agent(String... command) {
        return AgentFile.spawned("for load tests", List.of(command), "lines");
    }

    /** A policy with the keys of {@code config/policies}. */
    @CamelCase
    private record PolicyFile(
            String description,
            Map<String, Mount> mounts,
            List<String> environment,
            List<String> privateFiles,
            Egress egress) {
        @CamelCase
        private record Mount(String hostPath, boolean readonly) {}

        @CamelCase
        private record Egress(List<String> allowedHosts) {}
    }

    private void latency(Report report, LocalWeb web, WorkerAgentWire control) throws IOException {
        Map<String, RequestPath> ways = new LinkedHashMap<>();
        try (Shell shell = new Shell(control)) {
            for (boolean tls : new boolean[] {false, true}) {
                String url =
                        (tls ? "https://" : "http://") + HOST + ":" + web.port(tls) + "/small?[1-" + requests + "]";
                String kind = tls ? "tls" : "plain";
                ways.put(kind + " outside", () -> outside(web, url, tls));
                ways.put(kind + " by proxy", () -> shell.run(curl("", url), requests));
                ways.put(kind + " transparent", () -> shell.run(curl("--noproxy '*' ", url), requests));
            }
            Map<String, double[]> medians = new LinkedHashMap<>();
            for (int round = -1; round < rounds; round++) {
                for (Map.Entry<String, RequestPath> way : ways.entrySet()) {
                    double median = median(way.getValue().ask()) * 1e3;
                    if (round >= 0) {
                        medians.computeIfAbsent(way.getKey(), name -> new double[rounds])[round] = median;
                    }
                }
            }
            report.row(List.of("request", "min ms", "median ms", "max ms"));
            medians.forEach((way, values) -> {
                Arrays.sort(values);
                report.row(List.of(
                        way,
                        Report.number(values[0]),
                        Report.number(values[rounds / 2]),
                        Report.number(values[rounds - 1])));
            });
            for (String way : List.of("plain by proxy", "plain transparent", "tls by proxy", "tls transparent")) {
                String kind = way.substring(0, way.indexOf(' '));
                double added = middle(medians, way) - middle(medians, kind + " outside");
                bound(report, way + " adds, ms", added, kind.equals("tls") ? TLS_MS_MAX : PLAIN_MS_MAX);
            }
        }
    }

    private double middle(Map<String, double[]> sorted, String way) {
        return sorted.getOrDefault(way, new double[rounds])[rounds / 2];
    }

    private void bound(Report report, String name, double value, double max) {
        holds &= value <= max;
        report.value(
                name,
                Report.number(value) + (value <= max ? " (holds: " : " (FAILS: ") + "at most " + Report.number(max)
                        + ")");
    }

    private static String curl(String options, String url) {
        return "curl -sS " + options + "-o /dev/null -w '%{http_code} %{time_total}\\n' '" + url + "'";
    }

    private static double median(List<Double> seconds) {
        double[] sorted =
                seconds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static List<Double> outside(LocalWeb web, String url, boolean tls) throws IOException {
        String options = "--noproxy '*' --resolve " + HOST + ":" + web.port(tls) + ":127.0.0.1 --cacert "
                + web.authority() + " ";
        Process curl = new ProcessBuilder("/bin/bash", "-c", curl(options, url)).start();
        return times(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList());
    }

    private static List<Double> times(List<String> lines) throws IOException {
        List<Double> times = new ArrayList<>();
        for (String line : lines) {
            if (!line.startsWith("200 ")) {
                throw new IOException("a request did not come through: " + line);
            }
            times.add(Double.parseDouble(line.substring(4)));
        }
        return times;
    }

    /** A shell behind the wall. */
    private static final class Shell implements AutoCloseable {
        private final WorkerAgentWire control;
        private final String id = Ids.newSpawnId(System.currentTimeMillis());
        private final WorkerAgentWire worker;
        private final StringBuilder said = new StringBuilder();

        Shell(WorkerAgentWire control) throws IOException {
            this.control = control;
            control.spawn(id, "bash", "", "p0");
            worker = WorkerAgentWire.worker(control.socket(), id);
        }

        /** The seconds of each request, as the command prints them. */
        List<Double> run(String command, int lines) throws IOException {
            List<String> printed = new ArrayList<>();
            send(command);
            while (printed.size() < lines) {
                printed.add(line());
            }
            return times(printed);
        }

        void send(String command) throws IOException {
            worker.say(command);
        }

        String line() throws IOException {
            while (said.indexOf("\n") < 0) {
                NumberedFrame frame = worker.frame();
                if (frame.frame() instanceof Frame.Chunk chunk) {
                    said.append(chunk.content());
                    worker.acknowledge(frame);
                }
            }
            String line = said.substring(0, said.indexOf("\n"));
            said.delete(0, line.length() + 1);
            return line;
        }

        @Override
        public void close() throws IOException {
            worker.close();
            control.terminate(id);
        }
    }

    private void download(Report report, LocalWeb web, WorkerAgentWire control) throws Exception {
        List<String> ids = new ArrayList<>();
        List<WorkerAgentWire> clocks = new ArrayList<>();
        try (Shell shell = new Shell(control);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int i = 0; i < streams; i++) {
                ids.add(Ids.newSpawnId(System.currentTimeMillis()));
                control.spawn(ids.getLast(), "clock", "", "p0");
                clocks.add(WorkerAgentWire.worker(control.socket(), ids.getLast()));
            }
            String url = "http://" + HOST + ":" + web.port(false) + "/large?" + (downloadMib << 20);
            read(clocks, threads, 3_000);
            Histogram alone = read(clocks, threads, 5_000);
            shell.send(curl("", url));
            Future<String> downloaded = threads.submit(shell::line);
            Histogram beside = read(clocks, threads, 5_000);
            boolean whole = !downloaded.isDone();
            String answer = downloaded.get();
            report.value("download, MiB/s", downloadMib / times(List.of(answer)).getFirst());
            if (!whole) {
                throw new IOException("the download did not last as long as the measurement: take more --download-mib");
            }
            report.value("streams alone, p99 ms", alone.getValueAtPercentile(99) / 1e3);
            report.value("streams beside a download, p99 ms", beside.getValueAtPercentile(99) / 1e3);
            bound(
                    report,
                    "p99 ratio",
                    (double) beside.getValueAtPercentile(99) / alone.getValueAtPercentile(99),
                    STREAM_RATIO_MAX);
        }
        for (WorkerAgentWire clock : clocks) {
            clock.close();
        }
        for (String id : ids) {
            control.terminate(id);
        }
    }

    /** The age of each timestamp when it is read, in microseconds. */
    private static Histogram read(List<WorkerAgentWire> clocks, ExecutorService threads, long forMs) throws Exception {
        long end = System.currentTimeMillis() + forMs;
        List<Future<Histogram>> reading = new ArrayList<>();
        for (WorkerAgentWire clock : clocks) {
            reading.add(threads.submit(() -> {
                Histogram ages = new Histogram(3);
                while (System.currentTimeMillis() < end) {
                    NumberedFrame frame = clock.frame();
                    double nowMicros = System.currentTimeMillis() * 1e3;
                    if (frame.frame() instanceof Frame.Chunk chunk) {
                        chunk.content()
                                .lines()
                                .forEach(time -> ages.recordValue(
                                        Math.max(0, (long) (nowMicros - Double.parseDouble(time) * 1e6))));
                        clock.acknowledge(frame);
                    }
                }
                return ages;
            }));
        }
        Histogram all = new Histogram(3);
        for (Future<Histogram> one : reading) {
            all.add(one.get());
        }
        return all;
    }

    private void memory(Report report, WorkerAgentWire control) throws IOException {
        double before = Programs.commandBytes("EgressMain");
        List<String> ids = new ArrayList<>();
        for (int i = 1; i <= workers; i++) {
            ids.add(Ids.newSpawnId(System.currentTimeMillis()));
            control.spawn(ids.getLast(), "idle", "", "p" + i);
        }
        double after = Programs.commandBytes("EgressMain");
        report.value("brig-egress, MiB", before / MIB);
        bound(report, "each worker of brig-egress, MiB", (after - before) / workers / MIB, WORKER_MIB_MAX);
        for (String id : ids) {
            control.terminate(id);
        }
    }
}
