package brig.loadtests;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code load-tests wall}. */
@Command(
        name = "wall",
        description = "What the wall costs: time from launch to the agent's first instruction, time of many spawns, "
                + "memory while idle.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The agent is 'date', which prints when it ran; what is measured is that time minus",
            "the time before the launch. Beside the wall, in turns: the same program as a bare",
            "process, behind plain bubblewrap, and behind srt where it is installed",
            "(npm install -g @anthropic-ai/sandbox-runtime). The wall is asked for over the",
            "worker-agent's socket: with policy, workspace, limits and posture. Spawns are",
            "timed until they are answered, which is when the agent runs. The memory of an idle",
            "wall is that of its own processes (PSS); 'idle, all' is what the host has less for",
            "each: the wall, the kernel's part, the agent ('sleep') and the worker-agent's.",
            "",
            "Example: ./gradlew :load-tests:run -Pargs='wall --runs 100'"
        })
final class WallLatency implements Callable<Integer> {
    private static final List<String> CLOCK = List.of("/bin/date", "+%s%N");
    private static final List<String> PLAIN =
            List.of("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc");
    private static final Map<String, AgentFile> AGENTS =
            Map.of("clock", agent(CLOCK), "idle", agent(List.of("/bin/sleep", "infinity")));
    private static final int AT_ONCE = 2;
    private static final double MIB = 1024.0 * 1024;

    @Option(names = "--runs", description = "Measured launches of each kind.", defaultValue = "50")
    private int runs;

    @Option(names = "--warm-up", description = "Launches before, which do not count.", defaultValue = "30")
    private int warmUps;

    @Option(names = "--spawns", description = "Spawns, two at a time, for the time of each.", defaultValue = "100")
    private int spawns;

    @Option(names = "--idle", description = "Idle walls, for the memory of each.", defaultValue = "100")
    private int idle;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private static AgentFile agent(List<String> command) {
        return AgentFile.spawned("for load tests", command, "null");
    }

    /** A way to launch; returns the milliseconds until it ran. */
    private interface Launch {
        double run() throws IOException;
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        Report report = new Report(json);
        try (Brig brig = Brig.start(AGENTS);
                WorkerAgentWire control = WorkerAgentWire.control(brig.linkSocket())) {
            Map<String, Launch> ways = new LinkedHashMap<>();
            ways.put("bare", () -> program(List.of()));
            ways.put("bwrap", () -> program(PLAIN));
            if (Programs.isInstalled("srt")) {
                ways.put("srt", () -> program(List.of("srt")));
            } else {
                report.say("srt is not installed and is left out");
            }
            ways.put("wall", () -> firstInstruction(control, Ids.newSpawnId(System.currentTimeMillis())));
            launches(ways, report);
            manySpawns(brig, report);
            idleMemory(control, report);
        }
        report.finish();
        return 0;
    }

    private void launches(Map<String, Launch> ways, Report report) throws IOException {
        Map<String, double[]> times = new LinkedHashMap<>();
        for (int run = -warmUps; run < runs; run++) {
            for (Map.Entry<String, Launch> way : ways.entrySet()) {
                double took = way.getValue().run();
                if (run >= 0) {
                    times.computeIfAbsent(way.getKey(), name -> new double[runs])[run] = took;
                }
            }
        }
        report.row(List.of("to first instr.", "min ms", "median ms", "p90 ms", "max ms"));
        times.forEach((way, values) -> {
            Arrays.sort(values);
            report.row(List.of(
                    way,
                    Report.number(values[0]),
                    Report.number(Report.percentile(values, 50)),
                    Report.number(Report.percentile(values, 90)),
                    Report.number(values[runs - 1])));
            report.keep(
                    "first_instruction_ms." + way, Arrays.stream(values).boxed().toList());
        });
        double bare = Report.percentile(times.getOrDefault("bare", new double[runs]), 50);
        times.forEach((way, values) -> report.value(way + " - bare, ms", Report.percentile(values, 50) - bare));
    }

    private double program(List<String> wrapper) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(CLOCK);
        long before = nowNs();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return (Long.parseLong(printed) - before) / 1e6;
    }

    private static double firstInstruction(WorkerAgentWire control, String spawnId) throws IOException {
        long before = nowNs();
        control.spawn(spawnId, "clock", "go", null);
        try (WorkerAgentWire worker = WorkerAgentWire.worker(control.socket(), spawnId)) {
            long ran = 0;
            for (NumberedFrame frame = worker.frame(); ; frame = worker.frame()) {
                if (frame.frame() instanceof Frame.Chunk chunk) {
                    ran = Long.parseLong(chunk.content().strip());
                } else if (frame.frame() instanceof Frame.State state && state.isTerminated()) {
                    worker.acknowledge(frame);
                    return (ran - before) / 1e6;
                }
            }
        }
    }

    private void manySpawns(Brig brig, Report report) throws IOException, InterruptedException, ExecutionException {
        double plain = each(() -> bwrapTrue());
        report.value("bwrap true, ms each", plain);
        List<WorkerAgentWire> controls = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            controls.add(WorkerAgentWire.control(brig.linkSocket()));
        }
        ThreadLocal<WorkerAgentWire> mine = ThreadLocal.withInitial(() -> {
            synchronized (controls) {
                return controls.removeLast();
            }
        });
        report.value("spawn, ms each", each(() -> {
            mine.get().spawn(Ids.newSpawnId(System.currentTimeMillis()), "clock", "go", null);
            return 0;
        }));
    }

    /** Elapsed time of all spawns, two at a time, divided by their number. */
    private double each(Launch launch) throws InterruptedException, ExecutionException {
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Callable<Double>> all = new ArrayList<>();
            for (int i = 0; i < spawns; i++) {
                all.add(launch::run);
            }
            long before = System.nanoTime();
            for (Future<Double> one : threads.invokeAll(all)) {
                one.get();
            }
            return (System.nanoTime() - before) / 1e6 / spawns;
        }
    }

    private static double bwrapTrue() throws IOException {
        List<String> command = new ArrayList<>(PLAIN);
        command.add("/bin/true");
        new ProcessBuilder(command).start().onExit().join();
        return 0;
    }

    private void idleMemory(WorkerAgentWire control, Report report) throws IOException {
        long before = Programs.availableBytes();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < idle; i++) {
            ids.add(Ids.newSpawnId(System.currentTimeMillis()));
            control.spawn(ids.getLast(), "idle", "go", null);
        }
        report.value("idle wall, MiB PSS", Programs.proportionalBytes(List.of("bwrap", "brig-init")) / idle / MIB);
        report.value("idle, all, MiB", (double) (before - Programs.availableBytes()) / idle / MIB);
        for (String id : ids) {
            control.terminate(id);
        }
    }

    private static long nowNs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }
}
