package brig.cli;

import brig.cli.install.Installation;
import brig.cli.terminal.Terminal;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.control.WorkspacesAnswer.KeptWorkspace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig uninstall}.
 *
 * <p>Decision 0182.
 */
@Command(
        name = "uninstall",
        description = "Remove an installation from an archive.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Removes the programs, and what 'brig setup' made: links, agents, routes with their keys and logins. Sessions,",
            "their changes and your settings stay, unless --purge is given. Nothing of it may run.",
            "",
            "Examples:",
            "  brig uninstall",
            "  brig uninstall --yes --purge"
        })
final class UninstallCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(
            names = "--purge",
            description = "Also remove recorded sessions, worktrees with changes that were not applied, and settings.")
    private boolean purge;

    private record Removed(List<String> removed, List<String> kept) {}

    @Override
    public Integer call() throws IOException {
        Installation installation = main.context().installation();
        Paths paths = main.context().paths();
        List<Path> data = Stream.of(
                        paths.state(),
                        paths.runtime(),
                        Paths.xdg("XDG_DATA_HOME", ".local/share").resolve("brig"),
                        Paths.xdg("XDG_CONFIG_HOME", ".config").resolve("brig"))
                .filter(Files::exists)
                .toList();
        SetupTraces traces = new SetupTraces(main.context());
        List<Path> gone = new ArrayList<>(traces.present());
        gone.add(installation.root());
        if (purge) {
            gone.addAll(data);
        }
        List<Path> kept = purge ? List.of() : data;
        List<Long> users = Installation.users(program -> program.startsWith(installation.root()));
        if (!users.isEmpty()) {
            throw new BrigException(
                    ErrorCode.ALREADY_RUNNING,
                    "programs of it run: end 'brig serve' and other commands first (pid " + users.getFirst() + ")");
        }
        if (!yes && !agrees(gone)) {
            main.terminal().note("nothing was removed");
            return 1;
        }
        if (purge && !data.isEmpty()) {
            discardKept();
        }
        traces.remove();
        for (Path one : gone) {
            if (!one.equals(installation.root())) {
                Installation.delete(one);
            }
        }
        // Some may have had nothing but what is gone.
        List<Path> left = kept.stream().filter(Files::exists).toList();
        // Last, and said before: afterwards this program has no classes to load.
        if (main.json()) {
            main.terminal().json(new Removed(texts(gone), texts(left)));
        } else {
            gone.forEach(one -> main.terminal().println("removed " + one));
            left.forEach(one -> main.terminal().println("kept    " + one));
        }
        try (FileChannel _ = installation.lock()) {
            if (installation.remove()) {
                main.terminal().note(installation.root() + " has other files, and stays");
            }
        }
        // An orderly exit would load classes.
        Runtime.getRuntime().halt(0);
        return 0;
    }

    /** Their repositories have branches of them, which would stay. */
    private void discardKept() {
        try (CommandContext.Connection connection = main.context().connectOrEmbed()) {
            GatewayClient client = connection.client();
            for (KeptWorkspace kept : client.request(new SpawnerRequest.Workspaces(), WorkspacesAnswer.class)
                    .workspaces()) {
                try {
                    client.request(new SpawnerRequest.Discard(kept.spawnId()), DiscardAnswer.class);
                    main.terminal().note("removed the changes of " + kept.taskId() + ", made in " + kept.source());
                } catch (BrigException refusal) {
                    main.terminal()
                            .note("the repository " + kept.source() + " keeps "
                                    + (kept.branch() == null ? "a worktree" : "the branch " + kept.branch()) + ": "
                                    + refusal.getMessage());
                }
            }
        } catch (BrigException refusal) {
            main.terminal()
                    .note("repositories may keep branches brig/ID, and 'git worktree prune' is needed there: "
                            + refusal.getMessage());
        }
    }

    private static List<String> texts(List<Path> paths) {
        return paths.stream().map(Path::toString).toList();
    }

    private boolean agrees(List<Path> gone) throws IOException {
        if (!Terminal.isTerminal(0)) {
            throw main.wrongUsage("--yes is needed where nobody can be asked");
        }
        gone.forEach(one -> main.terminal().println("  " + one));
        main.terminal().note("remove these? [y/N]");
        BufferedReader answers = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        return "y".equals(answers.readLine());
    }
}
