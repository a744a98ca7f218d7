package brig.cli;

import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnerRequest;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig fork}. */
@Command(
        name = "fork",
        description = "Start a session that begins where another one was.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The new session has a worktree of its own with the files of a checkpoint, on a branch from the same commit, and the agent,",
            "policy and limits of the other one. Where nothing was said since, Claude Code, Codex and OpenCode go on with a copy of the conversation.",
            "Otherwise the agent begins anew: before its first message it is told a summary of what happened.",
            "'brig diff ID OTHER' compares two of them, and 'brig apply' takes the one that you like.",
            "",
            "Examples:",
            "  brig fork my-task --task-id other -- try it without a cache",
            "  brig fork my-task --at 120             where my-task was at frame 120; 'brig checkpoints my-task' lists them"
        })
final class ForkCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(index = "0", paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Parameters(
            index = "1..*",
            paramLabel = "MESSAGE",
            description = "The first message of the new session. Words are joined with spaces.")
    private List<String> message = List.of();

    @Option(
            names = "--at",
            paramLabel = "FRAME",
            description = "The newest checkpoint at or before this frame. Default: one that is taken now.")
    private @Nullable Long at;

    @Option(names = "--task-id", paramLabel = "ID", description = "Your name for the new session.")
    private @Nullable String taskId;

    @Option(names = "--once", description = "End the new session after its first message.")
    private boolean once;

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Fork(id, at, taskId, message.isEmpty() ? null : String.join(" ", message), once),
                SpawnAnswer.class,
                answer -> {
                    main.terminal().println(answer.taskId());
                    main.terminal().note("next: " + main.context().command("attach") + " " + answer.taskId());
                });
        return 0;
    }
}
