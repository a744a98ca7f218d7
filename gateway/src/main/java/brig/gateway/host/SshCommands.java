package brig.gateway.host;

import brig.gateway.deploy.ShellWords;
import brig.protocol.api.HostSettings;
import brig.protocol.control.TunnelWay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The argument lists of {@code ssh} for one host. Only {@link #master} logs in; all others use its control socket, and
 * fail where that is gone.
 *
 * @param control the control socket of the gateway's own master
 * @param socket the local end of the forwarded socket
 */
record SshCommands(HostSettings settings, Path control, Path socket) {
    /** The keep-alive of the link: it counts as lost 20 s after its last sign of life. */
    private static final List<String> ALIVE = List.of("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3");

    boolean usesOwnMaster() {
        return settings.controlPath().isEmpty();
    }

    /** @param connectS seconds until the host must have answered */
    List<String> master(int connectS) {
        List<String> command = new ArrayList<>(List.of("ssh", "-N", "-T", "-M", "-S", literal(control)));
        command.addAll(List.of("-o", "ControlPersist=no", "-o", "BatchMode=yes"));
        command.addAll(ALIVE);
        command.addAll(List.of("-o", "StreamLocalBindUnlink=yes", "-o", "StreamLocalBindMask=0177"));
        // What the user's own file forwards for that host could fail, or be taken by another ssh.
        command.addAll(List.of("-o", "ExitOnForwardFailure=yes", "-o", "ClearAllForwardings=yes"));
        command.addAll(List.of("-o", "RemoteCommand=none"));
        command.addAll(settings.options());
        command.addAll(List.of("-o", "ConnectTimeout=" + connectS, "--", settings.ssh()));
        return List.copyOf(command);
    }

    /** Whether the master is there. */
    List<String> check() {
        return control("check", List.of());
    }

    /** Ends a master of the gateway's own. */
    List<String> exit() {
        return control("exit", List.of());
    }

    List<String> forward(String remoteSocket) {
        return control("forward", List.of("-L", socket + ":" + remoteSocket));
    }

    List<String> cancel(String remoteSocket) {
        return control("cancel", List.of("-L", socket + ":" + remoteSocket));
    }

    /** The way for programs that go over the master. */
    TunnelWay way() {
        return new TunnelWay(usesOwnMaster() ? control.toString() : settings.controlPath(), settings.ssh());
    }

    private List<String> control(String what, List<String> arguments) {
        List<String> command = new ArrayList<>(slave());
        command.addAll(List.of("-o", "StreamLocalBindUnlink=yes", "-o", "StreamLocalBindMask=0177", "-O", what));
        command.addAll(arguments);
        command.addAll(List.of("--", settings.ssh()));
        return List.copyOf(command);
    }

    /** A program of the host. Each word is one argument there, whatever its characters. */
    List<String> remote(String... words) {
        List<String> command = new ArrayList<>(slave());
        command.addAll(List.of("-T", "--", settings.ssh(), ShellWords.line(List.of(words))));
        return List.copyOf(command);
    }

    /** The SFTP server of the host, joined to standard input and output. */
    List<String> sftp() {
        List<String> command = new ArrayList<>(slave());
        command.addAll(List.of("-s", "--", settings.ssh(), "sftp"));
        return List.copyOf(command);
    }

    /** What {@code brig-host start} is told of the settings. */
    List<String> startArguments() {
        List<String> words = new ArrayList<>();
        if (settings.idleExitMinutes() > 0) {
            words.addAll(List.of("--idle-exit-s", String.valueOf(settings.idleExitMinutes() * 60L)));
        }
        if (settings.workersMax() > 0) {
            words.addAll(List.of("--workers-max", String.valueOf(settings.workersMax())));
        }
        return List.copyOf(words);
    }

    private List<String> slave() {
        List<String> command = new ArrayList<>(List.of("ssh"));
        if (usesOwnMaster()) {
            // The user's file is for logins: its forwardings and commands would go along.
            command.addAll(List.of("-F", "none", "-S", literal(control)));
        } else {
            command.addAll(List.of("-S", settings.controlPath()));
        }
        command.addAll(List.of("-o", "ControlMaster=no", "-o", "ProxyCommand=false", "-o", "BatchMode=yes"));
        if (!usesOwnMaster()) {
            command.addAll(List.of("-o", "RemoteCommand=none"));
            command.addAll(settings.options());
        }
        return command;
    }

    /** A path in which nothing is expanded. */
    private static String literal(Path path) {
        return path.toString().replace("%", "%%");
    }
}
