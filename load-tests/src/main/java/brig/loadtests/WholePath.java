package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.profile.CpuRecording;
import brig.loadtests.whole.Costs;
import brig.loadtests.whole.Disturbance;
import brig.loadtests.whole.Load;
import brig.loadtests.whole.PaceEvent;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.PipePeer;
import brig.loadtests.whole.Role;
import brig.loadtests.whole.Sessions;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
            "  brig bench whole --peers brig,pipe",
            "  brig bench whole --beside FLOOD,DOWNLOAD,BUSY --warm-up 2 --seconds 5",
            "  brig bench whole --profile graphs",
            "  ./gradlew :load-tests:run -Pargs='whole --json'"
        })
final class WholePath implements Callable<Integer> {
    private static final double MIB = 1024.0 * 1024;
    private static final double KIB = 1024.0;
    private static final int PERCENT = 100;
    private static final long MS_PER_SECOND = 1000;
    private static final String BRIG = "brig";
    private static final String PIPE = "pipe";
    static final long WORKERS_MAX = 1024;

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

    @Option(names = "--spawn-rounds", description = "Rounds of spawns at once; the median counts.", defaultValue = "5")
    private int spawnRounds;

    @Option(
            names = "--peers",
            split = ",",
            description = "brig, and pipe: a C program that copies pipes of agents in plain bubblewrap to sockets.",
            defaultValue = BRIG)
    private List<String> peers = new ArrayList<>();

    @Option(
            names = "--profile",
            paramLabel = "FOLDER",
            description = "Write flame graphs of the CPU time of gateway and worker-agent.")
    private @Nullable Path profile;

    @Option(
            names = "--beside",
            split = ",",
            description = "Instead: streams beside ${COMPLETION-CANDIDATES}, and the ratio to undisturbed ones.")
    private List<Disturbance.Kind> beside = new ArrayList<>();

