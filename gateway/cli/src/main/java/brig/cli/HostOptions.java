package brig.cli;

import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a session runs: at most one of the options. */
final class HostOptions {
    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "The host to run on. 'brig host list' lists them. Folders of the session are there, but a"
                    + " repository is brought there.")
    private @Nullable String host;

    @Option(
            names = "--on",
            paramLabel = "LABEL",
            split = ",",
            description = "Run on a host with these labels, the one with the fewest sessions.")
    private List<String> labels = List.of();

    @Option(
            names = "--tunnel",
            paramLabel = "HOST:FOLDER[=PATH]",
            description =
                    "Run the agent here, with the files and the shell of that host. The agent works in FOLDER, which"
                            + " it sees at PATH, or at the same path as there. Again for a further host: a command that begins"
                            + " with 'HOST: ' runs there.")
    private List<String> tunnels = List.of();

    SpawnRequest.Place place() {
        return SpawnRequest.Place.of(
                host, labels, tunnels.stream().map(HostOptions::tunnel).toList());
    }

    /** @param text {@code HOST[:FOLDER[=PATH]]}; without a folder the home there */
    static SpawnRequest.Tunnel tunnel(String text) {
        String[] parts = text.split(":", 2);
        String[] paths = (parts.length == 1 || parts[1].isEmpty() ? SpawnRequest.Tunnel.HOME : parts[1]).split("=/", 2);
        return new SpawnRequest.Tunnel(parts[0], paths[0], paths.length == 1 ? null : "/" + paths[1]);
    }
}
