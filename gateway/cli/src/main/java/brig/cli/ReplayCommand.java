package brig.cli;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig replay}. */
@Command(
        name = "replay",
        description = "Replay a recording as a worker: the same output at the same times, behind a wall.",
        mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
    private static final String AGENT = "replay";

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "NAME", description = "The recording: the spawn_id that 'brig record' printed.")
    private String name = "";

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            defaultValue = "1",
            description = "How many times as fast. 0: without pauses.")
    private double speed;

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        SpawnRequest request = new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig(AGENT, name, List.of(String.valueOf(speed)), null),
                "play",
                true);
        return RunCommand.stream(
                main, AGENT, new SpawnerRequest.Spawn(request, SpawnOptions.CLIENT, null), spawnId -> {});
    }
}
