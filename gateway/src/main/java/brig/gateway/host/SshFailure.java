package brig.gateway.host;

import brig.gateway.deploy.LinkFailure;
import brig.gateway.deploy.Processes;
import brig.protocol.VisibleText;
import brig.protocol.api.HostSettings;
import java.util.List;
import java.util.Locale;

/** Why the link to a host is not up, as {@code ssh} says it. */
final class SshFailure {
    /** What {@code ssh} says, in lower case, and what that means. */
    private record Sign(List<String> words, String reason, String mend, boolean needsPerson, boolean isAway) {
        Sign(List<String> words, String reason, String mend, boolean needsPerson) {
            this(words, reason, mend, needsPerson, false);
        }
    }

    private static final String NO_ANSWER = "the worker-agent there does not answer";
    private static final String AGAIN = "run: brig host add NAME TARGET again, in a terminal";

    private static final List<Sign> SIGNS = List.of(
            new Sign(
                    List.of("remote host identification has changed", "host key for", "offending"),
                    "the host's key has changed",
                    "find out why; if that is right, remove the old key with ssh-keygen -R, then " + AGAIN,
                    true),
            new Sign(
                    List.of("host key verification failed", "no host key is known", "host key is known for"),
                    "the host's key is not known",
                    AGAIN + ": ssh asks for the key there",
                    true),
            new Sign(
                    List.of("too many authentication failures"),
                    "ssh offered more keys than the host takes",
                    "name the one key: -i FILE -o IdentitiesOnly=yes behind --",
                    true),
            new Sign(
                    List.of("permission denied"),
                    "the host does not accept the login",
                    "Brig answers no password questions: use a key without a passphrase, a running ssh-agent, or controlPath; then "
                            + AGAIN,
                    true),
            new Sign(
                    List.of("bad configuration option", "unknown option", "illegal option", "bad owner or permissions"),
                    "ssh does not accept its options",
                    "correct them, then " + AGAIN,
                    true),
            new Sign(
                    List.of("could not resolve hostname", "name or service not known", "name resolution"),
                    "the host's name is not known",
                    "check the name, or the network",
                    false,
                    true),
            new Sign(
                    List.of("connection refused"),
                    "nobody listens for ssh there",
                    "check the port (-p behind --), and that sshd runs",
                    false,
                    true),
            new Sign(
                    List.of(
                            "timed out",
                            "no route to host",
                            "network is unreachable",
                            "not responding",
                            "host is down"),
                    "the host does not answer",
                    "check that it is on, and the network",
                    false,
                    true),
            new Sign(
                    List.of("kex_exchange_identification", "connection closed by", "connection reset"),
                    "the host closed the connection",
                    "its log says why; it may limit logins (MaxStartups)",
                    false),
            new Sign(
                    List.of("unix_listener", "too long for unix domain socket", "controlpath too long"),
                    "the path of the control socket is too long",
                    "choose a shorter runtimeDir",
                    true),
            new Sign(
                    List.of("cannot be started"),
                    "the program ssh cannot be started",
                    "install OpenSSH's client on the gateway's host",
                    true));

    private SshFailure() {}

    /** What the end of a master means. */
    static LinkFailure of(Processes.Ended ended, String name, HostSettings settings) {
        String said = ended.errors().text().toLowerCase(Locale.ROOT);
        for (Sign sign : SIGNS) {
            if (sign.words().stream().anyMatch(said::contains)) {
                return new LinkFailure(
                        sign.reason() + " (" + ended.errors().shown() + ")",
                        sign.mend().replace("NAME", name).replace("TARGET", VisibleText.of(settings.ssh())),
                        sign.needsPerson(),
                        sign.isAway(),
                        said.contains("timed out") && !said.contains("connect to host"));
            }
        }
        String words = ended.errors().shown();
        return new LinkFailure(
                words.isEmpty() ? "ssh ended with " + ended.code() : "ssh ended: " + words,
                "try by hand: ssh " + VisibleText.of(settings.ssh()) + " true",
                false);
    }

    /** A person's own master is not there. */
    static LinkFailure noMaster(HostSettings settings) {
        return new LinkFailure(
                "no ssh listens at its controlPath",
                "start it: ssh -M -S PATH -N -o ServerAliveInterval=5 " + settings.ssh(),
                false);
    }

    static LinkFailure noAnswer() {
        return new LinkFailure(NO_ANSWER, "see worker-agent.log below ~/.brig/gateways on the host", false);
    }

    /**
     * The one program for all connections ended.
     *
     * @param answered whether it ever led to the worker-agent
     */
    static LinkFailure ofJoint(boolean answered, String why) {
        return new LinkFailure(
                (answered ? "all connections ended: " : NO_ANSWER + ": ") + why,
                "AllowStreamLocalForwarding yes in sshd_config there",
                false);
    }
}
