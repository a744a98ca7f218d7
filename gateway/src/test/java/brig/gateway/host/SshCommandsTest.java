package brig.gateway.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.deploy.ShellWords;
import brig.protocol.BrigException;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Argument lists of ssh, and what a person may add to them. */
class SshCommandsTest {
    private static HostSettings settings(String target, List<String> options, String controlPath) {
        return new HostSettings(target, options, List.of(), 0, HostEgress.THERE, 0, controlPath, false);
    }

    private static SshCommands commands(HostSettings settings) {
        return new SshCommands(settings, Path.of("/run/100%/box.ctl"), Path.of("/run/h/box.sock"));
    }

    @Test
    void shouldLogInWithTheMasterAlone() {
        SshCommands ssh = commands(settings("user@box", List.of("-p", "2222"), ""));
        List<String> master = ssh.master(15);
        assertEquals(List.of("-p", "2222"), master.subList(master.indexOf("-p"), master.indexOf("-p") + 2));
        assertTrue(master.contains("/run/100%%/box.ctl"), "nothing is expanded in the path");
        for (List<String> other : List.of(ssh.check(), ssh.exit(), ssh.forward("/s"), ssh.remote("true"))) {
            assertTrue(other.containsAll(List.of("ControlMaster=no", "ProxyCommand=false", "BatchMode=yes")));
            assertTrue(other.containsAll(List.of("-F", "none")), "the user's file is for logins");
            assertFalse(other.contains("2222"));
        }
    }

    @Test
    void shouldUseTheUsersFileWhereTheMasterIsTheirs() {
        SshCommands ssh = commands(settings("box", List.of("-F", "mine"), "~/.ssh/%C"));
        assertTrue(ssh.check().containsAll(List.of("-S", "~/.ssh/%C", "-F", "mine", "RemoteCommand=none")));
        assertFalse(ssh.usesOwnMaster());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "it's", "'", "''", "$(touch /x)", "a\nb", "\\", "`id`", "*", "-n", "ü€"})
    void shouldQuoteAnyWordForAShell(String word) throws IOException {
        String line = "printf %s " + ShellWords.quoted(word);
        Process shell = new ProcessBuilder("sh", "-c", line).start();
        assertEquals(word, new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-N",
                "-f",
                "-M",
                "-S /x",
                "-O exit",
                "-L 1:2:3",
                "-R 1:2:3",
                "-D 1",
                "-W x:1",
                "-w 0",
                "-t",
                "-E /x",
                "-o ControlPath=/x",
                "-ocontrolmaster yes",
                "-o RemoteCommand=id",
                "-o LocalForward=1",
                "-o",
                "word",
                "--",
                "-o BatchMode=no",
                "-p 22 -f"
            })
    void shouldRefuseOptionsThatWouldChangeWhatTheLinkIs(String options) {
        assertThrows(BrigException.class, () -> settings("box", List.of(options.split(" ", -1)), ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-4",
                "-AC",
                "-p 2222",
                "-p2222",
                "-i ~/.ssh/key -o IdentitiesOnly=yes",
                "-J jump",
                "-F /etc/x",
                "-l user",
                "-o ProxyCommand=nc",
                "-oPort=22"
            })
    void shouldTakeOptionsThatSayHowToLogIn(String options) {
        assertEquals(
                List.of(options.split(" ", -1)),
                settings("box", List.of(options.split(" ", -1)), "").options());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-oProxyCommand=id", "a b", "a\nb", "\u001b[m"})
    void shouldRefuseATargetThatIsNone(String target) {
        assertThrows(BrigException.class, () -> settings(target, List.of(), ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "local", "Box", "-box", "a_b", "../x", "a.b"})
    void shouldRefuseANameThatIsNone(String name) {
        assertThrows(BrigException.class, () -> HostSettings.requireName(name));
    }
}
