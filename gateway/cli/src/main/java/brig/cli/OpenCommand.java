package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig open}. */
@Command(
        name = "open",
        description = "Open the page in the browser, signed in; or make a link for a watcher.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The link signs in once, within 30 s. A shared link shows one session and nothing else to anybody who has it,",
            "until it expires or is revoked.",
            "",
            "Examples:",
            "  brig open                            show all sessions",
            "  brig open build                      show one session",
            "  brig open --print                    print the link, for a browser behind ssh -L 7070:127.0.0.1:7070",
            "  brig open --share build --expires 2h make a link for a watcher",
            "  brig token revoke tok_0123456789abcdef"
        })
final class OpenCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", arity = "0..1", description = "The spawn_id or task_id of the session.")
    private @Nullable String id;

    @Option(names = "--share", description = "Make a link for a watcher of this session.")
    private boolean share;

    @Option(
            names = "--expires",
            paramLabel = "AGE",
            defaultValue = "24h",
            description = "The lifetime of a shared link: 15m, 24h, 30d.")
    private String expires = "24h";

    @Option(names = "--print", description = "Only print the link.")
    private boolean printOnly;

    @Override
    public Integer call() {
        if (share && id == null) {
            throw BrigException.invalid("ID", "is missing: which session to share");
        }
        SpawnerRequest.Open request =
                new SpawnerRequest.Open(id, share, share ? TokenCommand.seconds("--expires", expires) : 0);
        main.show(request, TokenView.Opened.class, this::print);
        return 0;
    }

    private void print(TokenView.Opened opened) {
        RemoteGateway remote = main.context().remote();
        String url = remote == null ? opened.url() : remote.reachable(opened.url());
        main.terminal().println(url);
        if (opened.token() != null) {
            main.terminal()
                    .note("revoke it with: " + main.context().command("token revoke") + " "
                            + opened.token().id());
        } else if (!printOnly) {
            show(url);
        }
    }

    /**
     * Opens a file that redirects to the link, since process arguments are public and the link works for whoever is
     * first. Without a desktop only the printed link remains.
     */
    private void show(String url) {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime == null || (System.getenv("DISPLAY") == null && System.getenv("WAYLAND_DISPLAY") == null)) {
            return;
        }
        Path file = Path.of(runtime, "brig-open.html");
        try {
            String page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + url + "\">";
            WholeFile.write(file, page.getBytes(StandardCharsets.US_ASCII));
            new ProcessBuilder("xdg-open", file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            main.terminal().note("no browser was found (" + e.getMessage() + "): open the link yourself");
        }
    }
}
