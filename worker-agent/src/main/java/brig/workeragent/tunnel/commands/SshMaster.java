package brig.workeragent.tunnel.commands;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The one ssh master to a machine, as all tunnels to it share it. sshd admits 10 sessions on a connection
 * ({@code MaxSessions}); commands take at most 8, the rest is left to the transfer of files.
 */
public final class SshMaster {
    static final int SESSIONS_MAX = 8;

    private final List<String> client;
    private final String target;
    private final String name;
    final Semaphore sessions = new Semaphore(SESSIONS_MAX, true);

    /**
     * @param name of the machine, for messages
     * @param client the client with options that allow no login of its own, see {@link #overControl}
     * @param target {@code user@host}, as for the master
     */
    public SshMaster(String name, List<String> client, String target) {
        if (target.startsWith("-")) throw new IllegalArgumentException("'" + target + "' is no host");
        this.name = name;
        this.client = List.copyOf(client);
        this.target = target;
    }

    /** The system's ssh over the control socket of a running master. Without that master it fails. */
    public static SshMaster overControl(String name, String control, String target) {
        return new SshMaster(
                name,
                List.of(
                        "ssh",
                        "-S",
                        control,
                        "-o",
                        "ControlMaster=no",
                        "-o",
                        "ProxyCommand=false",
                        "-o",
                        "BatchMode=yes",
                        "-o",
                        "LogLevel=ERROR",
                        "-e",
                        "none"),
                target);
    }

    String name() {
        return name;
    }

    /** @param script for the login shell there */
    Process start(boolean tty, String script) throws java.io.IOException {
        List<String> command = new ArrayList<>(client);
        command.addAll(List.of(tty ? "-tt" : "-T", target, "--", script));
        return new ProcessBuilder(command).start();
    }
}
