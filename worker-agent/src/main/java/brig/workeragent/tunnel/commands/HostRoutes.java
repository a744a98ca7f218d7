package brig.workeragent.tunnel.commands;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of one session, and which of them a command is for: the one that it names in front, else the one whose folder
 * is the current one, else the first.
 *
 * <p>Decision 0170.
 */
final class HostRoutes {
    private final Map<String, TunnelCommands> hosts = new LinkedHashMap<>();
    private final TunnelCommands first;

    /** @param hosts of different names, the agent's own first */
    HostRoutes(List<TunnelCommands> hosts) {
        hosts.forEach(host -> this.hosts.put(host.name(), host));
        this.first = hosts.getFirst();
    }

    /**
     * Where a command runs.
     *
     * @param host null if it names one that the session has not
     * @param named whether it names the host
     */
    record Route(@Nullable TunnelCommands host, ShellRequest request, boolean named, String unknown) {
        /** Why the command does not run, or null. */
        @Nullable
        String refusal() {
            return host == null ? unknown : host.refusal(request);
        }

        /** A command on a named host is a visit: the agent stays in its folder. */
        void run(ShellConnection caller) throws IOException, InterruptedException {
            TunnelCommands on = Objects.requireNonNull(host);
            on.run(request, folder -> !named, caller);
        }
    }

    Route of(ShellRequest request) {
        HostPrefix prefix = HostPrefix.of(request.arguments());
        if (prefix == null) return new Route(byFolder(request.folder()), request, false, "");
        TunnelCommands host = hosts.get(prefix.host());
        if (host == null) {
            return new Route(
                    null,
                    request,
                    true,
                    "this session has no host " + prefix.host() + ". A command 'HOST: …' runs on one of: "
                            + String.join(", ", hosts.keySet()));
        }
        String folder = host.has(request.folder()) ? request.folder() : host.directory();
        return new Route(host, request.with(folder, prefix.arguments()), true, "");
    }

    private TunnelCommands byFolder(String folder) {
        return hosts.values().stream()
                .filter(host -> host.has(folder))
                .findFirst()
                .orElse(first);
    }

    TunnelCommands first() {
        return first;
    }

    /** All as {@code NAME:FOLDER}, with spaces between; a byte string. */
    String shown() {
        return hosts.values().stream()
                .map(host -> host.name() + ":" + host.directory())
                .collect(Collectors.joining(" "));
    }

    /** The folders of the wall that are of other machines, one a line; a byte string. */
    String roots() {
        return hosts.values().stream()
                .flatMap(host -> host.roots().stream())
                .map(root -> root + "\n")
                .collect(Collectors.joining());
    }
}
