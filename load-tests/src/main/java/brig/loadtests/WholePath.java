package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.whole.Costs;
import brig.loadtests.whole.PaceEvent;
import brig.loadtests.whole.PaceReaders;
import brig.loadtests.whole.Role;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code brig bench whole}. */
@Command(
        name = "whole",
        description = "The whole path: walled agents, worker-agent, gateway, readers. CPU of every process.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Agents write lines of 60 bytes at a rate, each with its time; readers (server-sent",
            "events) check that none is lost and take the time from an agent's write to their",
            "read. CPU is that of all processes of the product for a million lines written.",
            "Then: CPU and memory of idle sessions, and spawns at once up to their first output.",
            "Exit code 1: a line was lost, doubled or out of order.",
            "",
            "Examples:",
            "  brig bench whole",
            "  brig bench whole --streams 200 --rate 20 --seconds 30 --idle 0,1000",
            "  ./gradlew :load-tests:run -Pargs='whole --json'"
        })
final class WholePath implements Callable<Integer> {
    private static final double MIB = 1024.0 * 1024;
    private static final double KIB = 1024.0;
    private static final double PER_MILLION = 1e6;
    private static final int PERCENT = 100;
    private static final long MS_PER_SECOND = 1000;
    private static final String PACED = "paced";
    private static final String WAITING = "waiting";
    private static final long WORKERS_MAX = 1024;

    @Option(names = "--streams", description = "Agents at once.", defaultValue = "100")
    private int streams;

    @Option(names = "--rate", description = "Lines a second of each agent.", defaultValue = "50")
    private int rate;

    @Option(names = "--readers", description = "Readers of each stream.", defaultValue = "2")
    private int readers;

    @Option(names = "--warm-up", description = "Seconds before it counts.", defaultValue = "10")
    private int warmUpSeconds;

    @Option(names = "--seconds", description = "Measured time.", defaultValue = "20")
    private int seconds;

    @Option(names = "--idle", split = ",", description = "Numbers of idle sessions.", defaultValue = "0,100")
    private List<Integer> idle = new ArrayList<>();

    @Option(names = "--at-once", split = ",", description = "Numbers of spawns at once.", defaultValue = "1,10,50")
    private List<Integer> atOnce = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Report report = new Report(json);
        Map<String, AgentFile> agents = Map.of(
                PACED,
                AgentFile.installed(
                        "Writes lines at a rate",
                        List.of("{program}", "write", String.valueOf(rate), String.valueOf(Integer.MAX_VALUE)),
                        "lib/load-tests/brig-pace"),
                WAITING,
                AgentFile.spawned("Waits", List.of("/bin/sleep", "infinity"), "null"));
        ServeSettings settings = ServeSettings.DEFAULTS.withWorkers(WORKERS_MAX);
        boolean whole;
        try (Brig brig = Brig.start(agents, settings)) {
            HttpWire.Place place = HttpWire.Place.unix(brig.httpSocket().toString());
            whole = paced(brig, place, report);
            idle(brig, place, report);
            spawns(place, report);
        }
        report.finish();
        return whole ? 0 : 1;
    }

    private boolean paced(Brig brig, HttpWire.Place place, Report report) throws IOException {
        List<String> sessions = Sessions.spawn(place, PACED, streams);
        try (PaceReaders reading = PaceReaders.start(
                brig.httpSocket(), sessions, readers, warmUpSeconds * MS_PER_SECOND, seconds * MS_PER_SECOND)) {
            reading.await(PaceEvent.Measuring.class);
            Costs before = Costs.of(brig);
            reading.await(PaceEvent.Measured.class);
            Costs after = Costs.of(brig);
            PaceEvent.Result result = reading.await(PaceEvent.Result.class);
            double written = (double) result.lines() / readers;
            report.value("streams", streams + " x " + rate + " lines/s, " + readers + " readers each");
            report.value("lines_read", result.lines());
            report.value("faults", result.faults());
            for (Role role : Role.values()) {
                Costs.Cost cost = after.of(role);
                report.value(role + ".cpu_s_per_million", after.cpuSince(before, role) / written * PER_MILLION);
                report.value(role + ".mib", cost.residentBytes() / MIB);
                report.value(role + ".threads", cost.threads());
            }
            report.value("brig.cpu_s_per_million", after.brigCpuSince(before) / written * PER_MILLION);
            report.value("write_to_read_p50_ms", Report.precise(result.p50Ms()));
            report.value("write_to_read_p99_ms", Report.precise(result.p99Ms()));
            report.value("write_to_read_p999_ms", Report.precise(result.p999Ms()));
            report.value("write_to_read_max_ms", Report.precise(result.maxMs()));
            return result.faults() == 0 && result.ended() == 0 && result.lines() > 0;
        } finally {
            Sessions.terminate(place, sessions);
        }
    }

    private void idle(Brig brig, HttpWire.Place place, Report report) throws IOException, InterruptedException {
        List<String> sessions = new ArrayList<>();
        Costs none = Costs.of(brig);
        for (int count : idle) {
            sessions.addAll(Sessions.spawn(place, WAITING, count - sessions.size()));
            Thread.sleep(warmUpSeconds * MS_PER_SECOND);
            Costs before = Costs.of(brig);
            Thread.sleep(seconds * MS_PER_SECOND);
            Costs after = Costs.of(brig);
            String name = "idle_" + count;
            report.value(name + ".cpu_percent", after.brigCpuSince(before) / seconds * PERCENT);
            for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT)) {
                report.value(name + "." + role + ".cpu_percent", after.cpuSince(before, role) / seconds * PERCENT);
                report.value(name + "." + role + ".threads", after.of(role).threads());
                if (count > 0) {
                    long more = after.of(role).residentBytes() - none.of(role).residentBytes();
                    report.value(name + "." + role + ".kib_each", more / KIB / count);
                }
            }
        }
        Sessions.terminate(place, sessions);
    }

    private void spawns(HttpWire.Place place, Report report) {
        for (int count : atOnce) {
            long start = System.nanoTime();
            List<CompletableFuture<Double>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(CompletableFuture.supplyAsync(() -> firstOutputMs(place, start), Thread::startVirtualThread));
            }
            double[] sorted =
                    all.stream().mapToDouble(CompletableFuture::join).sorted().toArray();
            report.value("spawn_" + count + "_at_once.p50_ms", Report.percentile(sorted, 50));
            report.value("spawn_" + count + "_at_once.max_ms", sorted[sorted.length - 1]);
        }
    }

    private static double firstOutputMs(HttpWire.Place place, long start) {
        try (HttpWire requests = place.connect();
                HttpWire stream = place.connect()) {
            SpawnBody body = SpawnBody.of("shell").saying("echo hi").endingAfterOne();
            SpawnAnswer spawned = requests.send(place.request("POST", "/api/v1/spawns?wait=60s", body.text()))
                    .answer(201)
                    .as(SpawnAnswer.class);
            stream.send(place.request("GET", "/api/v1/sessions/" + spawned.spawnId() + "/stream", "")).stream();
            while (!stream.line().contains("\"type\":\"chunk\"")) {
                // read on
            }
            return (System.nanoTime() - start) / 1e6;
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }
}
