package brig.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** {@code brig record}. */
@Command(
        name = "record",
        description = "Same as run, but also record everything that the agent writes, with its time, for brig replay.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The recording is <stateDir>/cassettes/<spawn_id>.ndjson on the host of the agent. Only Brig's own user can "
                    + "read it, because the output of an agent may contain secrets."
        })
final class RecordCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Mixin
    private SpawnOptions options = new SpawnOptions();

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        return RunCommand.stream(
                main,
                options.agent(),
                options.request(RunCommand.message(options.message()), true, true),
                spawnId -> main.terminal().note("recording " + spawnId));
    }
}
