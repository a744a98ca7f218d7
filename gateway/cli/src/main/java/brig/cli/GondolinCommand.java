package brig.cli;

import brig.project.ProjectSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig gondolin}: settings that a project has for another sandbox.
 *
 * <p>Decision 0047.
 */
@Command(
        name = "gondolin",
        description = "Look at a project's gondolin.json, or its brig.json: settings that remove from a policy.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  brig gondolin check"})
final class GondolinCommand {
    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Show what Brig does with each key of the file, and what has no effect.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Sessions read the file with the same rules. It can only remove from what the operator's policy allows, so",
                "'within policy' means: as far as the policy allows it, too. No gateway is needed.",
                "",
                "Exit codes: 0: every key is honoured; 1: some are not; 2: there is no such file, or no session starts with it.",
                "",
                "Examples:",
                "  brig gondolin check                        the file that a session in this folder reads",
                "  brig gondolin check ../app/gondolin.json",
                "  brig gondolin check --json | jq '.keys[] | select(.honoured == \"no\")'"
            })
    int check(
            @Parameters(
                            paramLabel = "FILE",
                            arity = "0..1",
                            description = "Default: brig.json, gondolin.json or .opencode/gondolin.json, the first one"
                                    + " in this folder.")
                    @Nullable
                    Path file) {
        return new ProjectCheck(main.terminal(), main.json(), ProjectSettings.NAMES, ProjectSettings.BYTES_MAX)
                .run(Path.of(""), file, content -> ProjectSettings.read(content).effects());
    }
}
