package brig.cli;

import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig pause}. */
@Command(
        name = "pause",
        description = "Stop the sandbox of a session, and what it costs.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "All that runs there stands still, in the middle of its work. The session is unreachable until 'brig resume ID', and",
            "then goes on. Its time ('lifeMaxMinutes') goes on too. To end it and keep its changes, resume it first.",
            "For sessions in sandboxes (--provider) whose provider can pause: OpenSandbox, not Sprites.",
            "",
            "Examples:",
            "  brig pause my-task",
            "  brig costs                            what is paused",
            "  brig resume my-task"
        })
final class PauseCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Pause(id),
                SpawnView.class,
                view -> main.terminal().note(view.spawnId() + " is paused"));
        return 0;
    }
}
