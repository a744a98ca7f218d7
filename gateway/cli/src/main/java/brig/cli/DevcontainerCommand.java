package brig.cli;

import brig.project.DevcontainerSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig devcontainer}: the container that a project describes for editors.
 *
 * <p>Decision 0047.
 */
@Command(
        name = "devcontainer",
        description = "Look at a project's devcontainer.json.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  brig devcontainer check"})
final class DevcontainerCommand {
    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Show what Brig does with each key of the file, and what has no effect.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "A session uses the file with 'brig run --devcontainer' only. Its commands run behind the wall; it mounts nothing",
                "and lets nothing through. No gateway is needed.",
                "",
                "Exit codes: 0: every key is honoured; 1: some are not; 2: there is no such file, or it cannot be read.",
                "",
                "Examples:",
                "  brig devcontainer check                    the file of this folder",
                "  brig devcontainer check --json ../app/.devcontainer/devcontainer.json"
            })
    int check(
            @Parameters(
                            paramLabel = "FILE",
                            arity = "0..1",
                            description =
                                    "Default: .devcontainer/devcontainer.json or .devcontainer.json in this folder.")
                    @Nullable
                    Path file) {
        return new ProjectCheck(
                        main.terminal(), main.json(), DevcontainerSettings.NAMES, DevcontainerSettings.BYTES_MAX)
                .run(
                        Path.of(""),
                        file,
                        content -> DevcontainerSettings.read(content).effects());
    }
}
