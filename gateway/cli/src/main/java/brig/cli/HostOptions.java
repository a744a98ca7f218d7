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

    SpawnRequest.Place place() {
        return new SpawnRequest.Place(host, labels);
    }
}
