package brig.workeragent.tunnel;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.TunnelWay;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.tunnel.commands.SessionShell;
import brig.workeragent.tunnel.commands.SshMaster;
import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.tunnel.files.RemoteFolder;
import brig.workeragent.tunnel.files.RemoteFolders;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Opens the tunnels of sessions. Thread-safe. */
public final class Tunnels {
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private final Path base;
    private final RemoteFolders folders;
    private final Path places;
    private final WorkersUser user;
    /** By control socket, since sshd bounds the commands of a login. */
    private final Map<TunnelWay, SshMaster> masters = new ConcurrentHashMap<>();

    private final Map<String, Tunnel> open = new ConcurrentHashMap<>();

    /** @param base the folder for all mounts and sockets; made when it is needed, in one that the workers' user gets to */
    public Tunnels(Path base, WorkersUser user) {
        this.base = base;
        this.folders = new RemoteFolders(base.resolve("m"), user);
        this.places = base.resolve("s");
        this.user = user;
    }

    /** Ends the mounts that a killed worker-agent left. */
    public void sweep() {
        folders.sweep();
    }

    /**
     * What a session may see and use there.
     *
     * @param privateFiles globs of the policy
     * @param variables that its commands get from the agent, besides the usual ones
     */
    public record Bounds(List<String> privateFiles, Set<String> variables) {
        public static Bounds of(Confinement confinement) {
            return new Bounds(confinement.privateFiles(), confinement.variables());
        }
    }

    /**
     * Mounts the folders and opens the shell. Blocks.
     *
     * @param ways to the hosts, in the order of the place's tunnels
     * @return null for a place without a tunnel
     * @throws BrigException {@code HOST_UNREACHABLE}, {@code SANDBOX_UNAVAILABLE}, {@code INVALID_FIELD}; nothing is left
     */
    public @Nullable Tunnel open(String spawnId, SpawnRequest.Place place, List<TunnelWay> ways, Bounds bounds)
            throws InterruptedException {
        List<SpawnRequest.Tunnel> wanted = place.tunnels();
        if (wanted.isEmpty()) {
            return null;
        }
        if (ways.size() != wanted.size()) {
            throw BrigException.invalid("tunnel", "needs a gateway that knows the way to its host");
        }
        makeBase();
        List<TunnelHost> hosts = new ArrayList<>();
        boolean opened = false;
        try {
            for (int i = 0; i < wanted.size(); i++) {
                hosts.add(open(i == 0 ? spawnId : spawnId + "." + i, wanted.get(i), ways.get(i), bounds));
                requireApart(hosts);
            }
            SessionShell shell =
                    SessionShell.open(hosts.stream().map(TunnelHost::commands).toList(), places.resolve(spawnId), user);
            Tunnel tunnel = new Tunnel(hosts, shell, () -> open.remove(spawnId));
            open.put(spawnId, tunnel);
            opened = true;
            return tunnel;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE, "no shell for a tunnel can be made: " + Reason.withFile(e));
        } finally {
            if (!opened) {
                hosts.forEach(TunnelHost::close);
            }
        }
    }

    /** One path in the wall cannot be the folder of two hosts, nor one folder lie in another host's. */
    private static void requireApart(List<TunnelHost> hosts) {
        TunnelHost last = hosts.getLast();
        for (TunnelHost before : hosts.subList(0, hosts.size() - 1)) {
            if (last.inside().startsWith(before.inside()) || before.inside().startsWith(last.inside())) {
                throw BrigException.invalid(
                        "further_tunnels",
                        "have folders at " + before.inside() + " (" + before.name() + ") and " + last.inside() + " ("
                                + last.name() + "): let the agent see one at another path (--map " + last.name()
                                + "=PATH)");
            }
        }
    }

    private TunnelHost open(String name, SpawnRequest.Tunnel wanted, TunnelWay way, Bounds bounds)
            throws InterruptedException {
        RemoteFolder folder = folders.mount(new RemoteFolders.Request(
                name, way.sftpCommand(), wanted.folder(), bounds.privateFiles(), RemoteFolders.DEADLINE));
        try {
            Path inside = wanted.at() == null ? folder.farPath() : Path.of(wanted.at());
            TunnelCommands commands = TunnelCommands.open(
                    new TunnelCommands.Spec(
                            folder.farPath().toString(),
                            Map.of(inside.toString(), folder.farPath().toString()),
                            bounds.privateFiles(),
                            bounds.variables()),
                    masters.computeIfAbsent(
                            way, of -> SshMaster.overControl(wanted.host(), of.controlPath(), of.target())),
                    new TunnelCommands.Listener() {
                        @Override
                        public void handleEnd() {
                            folder.forget();
                        }

                        @Override
                        public void handlePrivate(Set<String> files) {
                            folder.hide(files);
                        }
                    });
            return new TunnelHost(wanted.host(), folder, inside, commands);
        } catch (IOException e) {
            folder.close();
            throw new BrigException(
                    ErrorCode.HOST_UNREACHABLE, "no commands on the host " + wanted.host() + ": " + Reason.of(e), 1);
        } catch (IllegalArgumentException e) {
            folder.close();
            throw BrigException.invalid("tunnel.folder", String.valueOf(e.getMessage()));
        } catch (InterruptedException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /** The tunnel of that session. @throws BrigException {@code INVALID_FIELD} if it has none */
    public Tunnel find(String spawnId) {
        Tunnel tunnel = open.get(spawnId);
        if (tunnel == null) {
            throw BrigException.invalid("id", "is no session that runs and has a tunnel");
        }
        return tunnel;
    }

    /** Passable, but not to be listed: a worker's user has to get to its own mount and socket. */
    private void makeBase() {
        try {
            for (Path folder : List.of(base, places)) {
                Files.createDirectories(folder);
                Files.setPosixFilePermissions(folder, PASSABLE);
            }
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE, "no folder for a tunnel can be made: " + Reason.withFile(e));
        }
    }
}
