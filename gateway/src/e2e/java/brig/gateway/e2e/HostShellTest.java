package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code brig shell} on a terminal: a shell of another host, as {@code ssh} gives one. */
@Timeout(240)
class HostShellTest {
    private static final String NAME = "build1";
    /** What the outer shell says of the terminal before and after. */
    private static final Pattern SETTINGS = Pattern.compile("settings ([0-9a-f:]+)");

    private static SshHost host;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        SshHost.requireSshfs();
        host = SshHost.start(NAME);
        host.prepare("mkdir app; echo KEY=1 > app/.env; echo exit-code > app/a.txt;"
                + " echo 'PS1=there:; bind \"set enable-bracketed-paste off\"' > .bash_profile");
        product = Product.start();
        host.addTo(product, "--tunnel-only");
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
        if (host != null) {
            host.close();
        }
    }

    /** A terminal of 33 rows, on which brig runs between two reports of the terminal's settings. */
    private static Pty open(String... arguments) throws IOException {
        String brig = "'" + String.join("' '", product.command(arguments)) + "'";
        return Pty.start(List.of(
                "/bin/sh",
                "-c",
                "stty rows 33 cols 101; echo here $(tty) end; echo settings $(stty -g); " + brig
                        + "; echo ended $?; echo settings $(stty -g)"));
    }

    private static void type(Pty pty, String line) throws IOException {
        for (char key : (line + "\r").toCharArray()) {
            pty.press(key);
        }
    }

    private static void assertRestored(String shown) {
        Matcher settings = SETTINGS.matcher(shown);
        assertTrue(settings.find(), shown);
        String before = settings.group(1);
        assertTrue(settings.find(), shown);
        assertEquals(before, settings.group(1), shown);
    }

    private static String sessions() throws IOException {
        return product.brig("sessions").out();
    }

    @Test
    void shouldGiveATerminalThereAndItsExitCode() throws IOException {
        long logins = host.logins();
        try (Pty pty = open("shell", NAME + ":~/app")) {
            pty.readUntil("there:", 1);
            assertTrue(sessions().contains("shell"), "it is a session like others");
            type(pty, "tty; stty size; id -un; pwd; cat .env; echo $TERM; echo first-$((1+1))");
            pty.readUntil("first-2", 1);
            Matcher here = Pattern.compile("here (/dev/\\S+) end").matcher(pty.shown());
            assertTrue(here.find(), pty.shown());
            type(pty, "trap 'echo size $(stty size)' WINCH; echo set-$((1+4))");
            pty.readUntil("set-5", 1);
            assertEquals(
                    0,
                    Run.of(List.of("stty", "-F", here.group(1), "rows", "40"), "", host.home())
                            .exitCode());
            pty.readUntil("size 40 101", 1);
            type(pty, "sleep 600 && echo never; echo second-$((1+2))");
            Await.until("it sleeps", () -> host.running().contains("sleep 600"));
            pty.interrupt();
            type(pty, "echo third-$((1+3))");
            pty.readUntil("third-4", 1);
            Await.until("Ctrl-C ended it", () -> !host.running().contains("sleep 600"));
            type(pty, "exit 7");
            pty.readUntil("ended 7", 1);
            String shown = pty.readToEnd();
            assertTrue(shown.contains("private files on " + NAME + " are hidden from this shell (enforced)\n"), shown);
            assertTrue(shown.contains("\n/dev/pts/"), shown);
            assertTrue(shown.contains("\n33 101\n" + NAME + "\n/home/" + NAME + "/app\n"), shown);
            assertTrue(shown.contains("xterm-256color\n"), shown);
            assertFalse(shown.contains("KEY=1") || shown.contains("\nnever"), shown);
            assertRestored(shown);
        }
        assertEquals(logins, host.logins(), "it goes over the login of the link");
        Await.until("the session has ended", () -> !sessions().contains(" shell "));
    }

    @Test
    void shouldRunAScriptThereAndEndWithIt() throws IOException {
        Run run = product.brigWith("id -un; pwd\ncat .env\nfalse\nexit 7\n", "shell", NAME + ":~/app");
        assertEquals(7, run.exitCode(), run::err);
        assertTrue(run.out().startsWith(NAME + "\n/home/" + NAME + "/app\n"), run::out);
        assertFalse(run.out().contains("KEY=1"), run::out);
        Run nothing = product.brigWith("", "shell", NAME + ":~/app");
        assertEquals(2, nothing.exitCode(), nothing::err);
        assertTrue(nothing.err().contains("no commands on standard input"), nothing::err);
        Await.until("no session is left", () -> !sessions().contains("shell"));
    }

    @Test
    void shouldRestoreTheTerminalWhenItIsKilledAndEndTheShellThere() throws IOException {
        try (Pty pty = open("tunnel", "--shell", NAME + ":~/app")) {
            pty.readUntil("there:", 1);
            type(pty, "sleep 600");
            Await.until("it sleeps", () -> host.running().contains("sleep 600"));
            pty.processes().filter(HostShellTest::isClient).forEach(ProcessHandle::destroy);
            pty.readUntil("ended 143", 1);
            assertRestored(pty.readToEnd());
        }
        Await.until("nothing is left there", () -> !host.running().contains("sleep 600"));
    }

    private static boolean isClient(ProcessHandle process) {
        List<String> words = Processes.arguments(process);
        return words.getFirst().endsWith("java") && words.contains("--shell");
    }

    @Test
    @Tag("slow")
    void shouldRestoreTheTerminalWhenTheHostIsLost() throws IOException {
        try (Pty pty = open("shell", NAME + ":~/app")) {
            pty.readUntil("there:", 1);
            host.killSessions();
            pty.readUntil("ended 255", 1);
            String shown = pty.readToEnd();
            assertTrue(shown.contains("the link to " + NAME + " was lost"), shown);
            assertRestored(shown);
        }
        Await.until("the host is back", () -> product.brig("host", "list").out().contains(" up"));
    }
}
