package brig.cli;

import brig.cli.install.Installation;
import brig.cli.terminal.Terminal;
import brig.client.Brig;
import brig.gateway.app.Gateway;
import brig.gateway.app.StateLock;
import brig.gateway.config.Config;
import brig.gateway.config.ConfigFile;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The context of a command: the installation, the configuration, and the gateway that runs or is started for it. */
final class CommandContext {
    /** Longer than a gateway tries to start. */
    private static final long START_MS_MAX = 90_000;

    private static final long LOOK_AGAIN_MS = 100;

    private final Terminal terminal;
    private final Path home;
    private final @Nullable Path configFile;
    private final boolean isNamed;
    private @Nullable Config config;

    /** @param chosen the file on the command line; null for that of {@code BRIG_CONFIG}, or the usual one */
    CommandContext(Terminal terminal, @Nullable Path chosen) {
        this.terminal = terminal;
        String variable = System.getenv("BRIG_CONFIG");
        Path configFile = chosen == null && variable != null && !variable.isEmpty() ? Path.of(variable) : chosen;
        String property = System.getProperty("brig.home");
        if (property == null) {
            throw new BrigException(ErrorCode.INTERNAL, "brig.home is not set: start Brig with bin/brig");
        }
        this.home = Path.of(property);
        this.configFile = configFile == null ? null : configFile.toAbsolutePath();
        // The usual file needs no option, unless the variable names another.
        this.isNamed = this.configFile != null
                && chosen != null
                && (variable != null || !this.configFile.normalize().equals(ConfigFile.ownPlace()));
    }

    /** The program that people call. */
    Path program() {
        Installation installation = Installation.of(home);
        return installation == null ? home.resolve("bin/brig") : installation.command();
    }

    /** The folder that Brig is installed in. */
    Path home() {
        return home;
    }

    /** What was unpacked from an archive; null if Brig was installed in another way. */
    @Nullable
    Installation archive() {
        return Installation.of(home);
    }

