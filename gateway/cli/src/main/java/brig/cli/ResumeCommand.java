package brig.cli;

import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig resume}. */
@Command(
        name = "resume",
        description = "Let the sandbox of a session go on that 'brig pause' stopped.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The session is running again a moment later, and each frame comes that its agent has written meanwhile.",
            "",
            "Example:",
            "  brig resume my-task"
        })
final class ResumeCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Resume(id),
                SpawnView.class,
                view -> main.terminal().note(view.spawnId() + " goes on"));
        return 0;
    }
}
