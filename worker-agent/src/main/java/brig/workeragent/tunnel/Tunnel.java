package brig.workeragent.tunnel;

import brig.protocol.control.CallerTerminal;
import brig.protocol.control.Posture;
import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.tunnel.files.RemoteFolder;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.RemoteShell;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files and the commands of one session on another host. */
public final class Tunnel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tunnel.class);

    private final String host;
    private final RemoteFolder folder;
    private final Path inside;
    private final TunnelCommands commands;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();

    Tunnel(String host, RemoteFolder folder, Path inside, TunnelCommands commands, Runnable whenClosed) {
        this.host = host;
        this.folder = folder;
        this.inside = inside;
        this.commands = commands;
        this.whenClosed = whenClosed;
    }

    /** The folder, for the wall. */
    public Confinement.Mount mount() {
        return new Confinement.Mount(folder.mountPoint(), inside, false);
    }

    /** The shell, for the wall. */
    public RemoteShell shell() {
        return commands.remoteShell();
    }

    /** The path of the folder for the agent. */
    public Path inside() {
        return inside;
    }

    /** The folder as people name it. */
    public String shown() {
        return host + ":" + folder.farPath();
    }

    /** Serves an interactive login shell there to a person, until its end. */
    public void shell(SocketChannel channel, CallerTerminal terminal) {
        commands.serve(channel, terminal);
    }

    /** A wall's posture, with how private files are kept from commands there if the host does not hide them. */
    public Posture in(Posture wall) {
        TunnelCommands.Posture far = commands.posture();
        if (far.enforced()) {
            return wall;
        }
        List<String> notHeld = new ArrayList<>(wall.notHeld() == null ? List.of() : wall.notHeld());
        notHeld.add("private files on " + host
                + " are kept from commands by a check of their text alone (best effort): " + far.reason());
        return new Posture(wall.limits(), notHeld, wall.properties(), wall.toolWall());
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        whenClosed.run();
        try {
            commands.close();
        } catch (IOException e) {
            LOG.warn("the commands of a tunnel were not closed: {}", e.toString());
        }
        folder.close();
    }
}
