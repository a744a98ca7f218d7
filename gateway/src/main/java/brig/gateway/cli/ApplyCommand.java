package brig.gateway.cli;

import brig.gateway.terminal.Terminal;
import brig.protocol.Fields;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig apply}: takes a session's changes over into the repository that its worktree was made of. */
@Command(name = "apply", mixinStandardHelpOptions = true,
        description = "Take what a session changed in its worktree over into the repository: all of it, or nothing.",
        footer = {"", "What was taken over before is not taken again. Nothing is staged or committed. Exits with 1 where the "
            + "changes conflict with what is there; then nothing was changed.", "", "Examples:",
            "  brig apply --check my-task       # does it fit?", "  brig apply my-task",
            "  brig diff my-task | git apply --3way   # with conflicts marked in the files"})
final class ApplyCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "spawn_id or task_id.")
    private String id = "";

    @Option(names = "--check", description = "Only look whether it fits, and change nothing.")
    private boolean check;

    @Override
    public Integer call() {
        try (Context.Connection connection = main.context().connectOrEmbed()) {
            Fields answer = connection.client().request(Map.of("action", "apply", "id", id, "check", check));
            List<String> conflicts = answer.texts("conflicts");
            if (main.json()) {
                main.terminal().json(answer.asMap());
            } else {
                print(main.terminal(), answer, conflicts);
            }
            return conflicts.isEmpty() ? 0 : 1;
        }
    }

    private static void print(Terminal terminal, Fields answer, List<String> conflicts) {
        String repository = answer.text("repository", "");
        terminal.lines(answer.text("stat", ""));
        if (!conflicts.isEmpty()) {
            conflicts.forEach(terminal::note);
            terminal.note("this conflicts with what is in " + repository + ", where nothing was changed");
        } else if (answer.text("patch", "").isEmpty()) {
            terminal.note(repository + " has all of it already");
        } else {
            terminal.note(answer.flag("applied") ? "taken over into " + repository : "it fits into " + repository);
        }
    }
}
