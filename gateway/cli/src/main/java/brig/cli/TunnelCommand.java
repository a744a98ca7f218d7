package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
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
            "With several hosts, a command that begins with 'HOST: ' runs on that host, in its folder: build2: make test",
            "Other commands run on the first. The agent sees the files of all of them.",
            "",
            "Examples:",
            "  brig tunnel build1:/srv/app -- claude 'make the tests pass'",
            "  brig tunnel build1:/srv/app --map /src/app -- codex 'explain main.c'",
            "  brig tunnel build1:/srv/app build2:/srv/db -- claude 'move the data of build1 to build2'",
            "  brig tunnel --shell build1:/srv/app      a terminal there: brig shell build1:/srv/app"
        })
final class TunnelCommand implements Callable<Integer> {
    /** How long a shell stays when its terminal is gone. */
    private static final long LEASE_SECONDS = 60;

    private static final Pattern FURTHER_HOST = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}:.*");

    @ParentCommand
    private Main main = new Main();

    @Parameters(
            arity = "1..*",
            paramLabel = "HOST[:FOLDER]... AGENT [MESSAGE]",
            description =
                    "The hosts with the folders there (default: the home), the agent profile, and the first message."
                            + " A further host has a colon: build2: is its home.")
    private List<String> words = List.of();

    @Option(
            names = "--map",
            paramLabel = "[HOST=]PATH",
            description =
                    "Where the agent sees the folder of that host, or of the first. Default: the same path as there.")
    private List<String> maps = List.of();

    @Option(names = "--shell", description = "Give me a shell there, behind the same masks as an agent's.")
    private boolean shell;

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        List<SpawnRequest.Tunnel> tunnels = tunnels(words, maps);
        List<String> run = words.subList(tunnels.size(), words.size());
        if (shell) {
            if (tunnels.size() > 1 || !run.isEmpty()) {
                throw main.wrongUsage("--shell takes one HOST[:FOLDER] and nothing else");
            }
            return shell(main, tunnels.getFirst());
        }
        if (run.isEmpty()) {
            throw main.wrongUsage(
                    "which agent? Such as: brig tunnel " + String.join(" ", words) + " -- claude 'MESSAGE'");
        }
        String agent = run.getFirst();
        String message = run.size() == 1 ? null : String.join(" ", run.subList(1, run.size()));
        return RunCommand.stream(
                main, agent, request(agent, RunCommand.message(message), true, 0, tunnels), spawnId -> {});
    }

    /**
     * The hosts in front of an agent: the first word, and those after it that have a colon, which no agent's name has.
     *
     * @param maps {@code PATH} for the first host, {@code HOST=PATH} for any
     */
    static List<SpawnRequest.Tunnel> tunnels(List<String> words, List<String> maps) {
        Map<String, String> paths = new LinkedHashMap<>();
        for (String map : maps) {
            boolean isFirst = map.startsWith("/");
            String[] parts = map.split("=", 2);
            if (!isFirst && parts.length < 2) {
                throw BrigException.invalid("--map", "must be PATH or HOST=PATH");
            }
            paths.put(isFirst ? words.getFirst().split(":", 2)[0] : parts[0], isFirst ? map : parts[1]);
        }
        List<SpawnRequest.Tunnel> tunnels = new ArrayList<>();
        for (String word : words) {
            if (!tunnels.isEmpty() && !FURTHER_HOST.matcher(word).matches()) {
                break;
            }
            SpawnRequest.Tunnel tunnel = HostOptions.tunnel(word);
            String path = paths.remove(tunnel.host());
            tunnels.add(path == null ? tunnel : new SpawnRequest.Tunnel(tunnel.host(), tunnel.folder(), path));
        }
        if (!paths.isEmpty()) {
            throw BrigException.invalid("--map", "names a host of no tunnel: " + String.join(", ", paths.keySet()));
        }
        return tunnels;
    }

    /** A session of the shell: a terminal there for a person, else one run of the script on standard input. */
    static int shell(Main main, SpawnRequest.Tunnel tunnel) throws IOException {
        if (!HostShell.isPossible() || main.json()) {
            String script = RunCommand.message(null);
            if (script.isBlank()) {
                throw main.wrongUsage(
                        "there is no terminal, and no commands on standard input: echo uptime | brig shell "
                                + tunnel.host());
            }
            return RunCommand.stream(main, "shell", request("shell", script, true, 0, List.of(tunnel)), spawnId -> {});
        }
        String spawnId;
        try (GatewayClient client = main.context().connect()) {
            spawnId = client.request(request("shell", null, false, LEASE_SECONDS, List.of(tunnel)), SpawnAnswer.class)
                    .spawnId();
        }
        return HostShell.run(main, spawnId);
    }

    private static SpawnerRequest.Spawn request(
            String agent,
            @Nullable String message,
            boolean once,
            long leaseSeconds,
            List<SpawnRequest.Tunnel> tunnels) {
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
                SpawnRequest.Place.of(null, List.of(), tunnels),
                Setup.NONE);
        return new SpawnerRequest.Spawn(request, SpawnOptions.CLIENT, null);
    }
}
