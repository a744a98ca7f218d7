package brig.cli;

import brig.acp.AcpAgent;
import brig.acp.AcpOptions;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
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
        description = "Run an agent behind the wall for an editor that speaks the Agent Client Protocol (ACP).",
        footer = {
            "",
            "The editor starts this command and talks to it over standard input and output. It uses the running gateway, "
                    + "or starts one that ends with the editor.",
            "",
            "Each session works in the folder that the editor has open, below one of worker.workspaceBases. With -r,",
            "each session works in a git worktree of that folder; then it may also be in worker.repositories.",
            "'brig diff ID' shows the changes of a session, 'brig apply ID' applies them.",
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
            description = "The agent profile. 'brig agents' lists them.")
    private String agent = "";

    @ArgGroup
    private HostOptions where = new HostOptions();

    @ArgGroup
    private Place place = new Place();

    /** At most one of them. */
    private static final class Place {
        @Option(
                names = {"-r", "--worktree"},
                description = "Work in a git worktree of the editor's folder, on a branch brig/ID.")
        private boolean worktree;

        @Option(
                names = {"-c", "--copy"},
                description = "Work in a copy of the editor's folder, without its private files.")
        private boolean copy;
    }

    @Option(names = "--model", description = "The model that the agent uses, if its profile has a setting for it.")
    private @Nullable String model;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "The policy of the wall, instead of the agent's own. 'brig agents' lists them.")
    private @Nullable String policy;

    @Option(
            names = "--permissions",
            paramLabel = "MODE",
            description = "What happens when the agent asks to use a tool: allow, ask (the editor asks you), or deny."
                    + " No wider than its profile.")
    private @Nullable String permissions;

    @Option(
            names = "--budget",
            paramLabel = "LIMITS",
            description = "What each session and all below it may use up, such as 5usd,20min,ask; see brig run --help.")
    private @Nullable String budget;

    @Option(names = "--keep", description = "Keep sessions running when the editor ends. Needs a running gateway.")
    private boolean keep;

    @Override
    public Integer call() {
        OutputStream out = main.terminal().protocol();
        WorkspaceMode mode =
                place.worktree ? WorkspaceMode.SNAPSHOT : place.copy ? WorkspaceMode.COPY : WorkspaceMode.FOLDER;
        String version = new Main.Version().getVersion()[0].replace("brig ", "");
        AcpAgent served = new AcpAgent(
                new AcpOptions(
                        agent,
                        model,
                        policy,
                        permissions == null ? null : PermissionMode.of("--permissions", permissions),
                        mode,
                        where.place(),
                        budget == null ? null : Budget.parse("--budget", budget),
                        keep,
                        version),
                new SpawnerGateway(main.context(), "acp", !keep),
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
