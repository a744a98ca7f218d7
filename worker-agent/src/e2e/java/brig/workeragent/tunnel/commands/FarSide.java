package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.TestFolders;
import brig.workeragent.wall.RemoteShell;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Stands for another machine: an ordinary user of this one with a home and a project, and a client that needs no ssh. */
public final class FarSide implements AutoCloseable {
    /** No other test's, and not the workers': some commands read and end what is their user's. */
    private static final int ORDINARY_UID = 59_620;

    final Path root;
    public final Path home;
    public final Path project;
    final SshMaster master;
    private final boolean switched;
    private @Nullable SessionShell shell;

    public FarSide() throws IOException {
        root = TestFolders.create("brig-far");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        home = Files.createDirectory(root.resolve("home"));
        project = Files.createDirectory(home.resolve("project"));
        Files.createDirectory(home.resolve(".ssh"));
        Files.writeString(home.resolve(".bashrc"), "echo greeting; echo complaint >&2\n");
        switched = "root".equals(System.getProperty("user.name"));
        Path client = Files.writeString(root.resolve("client"), """
                #!/bin/sh
                cd %s || exit 255
                set -- "$1" ". ./.bashrc; $4" env -i HOME=%s SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin %s
                option=$1 command=$2
                shift 2
                [ $option = -T ] || exec "$@" script -qefc "$command" /dev/null
                exec "$@" setsid /bin/bash -c "$command"
                """.formatted(
                        home,
                        home,
                        switched ? "setpriv --reuid=%1$d --regid=%1$d --clear-groups".formatted(ORDINARY_UID) : ""));
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
        master = new SshMaster("build1", List.of(client.toString()), "somebody@build1");
        give();
    }

    /** All files there become the user's. */
    void give() throws IOException {
        try (var files = Files.walk(home)) {
            for (Path file : files.toList()) new WorkersUser(ORDINARY_UID, switched).give(file);
        }
    }

    TunnelCommands.Spec spec(List<String> privateFiles) {
        return new TunnelCommands.Spec(project.toString(), Map.of(), privateFiles, Set.of());
    }

    private static final TunnelCommands.Listener UNHEARD = new TunnelCommands.Listener() {
        @Override
        public void handleEnd() {}

        @Override
        public void handlePrivate(Set<String> files) {}
    };

    TunnelCommands open(List<String> privateFiles) throws IOException, InterruptedException {
        return open(privateFiles, System::nanoTime);
    }

    TunnelCommands open(List<String> privateFiles, LongSupplier nanos) throws IOException, InterruptedException {
        TunnelCommands commands = TunnelCommands.open(spec(privateFiles), master, nanos, UNHEARD);
        listen(commands, new WorkersUser(0, false));
        return commands;
    }

    /** For a wall whose processes have that user. */
    public TunnelCommands open(WorkersUser user) throws IOException, InterruptedException {
        TunnelCommands commands = TunnelCommands.open(spec(List.of()), master, UNHEARD);
        listen(commands, user);
        return commands;
    }

    private void listen(TunnelCommands commands, WorkersUser user) throws IOException {
        if (shell != null) shell.close();
        shell = SessionShell.open(List.of(commands), place(), user);
    }

    /** Of what was opened last. */
    public RemoteShell remoteShell() {
        return Objects.requireNonNull(shell).remoteShell();
    }

    Path place() {
        return root.resolve("tunnel");
    }

    Path socket() {
        return place().resolve("socket");
    }

    ShellCaller bash(String command) throws IOException {
        return new ShellCaller(socket(), project.toString(), Map.of(), "bash", "-c", command);
    }

    public String write(String name, String content) throws IOException {
        Path file = project.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content.getBytes(UTF_8));
        give();
        return file.toString();
    }

    @Override
    public void close() throws IOException {
        if (shell != null) shell.close();
        TestFolders.delete(root);
    }
}
