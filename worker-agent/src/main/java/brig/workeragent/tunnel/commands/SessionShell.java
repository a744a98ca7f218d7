package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.protocol.control.CallerTerminal;
import brig.protocol.io.WholeFile;
import brig.workeragent.wall.RemoteShell;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What stands for the shells of one session's wall: their socket, and the hosts on which commands run. */
public final class SessionShell implements AutoCloseable {
    private final HostRoutes routes;
    private final Path place;
    private final ShellServer server;

    private SessionShell(HostRoutes routes, Path place, ShellServer server) {
        this.routes = routes;
        this.place = place;
        this.server = server;
    }

    /**
     * Listens.
     *
     * @param hosts of different names, the agent's own first; they are not closed with this
     * @param place a folder for this session, whose parents are open to the workers' user
     */
    public static SessionShell open(List<TunnelCommands> hosts, Path place, WorkersUser user) throws IOException {
        HostRoutes routes = new HostRoutes(hosts);
        Files.createDirectories(place);
        WholeFile.write(place.resolve("roots"), routes.roots().getBytes(ISO_8859_1), "r--r--r--");
        return new SessionShell(routes, place, ShellServer.open(place.resolve("socket"), user, routes));
    }

    /** What the wall needs: {@code Walls.Plan.remoteShell}. */
    public RemoteShell remoteShell() {
        return new RemoteShell(
                place, Path.of(RemoteScript.text(routes.first().directory())), RemoteScript.text(routes.shown()));
    }

    /** Serves an interactive login shell on the first host to a person, until its end. */
    public void serve(SocketChannel channel, CallerTerminal terminal) {
        TunnelCommands host = routes.first();
        server.serve(channel, ShellRequest.ofPerson(host.directory(), terminal), host.privacy());
    }

    /** Ends all calls, and removes the socket. */
    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(place.resolve("roots"));
        Files.deleteIfExists(place);
    }
}
