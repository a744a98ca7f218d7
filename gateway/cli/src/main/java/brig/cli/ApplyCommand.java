package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.ApplyAnswer.Withheld.Reason;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig apply}: applies a session's changes to the repository of its worktree. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        description = "Apply the changes of a session's worktree to the repository: all of them, or none.",
        footer = {
            "",
            "Changes that were applied before are not applied again. Nothing is staged or committed. Exits with 1, and "
                    + "changes nothing, if the changes conflict with the repository or have files that --allow must name.",
            "",
            "Examples:",
            "  brig apply --check my-task             # do the changes fit?",
            "  brig apply my-task",
            "  brig apply my-task --allow run.sh --allow '.vscode/**'",
            "  brig diff my-task | git apply --3way   # mark conflicts in the files"
        })
final class ApplyCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Option(
            names = "--allow",
            paramLabel = "GLOB",
            description = "Apply this withheld file too. Withheld are files that become executable, links out of the "
                    + "repository, repositories inside, and files that make a shell, an editor, git or an agent start something. A glob "
                    + "with a slash matches the whole path, any other the file name; '*' matches all. May be repeated.")
    private List<String> allow = List.of();

    @Option(names = "--check", description = "Only check whether the changes fit; change nothing.")
    private boolean check;

    @Override
    public Integer call() {
        ApplyAnswer applied = main.showOrEmbed(
                        new SpawnerRequest.Apply(id, check, allow),
                        ApplyAnswer.class,
                        answer -> print(main.terminal(), answer))
                .as(ApplyAnswer.class);
        return applied.conflicts().isEmpty() && applied.withheld().isEmpty() ? 0 : 1;
    }

    private static void print(Terminal terminal, ApplyAnswer answer) {
        String repository = answer.repository();
        terminal.lines(answer.stat());
        if (!answer.conflicts().isEmpty()) {
            answer.conflicts().forEach(terminal::note);
            terminal.note("this conflicts with what is in " + repository + ", where nothing was changed");
        } else if (!answer.withheld().isEmpty()) {
            answer.withheld().forEach(file -> terminal.note(file.path() + ": " + why(file.reason())));
            terminal.note("nothing was changed in " + repository
                    + ": take these too with --allow FILE, or all of them with --allow '*'");
        } else if (answer.patch().isEmpty()) {
            terminal.note(repository + " has all of it already");
        } else {
            terminal.note(answer.applied() ? "taken over into " + repository : "it fits into " + repository);
        }
    }

    private static String why(Reason reason) {
        return switch (reason) {
            case LINK_OUT -> "a link that leads out of the repository";
            case EXECUTABLE -> "becomes executable";
            case STARTUP_FILE -> "makes a shell, an editor, git or an agent start something";
            case REPOSITORY -> "a repository of its own";
        };
    }
}