    @Option(names = "--rounds", description = "Rounds of --beside.", defaultValue = "3")
    private int rounds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        Report report = new Report(json);
        Load load = new Load(streams, rate, readers, warmUpSeconds, seconds);
        report.value("streams", load.toString());
        boolean complete = beside.isEmpty() || new WholeBeside(load, beside, rounds).run(report);
        for (String peer : beside.isEmpty() ? peers : List.<String>of()) {
            complete &= peer.equals(BRIG) ? brig(load, report) : pipe(load, report);
        }
        report.finish();
        return complete ? 0 : 1;
    }

    private void check() {
        if (!List.of(BRIG, PIPE).containsAll(peers)) {
            throw refusal("--peers knows " + BRIG + " and " + PIPE);
        }
        if (peers.contains(PIPE) && !Programs.isInstalled("bwrap")) {
            throw refusal("bwrap is not installed, which the peer " + PIPE + " needs");
        }
    }

    private ParameterException refusal(String why) {
        if (spec == null) {
            throw new IllegalStateException(why);
        }
        return new ParameterException(spec.commandLine(), why);
    }

    private boolean brig(Load load, Report report) throws IOException, InterruptedException {
        if (profile == null) {
            return brig(load, JvmOptions.NONE, report).isComplete();
        }
        try (CpuRecording recording = new CpuRecording(profile)) {
            Paced paced = brig(load, recording.options(), report);
            for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT)) {
                double taken = paced.after().cpuSince(paced.before(), role);
                Path graph = recording.draw(role.toString(), role.toString(), paced.from(), paced.to(), taken);
                report.value(role + ".profile", graph.toString());
            }
            return paced.isComplete();
        }
    }

    private Paced brig(Load load, JvmOptions more, Report report) throws IOException, InterruptedException {
        Brig.Launch launch = new Brig.Launch(
                Brig.home(),
                ServeSettings.DEFAULTS.withWorkers(WORKERS_MAX),
                List.of(),
                more.gateway(JvmOptions.WHOLE_COLLECTIONS));
        try (Brig brig = Brig.start(Sessions.agents(rate), launch)) {
            Paced paced = Sessions.measure(brig, load);
            paced("", paced, report);
            idle(brig, report);
            spawns(brig, Sessions.of(brig).place(), report);
            return paced;
        }
    }

    private boolean pipe(Load load, Report report) throws IOException {
        Paced paced = PipePeer.measure(load);
        paced(PIPE + ".", paced, report);
        return paced.isComplete();
    }

    /** Reports it; the names of a peer's values begin with its own. */
    private static void paced(String prefix, Paced paced, Report report) {
        PaceEvent.Result result = paced.result();
        report.value(prefix + "lines_read", result.lines());
        report.value(prefix + "faults", result.faults());
        for (Role role : paced.after().roles()) {
            Costs.Cost cost = paced.after().of(role);
            report.value(prefix + role + ".cpu_s_per_million", paced.cpuPerMillion(role));
            report.value(prefix + role + ".mib", cost.residentBytes() / MIB);
            report.value(prefix + role + ".threads", cost.threads());
        }
        report.value((prefix.isEmpty() ? "brig." : prefix) + "cpu_s_per_million", paced.cpuPerMillion());
        report.value(prefix + "write_to_read_p50_ms", Report.precise(result.p50Ms()));
        report.value(prefix + "write_to_read_p99_ms", Report.precise(result.p99Ms()));
        report.value(prefix + "write_to_read_p999_ms", Report.precise(result.p999Ms()));
        report.value(prefix + "write_to_read_max_ms", Report.precise(result.maxMs()));
    }

    private void idle(Brig brig, Report report) throws IOException, InterruptedException {
        Sessions all = Sessions.of(brig);
        List<String> sessions = new ArrayList<>();
        Costs fewer = Costs.of(brig);
        for (int count : idle) {
            int added = count - sessions.size();
            sessions.addAll(all.spawn(Sessions.WAITING, added));
            Thread.sleep(warmUpSeconds * MS_PER_SECOND);
            Costs before = Costs.of(brig);
            Thread.sleep(seconds * MS_PER_SECOND);
            Costs after = Costs.of(brig);
            String name = "idle_" + count;
            report.value(name + ".cpu_percent", after.deliveringCpuSince(before) / seconds * PERCENT);
            for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT)) {
                report.value(name + "." + role + ".cpu_percent", after.cpuSince(before, role) / seconds * PERCENT);
                report.value(name + "." + role + ".threads", after.of(role).threads());
                if (added > 0) {
                    long more = after.of(role).residentBytes() - fewer.of(role).residentBytes();
                    report.value(name + "." + role + ".kib_each_more", more / KIB / added);
                }
            }
            fewer = after;
        }
        all.terminate(sessions);
    }

    /** The first round is the client's own first time, and does not count. */
    private void spawns(Brig brig, HttpWire.Place place, Report report) {
        for (int count : atOnce) {
            firstOutputs(place, count);
            Costs before = Costs.of(brig);
            double[] p50 = new double[spawnRounds];
            double[] most = new double[spawnRounds];
            for (int round = 0; round < spawnRounds; round++) {
                double[] sorted = firstOutputs(place, count);
                p50[round] = Report.percentile(sorted, 50);
                most[round] = sorted[sorted.length - 1];
            }
            Costs after = Costs.of(brig);
            Arrays.sort(p50);
            Arrays.sort(most);
            String name = "spawn_" + count + "_at_once";
            report.value(name + ".p50_ms", Report.percentile(p50, 50));
            report.value(name + ".max_ms", Report.percentile(most, 50));
            for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT, Role.LAUNCHER)) {
                report.value(
                        name + "." + role + ".cpu_ms_each",
                        after.cpuSince(before, role) * MS_PER_SECOND / count / spawnRounds);
            }
        }
    }

    /** Milliseconds to the first output of so many spawns that begin together, sorted. */
    private static double[] firstOutputs(HttpWire.Place place, int count) {
        long start = System.nanoTime();
        List<CompletableFuture<Double>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(CompletableFuture.supplyAsync(() -> firstOutputMs(place, start), Thread::startVirtualThread));
        }
        return all.stream().mapToDouble(CompletableFuture::join).sorted().toArray();
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
