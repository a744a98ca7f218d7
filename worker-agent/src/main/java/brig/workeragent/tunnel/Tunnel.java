package brig.workeragent.tunnel;

import brig.protocol.control.CallerTerminal;
import brig.protocol.control.Posture;
import brig.workeragent.tunnel.commands.SessionShell;
import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.RemoteShell;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files and the commands of one session on other hosts. */
public final class Tunnel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tunnel.class);

    private final List<TunnelHost> hosts;
    private final SessionShell shell;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param hosts the agent's own first */
    Tunnel(List<TunnelHost> hosts, SessionShell shell, Runnable whenClosed) {
        this.hosts = List.copyOf(hosts);
        this.shell = shell;
        this.whenClosed = whenClosed;
    }

    /** The folders, for the wall. */
    public List<Confinement.Mount> mounts() {
        return hosts.stream()
                .map(host -> new Confinement.Mount(host.folder().mountPoint(), host.inside(), false))
                .toList();
    }

    /** The shell, for the wall. */
    public RemoteShell shell() {
        return shell.remoteShell();
    }

    /** The path of the agent's own folder for it. */
    public Path inside() {
        return hosts.getFirst().inside();
    }

    /** The folders as people name them. */
    public String shown() {
        return hosts.stream().map(TunnelHost::shown).collect(Collectors.joining(" "));
    }

    /** What an agent with several hosts is told; empty for one that has one. */
    public String instructions() {
        if (hosts.size() == 1) {
            return "";
        }
        String others = hosts.stream()
                .skip(1)
                .map(host -> "A command that begins with '" + host.name() + ": ' runs on the host " + host.name()
                        + ", in its folder " + host.inside() + ". ")
                .collect(Collectors.joining());
        TunnelHost own = hosts.getFirst();
        return "Your shell runs commands on other machines. " + others + "All other commands run on the host "
                + own.name() + ", whose folder is " + own.inside()
                + ". The word in front counts for the whole command. You can read and write the files of all these folders.";
    }

    /** Serves an interactive login shell there to a person, until its end. */
    public void shell(SocketChannel channel, CallerTerminal terminal) {
        shell.serve(channel, terminal);
    }

    /** A wall's posture, with how private files are kept from commands on each host that does not hide them. */
    public Posture in(Posture wall) {
        List<String> notHeld = new ArrayList<>(wall.notHeld() == null ? List.of() : wall.notHeld());
        for (TunnelHost host : hosts) {
            TunnelCommands.Posture far = host.commands().posture();
            if (!far.enforced()) {
                notHeld.add("private files on " + host.name()
                        + " are kept from commands by a check of their text alone (best effort): " + far.reason());
            }
        }
        return notHeld.isEmpty() ? wall : wall.withNotHeld(notHeld);
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        whenClosed.run();
        try {
            shell.close();
        } catch (IOException e) {
            LOG.warn("the commands of a tunnel were not closed: {}", e.toString());
        }
        hosts.forEach(TunnelHost::close);
    }
}
