package brig.workeragent.tunnel;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.TunnelWay;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.tunnel.commands.SshMaster;
import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.tunnel.files.RemoteFolder;
import brig.workeragent.tunnel.files.RemoteFolders;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
    public record Bounds(List<String> privateFiles, Set<String> variables) {}

    /**
     * Mounts the folder and opens the shell. Blocks.
     *
     * @throws BrigException {@code HOST_UNREACHABLE}, {@code SANDBOX_UNAVAILABLE}, {@code INVALID_FIELD}; nothing is left
     */
    public Tunnel open(String spawnId, SpawnRequest.Tunnel wanted, TunnelWay way, Bounds bounds)
            throws InterruptedException {
        makeBase();
        RemoteFolder folder = folders.mount(new RemoteFolders.Request(
                spawnId, way.sftpCommand(), wanted.folder(), bounds.privateFiles(), RemoteFolders.DEADLINE));
        try {
            Path inside = wanted.at() == null ? folder.farPath() : Path.of(wanted.at());
            TunnelCommands commands = TunnelCommands.open(
                    new TunnelCommands.Spec(
                            spawnId,
                            folder.farPath().toString(),
                            Map.of(inside.toString(), folder.farPath().toString()),
                            bounds.privateFiles(),
                            bounds.variables()),
                    masters.computeIfAbsent(
                            way, of -> SshMaster.overControl(wanted.host(), of.controlPath(), of.target())),
                    places.resolve(spawnId),
                    user,
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
            Tunnel tunnel = new Tunnel(wanted.host(), folder, inside, commands, () -> open.remove(spawnId));
            open.put(spawnId, tunnel);
            return tunnel;
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