    /** @throws BrigException if Brig was not unpacked from an archive */
    Installation installation() {
        Installation installation = archive();
        if (installation == null) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND,
                    home + " was not unpacked from an archive brig-VERSION-linux-ARCHITECTURE.tar.zst;"
                            + " a package is upgraded and removed with apt-get");
        }
        return installation;
    }

    /** Read once. */
    Config config() {
        Config known = config == null ? ConfigFile.load(home, configFile) : config;
        config = known;
        return known;
    }

    Paths paths() {
        return Paths.of(config(), home);
    }

    @Nullable
    Path configFile() {
        return configFile != null ? configFile : ConfigFile.usualPlace().orElse(null);
    }

    /** A command line that uses the same settings, for people to type. */
    String command(String name) {
        return "brig " + name + option();
    }

    /** Adds the settings option to commands in a text, which are the lines that begin with two spaces. */
    String commands(String text) {
        return commands(text, option());
    }

    static String commands(String text, String option) {
        return text.replace("\n  brig ", "\n  brig" + option + " ");
    }

    /** The option that names the settings; empty for the default settings. */
    String option() {
        return options().isEmpty() ? "" : " " + String.join(" ", options());
    }

    /** The same as words. */
    List<String> options() {
        return isNamed ? List.of("--config", String.valueOf(configFile)) : List.of();
    }

    /** The gateway on another host, or behind HTTP on this one, from the environment; null for a local one. */
    @Nullable
    RemoteGateway remote() {
        return RemoteGateway.named(System.getenv());
    }

    /** Connects to the running gateway. @throws BrigException with the remedy if none runs */
    GatewayClient connect() {
        RemoteGateway remote = remote();
        if (remote != null) {
            return connect(remote);
        }
        GatewayClient client = connectLocally();
        if (client == null) {
            throw noGateway(spawnerSocket());
        }
        return client;
    }

    /**
     * Connects to the gateway of this host. One that starts has its folder before it listens, and is waited for.
     *
     * @return null if none runs
     */
    @Nullable
    GatewayClient connectLocally() {
        Path socket = spawnerSocket();
        for (long waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
            try {
                return GatewayClient.connect(socket);
            } catch (IOException nobodyListens) {
                Paths paths = paths();
                String owner = socket.equals(paths.spawner()) ? StateLock.owner(paths.state()) : null;
                if (owner == null) {
                    return null;
                }
                if (waitedMs == 0) {
                    terminal.note("waiting for the gateway that starts or ends, pid " + owner);
                }
                awaitStart(owner, socket, waitedMs);
            }
        }
    }

    private static void awaitStart(String owner, Path socket, long waitedMs) {
        if (waitedMs >= START_MS_MAX) {
            throw new BrigException(
                    ErrorCode.WORKER_AGENT_UNAVAILABLE,
                    "the gateway with the pid " + owner + " runs, and does not listen on " + socket
                            + ": look at its output, or end it");
        }
        try {
            Thread.sleep(LOOK_AGAIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        }
    }

    BrigException noGateway(Path socket) {
        return new BrigException(
                ErrorCode.NOT_FOUND, "no gateway listens on " + socket + ": start one with '" + command("serve") + "'");
    }

    /** The same gateway, for what a program of others could do as well. */
    Brig client() {
        RemoteGateway remote = remote();
        return remote == null ? Brig.at(spawnerSocket()) : Brig.at(remote.uri(), remote.token());
    }

    private static GatewayClient connect(RemoteGateway remote) {
        try {
            return new GatewayClient(remote.dial());
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "no gateway answers at " + remote.uri() + " (BRIG_HOST): " + Reason.of(e));
        }
    }

    /** The named socket, else the user's own, else the host's if it admits this user. */
    Path spawnerSocket() {
        String named = System.getenv("BRIG_SOCKET");
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        Path own = paths().spawner();
        boolean hosts =
                config().spawnerSocket().isEmpty() && !Files.exists(own) && Files.isWritable(Paths.HOST_SPAWNER);
        return hosts ? Paths.HOST_SPAWNER : own;
    }

    /** The user whose gateway listens, if that is another one; else null. */
    @Nullable
    String otherOwner() {
        try {
            Path socket = spawnerSocket();
            boolean own = (Integer) Files.getAttribute(socket, "unix:uid") == Paths.ownUid();
            return own ? null : Files.getOwner(socket).getName();
        } catch (IOException nobodyListens) {
            return null;
        }
    }

    /** A connection, and the gateway that was started for it, if any. */
    record Connection(GatewayClient client, @Nullable Embedded embedded) implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            if (embedded != null) {
                embedded.close();
            }
        }
    }

    /** Connects to the running gateway, or starts one for this command alone. */
    Connection connectOrEmbed() {
        RemoteGateway remote = remote();
        if (remote != null) {
            return new Connection(connect(remote), null);
        }
        GatewayClient running = connectLocally();
        if (running != null) {
            return new Connection(running, null);
        }
        Embedded embedded = new Embedded(this);
        try {
            return new Connection(GatewayClient.connect(embedded.spawner()), embedded);
        } catch (IOException e) {
            embedded.close();
            throw new BrigException(ErrorCode.INTERNAL, "the embedded gateway does not answer: " + e.getMessage());
        }
    }

    /** Another connection to the same gateway. @throws BrigException if it does not answer */
    GatewayClient connectAgain(Connection first) {
        if (first.embedded() == null) {
            return connect();
        }
        try {
            return GatewayClient.connect(first.embedded().spawner());
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, "the embedded gateway does not answer: " + Reason.of(e));
        }
    }

    /** A gateway with folders of its own, which are deleted with it. */
    static final class Embedded implements AutoCloseable {
        private final EmbeddedFolder folder;
        private final Gateway gateway;
        private final AtomicBoolean closed = new AtomicBoolean();

        Embedded(CommandContext context) {
            try {
                folder = EmbeddedFolder.open(Path.of(System.getProperty("java.io.tmpdir")));
            } catch (IOException e) {
                throw new BrigException(
                        ErrorCode.INTERNAL, "cannot make a folder for the embedded gateway: " + Reason.of(e));
            }
            Config own = context.config();
            Config.Http http = new Config.Http("127.0.0.1", 0, "", List.of(), List.of(), "", 0);
            Path path = folder.path();
            Config config = new Config(
                    path.resolve("state").toString(),
                    path.resolve("run").toString(),
                    path.resolve("agents").toString(),
                    path.resolve("spawner.sock").toString(),
                    List.of(),
                    http,
                    own.log(),
                    own.traces(),
                    Config.Asks.NONE,
                    Config.Oidc.NONE,
                    own.limits(),
                    own.retention(),
                    own.connections(),
                    Map.of(),
                    Map.of(),
                    Config.Cluster.NONE,
                    own.worker());
            gateway = new Gateway(config, Paths.of(config, context.home), context.configFile());
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("brig-leave").unstarted(this::close));
            try {
                gateway.start();
            } catch (BrigException e) {
                close();
                throw e;
            }
        }

        Path spawner() {
            return gateway.paths().spawner();
        }

        /** Idempotent: the end of the command and Ctrl-C may both call it. */
        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            gateway.stop();
            try {
                folder.close();
            } catch (IOException e) {
                throw new BrigException(ErrorCode.INTERNAL, "cannot remove " + folder.path() + ": " + Reason.of(e));
            }
        }
    }
}
