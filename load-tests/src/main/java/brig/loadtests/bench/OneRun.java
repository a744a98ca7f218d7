package brig.loadtests.bench;

import brig.loadtests.engine.Arguments;
import brig.loadtests.engine.Engine;
import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.engine.EngineEvent;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.Server;
import brig.loadtests.peers.Site;
import brig.loadtests.product.Brig;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run: a server of its own and the generator beside it, both ended afterwards. */
final class OneRun {
    private static final long CONNECT_SECONDS_MAX = 120;

    private final Path programs;
    private final Site.Cores cores;

    OneRun(Path programs, Site.Cores cores) {
        this.programs = programs;
        this.cores = cores;
    }

    /** Never throws: a failure is a broken run. */
    Run run(Plan.Step step, Consumer<Progress> listener) {
        try {
            Path folder = Brig.newFolder();
            try {
                return run(step, new Site(folder, programs, cores, step.scenario()), listener);
            } finally {
                Brig.delete(folder);
            }
        } catch (IOException | RuntimeException e) {
            return Run.broken(step, String.valueOf(e.getMessage()));
        }
    }

    private Run run(Plan.Step step, Site site, Consumer<Progress> listener) throws IOException {
        Scenario scenario = step.scenario();
        String transport = scenario.transports().stream()
                .filter(step.peer()::speaks)
                .findFirst()
                .orElseThrow();
        try (Server server = step.peer().start(site, transport)) {
            Recording recording = new Recording(scenario, server, listener);
            long secondsMax = CONNECT_SECONDS_MAX + (step.warmupMs() + scenario.durationMs()) / 1000;
            try (Engine engine = Engine.start(command(step, server), site.folder(), secondsMax, recording)) {
                return scenario.idleFrames() > 0 ? idle(step, server, engine) : load(step, server, engine, recording);
            }
        }
    }

    private static Run idle(Plan.Step step, Server server, Engine engine) throws IOException {
        Server.Opened opened = open(server, engine);
        long beforeReaders = server.residentBytes();
        double connectMs = go(engine);
        engine.await(EngineEvent.Idle.class);
        Memory memory = new Memory(opened.residentBytesBefore(), beforeReaders, server.residentBytes());
        engine.tell("stop");
        EngineResult result = engine.result();
        return Run.of(step, result, Measured.idle(step.scenario(), memory, connectMs), List.of(), server.heap());
    }

    private static Run load(Plan.Step step, Server server, Engine engine, Recording recording) throws IOException {
        open(server, engine);
        go(engine);
        EngineResult result = engine.result();
        Map<Figure, Double> figures = new EnumMap<>(Measured.figures(step.scenario(), result));
        figures.putAll(Measured.drift(recording.samples(), server.heap()));
        return Run.of(step, result, figures, recording.samples(), server.heap());
    }

    private static Server.Opened open(Server server, Engine engine) throws IOException {
        engine.await(EngineEvent.Ready.class);
        Server.Opened opened = server.open();
        for (String line : opened.lines()) {
            engine.tell(line);
        }
        return opened;
    }

    /** Starts the load; returns the milliseconds until all readers were connected. */
    private static double go(Engine engine) throws IOException {
        engine.tell("go");
        return engine.await(EngineEvent.Connected.class).ms();
    }

    private List<String> command(Plan.Step step, Server server) {
        List<String> command = new ArrayList<>(cores.forGenerator());
        command.add(programs.resolve("brig-load").toString());
        command.addAll(server.generatorArguments());
        server.pids().forEach(pid -> command.addAll(List.of("--server-pid", String.valueOf(pid))));
        command.addAll(Arguments.of(step.scenario(), step.warmupMs()));
        return command;
    }
}
