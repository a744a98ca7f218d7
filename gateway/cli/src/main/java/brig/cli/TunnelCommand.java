package brig.cli;

import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.SpawnRequest;
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
 * {@code brig tunnel}: {@code brig run} with a tunnel, or a session of the shell for a person.
 *
 * <p>Decision 0165.
 */
@Command(
        name = "tunnel",
        description = "Run an agent here, behind the wall, whose files and commands are those of another host.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The agent has its login and its model here. Its shell runs its commands there; the folder is mounted at the",
            "same path as there. Nothing is installed there. 'brig host add NAME user@host --tunnel-only' makes the host known.",
            "All options of 'brig run' go with: brig run --tunnel HOST:FOLDER AGENT -- MESSAGE",
            "",
            "Examples:",
            "  brig tunnel build1:/srv/app -- claude 'make the tests pass'",
            "  brig tunnel build1:/srv/app --map /src/app -- codex 'explain main.c'",
            "  brig tunnel --shell build1:/srv/app      a terminal there: brig shell build1:/srv/app"
        })
final class TunnelCommand implements Callable<Integer> {
    /** How long a shell stays when its terminal is gone. */
    private static final long LEASE_SECONDS = 60;

    @ParentCommand
    private Main main = new Main();

    @Parameters(
            index = "0",
            paramLabel = "HOST[:FOLDER]",
            description = "The host, and the folder there. Default: the home.")
    private String where = "";

    @Parameters(
            index = "1..*",
            paramLabel = "AGENT [MESSAGE]",
            description = "The agent profile, and the first message.")
    private List<String> run = List.of();

    @Option(
            names = "--map",
            paramLabel = "PATH",
            description = "Where the agent sees the folder. Default: the same path as there.")
    private @Nullable String path;

    @Option(names = "--shell", description = "Give me a shell there, behind the same masks as an agent's.")
    private boolean shell;

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        SpawnRequest.Tunnel tunnel = HostOptions.tunnel(path == null ? where : where + "=" + path);
        if (shell) {
            return shell(main, tunnel);
        }
        if (run.isEmpty()) {
            throw main.wrongUsage("which agent? Such as: brig tunnel " + where + " -- claude 'MESSAGE'");
        }
        String agent = run.getFirst();
        String message = run.size() == 1 ? null : String.join(" ", run.subList(1, run.size()));
        return RunCommand.stream(
                main, agent, request(agent, RunCommand.message(message), true, 0, tunnel), spawnId -> {});
    }

    /** A session of the shell for a person: a terminal there, or the lines of a program that has none. */
    static int shell(Main main, SpawnRequest.Tunnel tunnel) {
        String spawnId;
        try (GatewayClient client = main.context().connect()) {
            spawnId = client.request(request("shell", null, false, LEASE_SECONDS, tunnel), SpawnAnswer.class)
                    .spawnId();
        }
        return HostShell.isPossible() && !main.json()
                ? HostShell.run(main, spawnId)
                : AttachCommand.follow(main, spawnId);
    }

    private static SpawnerRequest.Spawn request(
            String agent, @Nullable String message, boolean once, long leaseSeconds, SpawnRequest.Tunnel tunnel) {
        SpawnRequest request = new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig(agent, null, List.of(), null),
                message,
                once,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                new SpawnRequest.Bounds(null, 0, leaseSeconds),
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place(null, List.of(), tunnel));
        return new SpawnerRequest.Spawn(request, SpawnOptions.CLIENT, null);
    }
}
