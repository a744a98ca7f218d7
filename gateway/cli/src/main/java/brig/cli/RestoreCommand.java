package brig.cli;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.CheckpointAnswer;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig restore}. */
@Command(
        name = "restore",
        description = "Make a session's worktree what it was at a checkpoint.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "What is there now becomes a checkpoint first. Files that .gitignore names stay as they are, and so do branches",
            "and commits. The agent must not be at work; it is not told.",
            "",
            "Examples:",
            "  brig restore my-task                   the newest checkpoint",
            "  brig restore my-task --at 0            what the session began with"
        })
final class RestoreCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Option(
            names = "--at",
            paramLabel = "FRAME",
            description = "The number of the checkpoint, as 'brig checkpoints' lists it. Default: the newest.")
    private @Nullable Long at;

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Restore(id, at),
                CheckpointAnswer.class,
                answer -> main.terminal()
                        .println("restored frame " + answer.checkpoint().restored()
                                + "; what was there before is at frame "
                                + answer.checkpoint().seq()));
        return 0;
    }
}
