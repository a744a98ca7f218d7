package brig.cli;

import brig.cli.install.Installation;
import brig.cli.install.Links;
import brig.cli.install.StartupArchives;
import brig.cli.setup.AgentFolder;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code brig setup} left: each of it tells by itself that it is, so nothing has to be remembered.
 *
 * <p>Decision 0201.
 */
final class SetupTraces {
    private final CommandContext context;
    private final RouteFiles routes;
    private final AgentFolder agents = new AgentFolder();

    SetupTraces(CommandContext context) {
        this.context = context;
        this.routes = new RouteFiles(context);
    }

    /** Agents, routes with their keys and logins, links. */
    List<Path> present() throws IOException {
        List<Path> present = new ArrayList<>();
        if (agents.isThere()) {
            present.add(agents.path());
        }
        routes.leftBySetup().forEach(route -> present.add(Path.of(route.file())));
        Installation archive = context.archive();
        if (archive != null) {
            present.addAll(new Links(archive).present());
        }
        return present;
    }

    /** @throws BrigException if a session runs that would lose its program */
    void requireIdle() {
        if (!agents.isThere() || context.remote() != null) {
            return;
        }
        try (GatewayClient client = context.connectLocally()) {
            List<JsonObject> running = client == null
                    ? List.of()
                    : client.request(new SpawnerRequest.ListAll()).objects("spawns").stream()
                            .filter(spawn -> !spawn.has("ended_ms"))
                            .toList();
            if (!running.isEmpty()) {
                throw new BrigException(
                        ErrorCode.ALREADY_RUNNING,
                        "sessions run, which may use agents of " + agents.path() + ": end them first, such as "
                                + running.getFirst().text("task_id", ""));
            }
        }
    }

    /** Removes all of it, and folders of Brig that are empty then. */
    void remove() throws IOException {
        try (AgentFolder.Lock _ = agents.lock()) {
            for (RouteFiles.Shown route : routes.leftBySetup()) {
                routes.remove(route.name());
            }
            Installation archive = context.archive();
            if (archive != null) {
                for (Path link : new Links(archive).present()) {
                    Files.delete(link);
                    removeEmpty(link.getParent());
                }
            }
            agents.remove();
        }
        removeEmpty(agents.path().getParent());
        removeEmpty(routes.secrets());
        removeEmpty(routes.folder());
    }

    /** Start-up archives of this version, which only {@code brig setup} makes. */
    void removeArchives() throws IOException {
        Installation archive = context.archive();
        if (archive != null) {
            try (FileChannel _ = archive.lock()) {
                StartupArchives.remove(archive.home());
            }
        }
    }

    /** Removes a folder and those above it below the user's home, as far as they are empty. */
    private static void removeEmpty(@Nullable Path folder) throws IOException {
        Path home = Paths.userHome();
        for (Path one = folder; one != null && one.startsWith(home) && !one.equals(home); one = one.getParent()) {
            if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS) && isEmpty(one)) {
                Files.delete(one);
            } else if (Files.exists(one, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }
}
