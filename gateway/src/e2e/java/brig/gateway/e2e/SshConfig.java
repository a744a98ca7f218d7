package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** What ssh needs to reach one host without asking: a key, the host's own key, and a configuration that names both. */
final class SshConfig {
    private final Path folder;
    private final String name;

    /** Makes a key in a folder for the host of that name, where its user has that name too. */
    SshConfig(Path folder, String name) throws IOException {
        this.folder = folder;
        this.name = name;
        makeKey(folder.resolve("key"));
    }

    static void makeKey(Path file) throws IOException {
        Run run = Run.of(
                List.of("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "brig-tests", "-f", file.toString()),
                "",
                file.getParent());
        if (run.exitCode() != 0) {
            throw new AssertionError(run);
        }
    }

    Path publicKey() {
        return folder.resolve("key.pub");
    }

    Path file() {
        return folder.resolve("config");
    }

    /** The host's key, as its file or as a line of known_hosts has it behind the name. */
    void trust(String hostKey) throws IOException {
        Files.writeString(folder.resolve("known_hosts"), name + " " + hostKey + "\n");
    }

    /** Nobody has ever been there. */
    void forget() throws IOException {
        Files.writeString(folder.resolve("known_hosts"), "");
    }

    String name() {
        return name;
    }

    /** From now on the name leads there. Connections that are open stay. */
    void leadTo(String address, int port) throws IOException {
        Path next = Files.write(
                folder.resolve("config.next"),
                List.of(
                        "Host " + name,
                        "HostName " + address,
                        "Port " + port,
                        "User " + name,
                        "HostKeyAlias " + name,
                        "IdentityFile " + folder.resolve("key"),
                        "IdentitiesOnly yes",
                        "IdentityAgent none",
                        "UserKnownHostsFile " + folder.resolve("known_hosts"),
                        "GlobalKnownHostsFile none",
                        "StrictHostKeyChecking yes"));
        Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Runs ssh to its end: the options, the host, and a command for it. */
    Run run(List<String> options, String command) throws IOException {
        return Run.of(command(options, command), "", folder);
    }

    List<String> command(List<String> options, String... command) {
        List<String> ssh = new ArrayList<>(List.of("ssh", "-F", file().toString(), "-o", "BatchMode=yes"));
        ssh.addAll(options);
        ssh.add(name);
        ssh.addAll(List.of(command));
        return ssh;
    }
}
