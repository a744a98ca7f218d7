package brig.cli;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.CheckpointAnswer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig checkpoint}. */
@Command(
        name = "checkpoint",
        description = "Keep what is in a session's worktree now, to come back to it.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Works for sessions with --repository, while they work and after. All files are kept, tracked or not, but not those",
            "that .gitignore names. It costs only what changed since the one before. Checkpoints go with the worktree.",
            "",
            "Examples:",
            "  brig checkpoint my-task",
            "  brig checkpoints my-task               list them",
            "  brig restore my-task                   back to the newest one"
        })
final class CheckpointCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Checkpoint(id),
                CheckpointAnswer.class,
                answer -> main.terminal()
                        .println("checkpoint at frame " + answer.checkpoint().seq() + ", "
                                + CheckpointsCommand.size(answer.checkpoint().bytes())));
        return 0;
    }
}
