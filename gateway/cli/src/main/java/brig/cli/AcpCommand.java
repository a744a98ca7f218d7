package brig.cli;

import brig.acp.AcpAgent;
import brig.acp.AcpOptions;
import brig.protocol.message.SpawnRequest.WorkspaceMode;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig acp}. */
@Command(
        name = "acp",
        mixinStandardHelpOptions = true,
        description = "Be an editor's agent by the Agent Client Protocol, with the real one behind the wall.",
        footer = {
            "",
            "An editor starts it, and talks to it on standard input and output. Each session works in the folder that the "
                    + "editor has open, which must lie below one of worker.workspaceBases; -r gives each session a worktree of it, whose "
                    + "changes 'brig diff ID' shows and 'brig apply ID' takes over, and for which worker.repositories will do. Uses the "
                    + "running gateway, or starts one that ends with the editor.",
            "",
            "Zed, settings.json:",
            "  {\"agent_servers\": {\"Brig\": {\"type\": \"custom\", \"command\": \"/path/to/brig\",",
            "      \"args\": [\"acp\", \"--agent\", \"claude\", \"-r\"], \"env\": {}}}}",
            "",
            "JetBrains, ~/.jetbrains/acp.json:",
            "  {\"agent_servers\": {\"Brig\": {\"command\": \"/path/to/brig\",",
            "      \"args\": [\"acp\", \"--agent\", \"opencode\", \"-r\"], \"env\": {}}}}"
        })
final class AcpCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(
            names = "--agent",
            paramLabel = "NAME",
            required = true,
            description = "Name of an agent profile: 'brig agents' lists them.")
    private String agent = "";

    @ArgGroup
    private Place place = new Place();

    /** At most one of them. */
    private static final class Place {
        @Option(
                names = {"-r", "--worktree"},
                description = "The editor's folder is a git repository; work in a worktree of it, on a branch brig/ID.")
        private boolean worktree;

        @Option(
                names = {"-c", "--copy"},
                description = "Work in a copy of the editor's folder without its private files.")
        private boolean copy;
    }

    @Option(names = "--model", description = "For agents whose profile has a place for it.")
    private @Nullable String model;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "What the wall lets in, instead of the agent's own policy: 'brig agents' lists them.")
    private @Nullable String policy;

    @Option(names = "--keep", description = "Leave sessions running when the editor ends; it needs a running gateway.")
    private boolean keep;

    @Override
    public Integer call() {
        OutputStream out = main.terminal().protocol();
        WorkspaceMode mode =
                place.worktree ? WorkspaceMode.SNAPSHOT : place.copy ? WorkspaceMode.COPY : WorkspaceMode.FOLDER;
        String version = new Main.Version().getVersion()[0].replace("brig ", "");
        AcpAgent served = new AcpAgent(
                new AcpOptions(agent, model, policy, mode, keep, version),
                new SpawnerGateway(main.context(), !keep),
                out,
                main.terminal()::note);
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-acp-end").unstarted(served::close));
        try (served) {
            served.run(System.in);
        }
        return 0;
    }
}
