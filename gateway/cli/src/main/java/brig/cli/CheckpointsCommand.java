package brig.cli;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointsAnswer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig checkpoints}. */
@Command(
        name = "checkpoints",
        description = "List the checkpoints of a session's worktree, oldest first.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "FRAME is the number for 'brig restore ID --at FRAME'; 0 is what the session began with.",
            "",
            "Example:",
            "  brig checkpoints my-task"
        })
final class CheckpointsCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() {
        main.show(new SpawnerRequest.Checkpoints(id), CheckpointsAnswer.class, this::print);
        return 0;
    }

    private void print(CheckpointsAnswer answer) {
        main.terminal()
                .table(
                        List.of("FRAME", "AGE", "WHY", "SIZE", "TREE"),
                        answer.checkpoints().stream()
                                .map(CheckpointsCommand::row)
                                .toList());
    }

    private static List<String> row(Checkpoint one) {
        String cause = one.cause() == null ? "" : one.cause().name().toLowerCase(Locale.ROOT);
        return List.of(
                String.valueOf(one.seq()),
                Main.age(one.takenMs()),
                one.restored() == null ? cause : cause + " of " + one.restored(),
                size(one.bytes()),
                one.tree().substring(0, 10));
    }

    static String size(long bytes) {
        return bytes < 1024
                ? bytes + " B"
                : bytes < 1024 * 1024 ? bytes / 1024 + " KiB" : bytes / (1024 * 1024) + " MiB";
    }
}
