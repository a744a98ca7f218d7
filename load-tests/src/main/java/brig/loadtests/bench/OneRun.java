package brig.loadtests.bench;

import brig.loadtests.engine.Engine;
import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.Peer;
import brig.loadtests.peers.Server;
import brig.loadtests.peers.Site;
import brig.loadtests.product.Brig;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import brig.protocol.Fields;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run: a server of its own, the generator beside it, both ended when it is over. */
final class OneRun {
    private static final long CONNECT_SECONDS_MAX = 120;

    private final Path programs;
    private final Site.Cores cores;

    OneRun(Path programs, Site.Cores cores) {
        this.programs = programs;
        this.cores = cores;
    }

    /** Never throws: what does not work is a run that is broken. */
    Run run(Scenario scenario, Peer peer, int round, Consumer<Progress> listener) {
        try {
            Path folder = Brig.newFolder();
            try {
                return run(new Site(folder, programs, cores, scenario), peer, round, listener);
            } finally {
                Brig.delete(folder);
            }
        } catch (IOException | RuntimeException e) {
            return Run.broken(scenario.name(), peer.name(), round, String.valueOf(e.getMessage()));
        }
    }

    private Run run(Site site, Peer peer, int round, Consumer<Progress> listener) throws IOException {
        Scenario scenario = site.scenario();
        String transport = scenario.transports().stream().filter(peer::speaks).findFirst().orElseThrow();
        List<Progress> progress = new ArrayList<>();
        try (Server server = peer.start(site, transport);
                Engine engine = Engine.start(command(site, server), site.folder(), secondsMax(scenario), event -> {
                    progress.add(event);
                    listener.accept(event);
                })) {
            engine.await("ready");
            Server.Opened opened = server.open();
            for (String line : opened.lines()) {
                engine.tell(line);
            }
            long beforeReaders = server.residentBytes();
            engine.tell("go");
            double connectMs = connectMs(engine.await("connected"));
            Map<Figure, Double> figures = new LinkedHashMap<>();
            if (scenario.idleFrames() > 0) {
                engine.await("idle");
                Memory memory = new Memory(opened.residentBytesBefore(), beforeReaders, server.residentBytes());
                figures.putAll(Measured.idle(scenario, memory, connectMs));
                engine.tell("stop");
            }
            EngineResult result = engine.result();
            if (scenario.idleFrames() == 0) {
                figures.putAll(Measured.figures(scenario, result));
                figures.putAll(Measured.drift(progress, server.heap()));
            }
            return judge(scenario, peer, round, result, new Run(scenario.name(), peer.name(), round, Outcome.OK, "",
                    figures, progress, server.heap(), result.judged().latencyNs()));
        }
    }

    private static Run judge(Scenario scenario, Peer peer, int round, EngineResult result, Run run) {
        String fault = result.fault();
        String why = fault == null ? Measured.starved(scenario, result) : fault;
        Outcome outcome = fault != null ? Outcome.LOST : why.isEmpty() ? Outcome.OK : Outcome.VOID;
        return new Run(scenario.name(), peer.name(), round, outcome, why, run.figures(), run.progress(), run.heap(),
                run.latencyNs());
    }

    private static double connectMs(Fields connected) {
        return connected.asMap().get("ms") instanceof Number ms ? ms.doubleValue() : 0;
    }

    private static long secondsMax(Scenario scenario) {
        return CONNECT_SECONDS_MAX + (scenario.warmupMs() + scenario.durationMs()) / 1000;
    }

    private List<String> command(Site site, Server server) {
        Scenario scenario = site.scenario();
        List<String> command = new ArrayList<>(cores.forGenerator());
        command.add(programs.resolve("brig-load").toString());
        command.addAll(server.generatorArguments());
        server.pids().forEach(pid -> command.addAll(List.of("--server-pid", String.valueOf(pid))));
        command.addAll(List.of("--streams", String.valueOf(scenario.streams()), "--readers",
                String.valueOf(scenario.readers()), "--content-bytes", String.valueOf(scenario.contentBytes()),
                "--warmup-ms", String.valueOf(scenario.warmupMs()), "--duration-ms",
                String.valueOf(scenario.durationMs())));
        Map<String, Integer> optional = new LinkedHashMap<>();
        optional.put("--window", scenario.window());
        optional.put("--rate", scenario.rateHz());
        optional.put("--stall", scenario.stall());
        optional.put("--flood", scenario.flood());
        optional.put("--idle", scenario.idleFrames());
        optional.put("--storm", scenario.stormMs());
        optional.forEach((name, value) -> {
            if (value > 0) {
                command.addAll(List.of(name, String.valueOf(value)));
            }
        });
        return command;
    }
}
