package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.json.Fields;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig apply}: takes a session's changes over into the repository that its worktree was made of. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        description = "Take what a session changed in its worktree over into the repository: all of it, or nothing.",
        footer = {
            "",
            "What was taken over before is not taken again. Nothing is staged or committed. Exits with 1 where the "
                    + "changes conflict with what is there, or have files that must be named; then nothing was changed.",
            "",
            "Examples:",
            "  brig apply --check my-task       # does it fit?",
            "  brig apply my-task",
            "  brig apply my-task --allow run.sh --allow '.vscode/**'",
            "  brig diff my-task | git apply --3way   # with conflicts marked in the files"
        })
final class ApplyCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "spawn_id or task_id.")
    private String id = "";

    @Option(
            names = "--allow",
            paramLabel = "GLOB",
            description = "Take this file too where it is withheld: one that becomes "
                    + "executable, a link out of the repository, a repository inside, or a file that makes a shell, an editor, git or an "
                    + "agent start something. A glob with a slash is about the whole path, any other about the name; '*' is all. May be "
                    + "repeated.")
    private List<String> allow = List.of();

    @Option(names = "--check", description = "Only look whether it fits, and change nothing.")
    private boolean check;

    @Override
    public Integer call() {
        try (CommandContext.Connection connection = main.context().connectOrEmbed()) {
            Fields answer =
                    connection.client().request(Map.of("action", "apply", "id", id, "check", check, "allow", allow));
            List<String> conflicts = answer.texts("conflicts");
            List<Fields> withheld = answer.objects("withheld");
            if (main.json()) {
                main.terminal().json(answer.asMap());
            } else {
                print(main.terminal(), answer, conflicts, withheld);
            }
            return conflicts.isEmpty() && withheld.isEmpty() ? 0 : 1;
        }
    }

    private static void print(Terminal terminal, Fields answer, List<String> conflicts, List<Fields> withheld) {
        String repository = answer.text("repository", "");
        terminal.lines(answer.text("stat", ""));
        if (!conflicts.isEmpty()) {
            conflicts.forEach(terminal::note);
            terminal.note("this conflicts with what is in " + repository + ", where nothing was changed");
        } else if (!withheld.isEmpty()) {
            withheld.forEach(file -> terminal.note(file.text("path", "") + ": " + why(file.text("reason", ""))));
            terminal.note("nothing was changed in " + repository
                    + ": take these too with --allow FILE, or all of them with --allow '*'");
        } else if (answer.text("patch", "").isEmpty()) {
            terminal.note(repository + " has all of it already");
        } else {
            terminal.note(answer.flag("applied") ? "taken over into " + repository : "it fits into " + repository);
        }
    }

    private static String why(String reason) {
        return switch (reason) {
            case "link_out" -> "a link that leads out of the repository";
            case "executable" -> "becomes executable";
            case "startup_file" -> "makes a shell, an editor, git or an agent start something";
            case "repository" -> "a repository of its own";
            default -> reason;
        };
    }
}
