package brig.gateway.host;

import brig.gateway.deploy.Processes;
import brig.gateway.deploy.RemoteSetup;
import brig.protocol.VisibleText;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * What a tunnel needs on a host, and whether it is there: a shell and SFTP; to hide private files, namespaces and those files
 * that a command could otherwise make and a login execute.
 *
 * <p>Decision 0168.
 */
final class TunnelNeeds {
    private static final String HAS = "brig-has ";
    private static final String SHELL = "brig-shell ";
    private static final int SHELL_MAX = 255;
    private static final String WEAKER = "; private files are kept by a check of commands alone";

    /** Says what of the needs of tunnels is there. */
    static final String LOOK = String.join(
            "; ",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "export PATH",
            "cd || exit 1",
            "echo \"brig-shell $SHELL\"",
            "[ -f .bashrc ] && echo brig-has .bashrc",
            "[ -f .zshenv ] && echo brig-has .zshenv",
            "[ -d .ssh ] && echo brig-has .ssh",
            "command -v nsenter >/dev/null && unshare -Urm sh -c \"mount -t tmpfs none /tmp &&"
                    + " echo 1 >/proc/sys/user/max_user_namespaces\" 2>/dev/null && echo brig-has namespaces",
            "echo brig-end");

    private TunnelNeeds() {}

    /** What of them a host has. */
    static CompletionStage<List<Finding>> ask(RemoteSetup setup, SshCommands ssh) {
        return setup.ask(ssh.remote("sh", "-c", LOOK))
                .thenCombine(setup.ask(ssh.sftp()), TunnelNeeds::findings)
                .exceptionally(RemoteSetup::unanswered);
    }

    /**
     * What the script for tunnels and the probe of SFTP found.
     *
     * @param look what {@link #LOOK} said
     * @param sftp how a session of the SFTP subsystem ended whose input was empty
     */
    static List<Finding> findings(Processes.Ended look, Processes.Ended sftp) {
        List<String> lines = look.out().lines();
        List<Finding> findings = new ArrayList<>();
        boolean ran = lines.contains("brig-end");
        findings.add(
                ran
                        ? ok("sh", "runs commands")
                        : new Finding(
                                "sh",
                                FindingStatus.FAIL,
                                "the login shell runs no sh: " + said(look),
                                "try by hand: ssh TARGET 'sh -c true'"));
        findings.add(
                sftp.code() == 0
                        ? ok("sftp", "serves files")
                        : new Finding(
                                "sftp",
                                FindingStatus.FAIL,
                                "its sshd serves no files: " + said(sftp),
                                "have there: Subsystem sftp internal-sftp (sshd_config)"));
        if (ran) {
            addHiding(lines, findings);
        }
        return findings;
    }

    private static void addHiding(List<String> lines, List<Finding> findings) {
        Set<String> has = new HashSet<>();
        String shell = "";
        for (String line : lines) {
            if (line.startsWith(HAS)) {
                has.add(line.substring(HAS.length()));
            } else if (line.startsWith(SHELL)) {
                shell = line.substring(SHELL.length(), Math.min(line.length(), SHELL.length() + SHELL_MAX));
            }
        }
        findings.add(
                has.contains("namespaces")
                        ? ok("unshare", "private files can be hidden")
                        : weaker(
                                "unshare",
                                "allows no user namespaces, or has no unshare and nsenter",
                                "install util-linux there, and allow user namespaces (user.max_user_namespaces)"));
        findings.add(
                has.contains(".ssh")
                        ? ok("~/.ssh", "is there")
                        : weaker("~/.ssh", "is absent: a command could make ~/.ssh/rc", "there: mkdir -m 700 ~/.ssh"));
        switch (shell.substring(shell.lastIndexOf('/') + 1)) {
            case "bash" -> findings.add(startFile(has, ".bashrc"));
            case "zsh" -> findings.add(startFile(has, ".zshenv"));
            case "sh", "dash" -> findings.add(ok("login shell", "reads no file of its own"));
            default ->
                findings.add(weaker(
                        "login shell",
                        "is " + VisibleText.of(shell) + ", none of sh, dash, bash and zsh",
                        "there: chsh -s /bin/bash"));
        }
    }

    private static Finding startFile(Set<String> has, String file) {
        return has.contains(file)
                ? ok("~/" + file, "is there")
                : weaker(
                        "~/" + file,
                        "is absent: a command could make it, and every login execute it",
                        "there: touch ~/" + file);
    }

    private static Finding ok(String name, String detail) {
        return new Finding(name, FindingStatus.OK, detail, null);
    }

    private static Finding weaker(String name, String detail, String mend) {
        return new Finding(name, FindingStatus.WARN, detail + WEAKER, mend);
    }

    private static String said(Processes.Ended ended) {
        String words = ended.errors().shown();
        return words.isEmpty() ? "it ended with " + ended.code() : words;
    }
}
