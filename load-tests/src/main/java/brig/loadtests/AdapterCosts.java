package brig.loadtests;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.whole.Load;
import brig.loadtests.whole.PaceEvent;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.Replay;
import brig.loadtests.whole.Role;
import brig.loadtests.whole.Sessions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code brig bench adapters}.
 *
 * <p>Decision 0178.
 */
@Command(
        name = "adapters",
        description = "What the adapters cost: recorded native streams of Claude Code, Codex and OpenCode.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Agents behind walls replay the recorded output of a real agent, with messages of 500",
            "tokens; each token has its number and its time. Speed 1 is 50 tokens a second, as was",
            "recorded. Readers (server-sent events) check that no token is lost. CPU is for a million",
            "tokens written. The agent \"text\" writes plain lines: the difference is the adapter. At",
            "the first speed the JVM may still compile. Fewer tokens a second than speed and streams",
            "ask for: the machine was full, and latency says nothing.",
            "Exit code 1: a token was lost, doubled or out of order.",
            "",
            "Examples:",
            "  brig bench adapters",
            "  brig bench adapters --agents text,claude --speeds 10 --streams 50 --readers 2",
            "  ./gradlew :load-tests:run -Pargs='adapters --json'"
        })
final class AdapterCosts implements Callable<Integer> {
    /** Its name in lower case is that of its adapter. */
    private enum Agent {
        TEXT,
        CLAUDE,
        CODEX,
        OPENCODE;

        String adapter() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** What {@code brig-pace replay} does. */
        String script() throws IOException {
            return this == TEXT ? "<\n=\n*@TOKEN@\n" : Replay.valueOf(name()).script();
        }
    }

    private static final double MIB = 1024.0 * 1024;
    private static final int TOKENS_PER_SECOND = 50;
    private static final String PROGRAM = "lib/load-tests/brig-pace";

    @Option(
            names = "--agents",
            split = ",",
            description = "Of text, claude, codex, opencode.",
            defaultValue = "text,claude,codex,opencode")
    private List<Agent> agents = new ArrayList<>();

    @Option(names = "--speeds", split = ",", description = "Times 50 tokens a second.", defaultValue = "10,1,100")
    private List<Integer> speeds = new ArrayList<>();

    @Option(names = "--streams", description = "Agents at once.", defaultValue = "20")
    private int streams;

    @Option(names = "--readers", description = "Readers of each stream.", defaultValue = "1")
    private int readers;

    @Option(names = "--warm-up", description = "Seconds before each run counts.", defaultValue = "10")
    private int warmUpSeconds;

    @Option(names = "--seconds", description = "Measured time of each run.", defaultValue = "10")
    private int seconds;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Report report = new Report(json);
        report.value("streams", streams + ", " + readers + " readers each");
        Map<String, AgentFile> profiles = new LinkedHashMap<>();
        Map<String, String> files = new LinkedHashMap<>();
        for (Agent agent : agents) {
            for (int speed : speeds) {
                profiles.put(name(agent, speed), profile(agent, speed));
                files.put(name(agent, speed) + "/script", agent.script());
            }
        }
        boolean whole = true;
        // The sessions of one run may still end while those of the next one begin.
        Brig.Launch launch = Brig.Launch.with(ServeSettings.DEFAULTS.withWorkers(2L * streams));
        try (Brig brig = Brig.start(profiles, files, launch)) {
            for (Agent agent : agents) {
                for (int speed : speeds) {
                    whole &= measured(brig, name(agent, speed), speed, report);
                }
            }
        }
        report.finish();
        return whole ? 0 : 1;
    }

    private static String name(Agent agent, int speed) {
        return agent.adapter() + "-x" + speed;
    }

    private static AgentFile profile(Agent agent, int speed) {
        String rate = String.valueOf(speed * TOKENS_PER_SECOND);
        return AgentFile.speaking(
                agent.adapter(),
                "Replays a native stream",
                List.of("{program}", "replay", "/opt/brig/files/script", rate),
                PROGRAM);
    }

    private boolean measured(Brig brig, String name, int speed, Report report) throws IOException {
        Load load = new Load(streams, speed * TOKENS_PER_SECOND, readers, warmUpSeconds, seconds);
        Paced paced = Sessions.measure(brig, name, load);
        PaceEvent.Result result = paced.result();
        report.value(name + ".tokens_per_s", (double) result.lines() / readers / seconds);
        report.value(name + ".faults", result.faults());
        for (Role role : List.of(Role.GATEWAY, Role.WORKER_AGENT)) {
            report.value(name + "." + role + ".cpu_s_per_million", paced.cpuPerMillion(role));
            report.value(name + "." + role + ".mib", paced.after().of(role).residentBytes() / MIB);
        }
        report.value(name + ".write_to_read_p50_ms", Report.precise(result.p50Ms()));
        report.value(name + ".write_to_read_p99_ms", Report.precise(result.p99Ms()));
        report.value(name + ".write_to_read_max_ms", Report.precise(result.maxMs()));
        return paced.isComplete();
    }
}
