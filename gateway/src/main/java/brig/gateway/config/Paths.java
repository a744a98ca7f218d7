package brig.gateway.config;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.SocketFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The paths of files and sockets, with the defaults for root and for ordinary users.
 *
 * @param home the folder that Brig is installed in
 * @param state recorded streams, the database, the admin token
 * @param runtime sockets between Brig's own parts
 * @param agents one folder per session with its {@code io.sock}
 * @param spawner the spawner socket
 * @param http the Unix socket that serves HTTP
 * @param workerAgent the runtime folder of the worker-agent; {@code runtime}, unless that is a service of its own
 */
public record Paths(Path home, Path state, Path runtime, Path agents, Path spawner, Path http, Path workerAgent) {
    /** The spawner socket of the gateway that all users of this host share. */
    public static final Path HOST_SPAWNER = Path.of("/run/agent-spawner/spawner.sock");

    public static Paths of(Config config, Path home) {
        Path runtime = chosen(config.runtimeDir(), isRoot() ? Path.of("/run/brig") : userRuntime());
        return new Paths(
                home,
                chosen(
                        config.stateDir(),
                        isRoot()
                                ? Path.of("/var/lib/brig")
                                : xdg("XDG_STATE_HOME", ".local/state").resolve("brig")),
                runtime,
                chosen(config.agentsDir(), isRoot() ? Path.of("/run/agents") : runtime.resolve("agents")),
                chosen(config.spawnerSocket(), isRoot() ? HOST_SPAWNER : runtime.resolve("spawner.sock")),
                chosen(config.http().unixSocket(), runtime.resolve("http.sock")),
                runtime);
    }

    /** A copy for a worker-agent that is a service of its own, in that folder. */
    public Paths withWorkerAgent(Path folder) {
        return new Paths(home, state, runtime, agents, spawner, http, folder.toAbsolutePath());
    }

    /** Whether the gateway starts and ends the worker-agent. */
    public boolean ownsWorkerAgent() {
        return workerAgent.equals(runtime);
    }

    public Path database() {
        return state.resolve("brig.db");
    }

    /** The audit index, built from the worker-agent's lines. */
    public Path auditIndex() {
        return state.resolve("audit.db");
    }

    public Path streams() {
        return state.resolve("streams");
    }

    public Path adminToken() {
        return state.resolve("admin.token");
    }

    /** The hashes of the minted tokens. */
    public Path tokens() {
        return state.resolve("tokens.json");
    }

    /** The issuer of the people who sign in. */
    public Path issuer() {
        return state.resolve("oidc.issuer");
    }

    /** The key from which reproducible tokens are derived. */
    public Path tokenKey() {
        return state.resolve("token.key");
    }

    /** The hosts that were added at run time. */
    public Path hosts() {
        return state.resolve("hosts.json");
    }

    /** By which worker-agents on other hosts know this gateway. */
    public Path gatewayId() {
        return state.resolve("gateway.id");
    }

    /** The sockets of links to other hosts. */
    public Path hostSockets() {
        return runtime.resolve("h");
    }

    /** The numbers of links to sandboxes that are taken. */
    public Path sandboxEpochs() {
        return state.resolve("sandbox.epoch");
    }

    /** The program that makes what is brought to other hosts. */
    public Path payloadProgram() {
        return home.resolve("lib/host/payload");
    }

    /** What it made. */
    public Path payloads() {
        return state.resolve("host-payload");
    }

    /** The socket of a session. If the task_id is too long for the kernel, the spawn_id is used. */
    public Path sessionSocket(String taskId, String spawnId) {
        Path socket = agents.resolve(taskId).resolve("io.sock");
        return SocketFile.fits(socket) ? socket : agents.resolve(spawnId).resolve("io.sock");
    }

    /** The socket of the worker-agent. */
    public Path link() {
        return workerAgent.resolve("w/link.sock");
    }

    /** Whether this process runs as root. */
    public static boolean isRoot() {
        return ownUid() == 0;
    }

    /** The uid of this process. */
    public static int ownUid() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A folder of the XDG base directory specification. */
    public static Path xdg(String variable, String underHome) {
        String value = System.getenv(variable);
        return value != null && value.startsWith("/")
                ? Path.of(value)
                : userHome().resolve(underHome);
    }

    /** The home folder of this user. */
    public static Path userHome() {
        String value = System.getenv("HOME");
        return Path.of(value != null && value.startsWith("/") ? value : System.getProperty("user.home"));
    }

    /** The folder for sockets, or one of our own under /tmp if the login session has none. */
    private static Path userRuntime() {
        String value = System.getenv("XDG_RUNTIME_DIR");
        return value != null && value.startsWith("/") ? Path.of(value, "brig") : Path.of("/tmp/brig-" + ownUid());
    }

    private static Path chosen(String configured, Path absent) {
        return configured.isEmpty() ? absent : Path.of(configured).toAbsolutePath();
    }

    /**
     * Creates a folder that only its owner may enter, or checks an existing one: ours, no symbolic link, 0700.
     *
     * @throws BrigException naming the folder and the remedy
     */
    public static Path makePrivate(Path folder) {
        return make(folder, "rwx------");
    }

    /** As {@link #makePrivate}, but others may traverse it: a worker's own user has to reach its wall. */
    public static Path makePassable(Path folder) {
        return make(folder, "rwx--x--x");
    }

    private static Path make(Path folder, String mode) {
        try {
            Path parent = folder.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
            }
            boolean safe = Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && (Integer) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS) == ownUid();
            if (!safe) {
                throw new BrigException(
                        ErrorCode.INTERNAL, folder + " is not a folder of our own; remove it and start again");
            }
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
            return folder;
        } catch (FileSystemException e) {
            String why = e.getReason() == null ? "this user may not write there" : e.getReason();
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "cannot make the folder " + folder + ": " + why
                            + ". Name folders that can"
                            + " be written with stateDir, runtimeDir and agentsDir in a file for --config, or with XDG_STATE_HOME and"
                            + " XDG_RUNTIME_DIR");
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot make the folder " + folder + ": " + Reason.of(e));
        }
    }
}
