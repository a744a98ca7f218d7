package brig.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig shell}: {@code brig tunnel --shell}, for people who look for it by that name.
 *
 * <p>Decision 0170.
 */
@Command(
        name = "shell",
        description =
                "An interactive shell on another host, where private files are as hidden as from an agent in a tunnel.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "It goes over the login of the host's link, and exits with the shell's exit code. Without a terminal, standard",
            "input is a script, which runs there. 'brig tunnel' gives the host's shell to an agent.",
            "",
            "Examples:",
            "  brig shell build1",
            "  brig shell build1:/srv/app",
            "  echo 'make test' | brig shell build1:/srv/app"
        })
final class ShellCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "HOST[:FOLDER]", description = "The host, and the folder there. Default: the home.")
    private String where = "";

    @Option(
            names = "--map",
            paramLabel = "PATH",
            description = "Where the folder is seen. Default: the same path as there.")
    private @Nullable String path;

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        return TunnelCommand.shell(
                main,
                TunnelCommand.tunnels(List.of(where), path == null ? List.of() : List.of(path))
                        .getFirst());
    }
}
