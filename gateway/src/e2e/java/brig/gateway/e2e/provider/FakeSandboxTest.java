package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FakeSandboxTest {
    /** Larger than all buffers between a client and a server. */
    private static final int MUCH = 4_000_000;

    private static final String ECHOES =
            "use IO::Socket::INET; $l = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1:7777') or die;"
                    + " $| = 1; print \"listening\\n\"; while ($c = $l->accept) {"
                    + " $all = ''; while (sysread $c, $b, 65536) { $all .= $b } print $c $all; close $c }";

    private FakeSandbox sandbox;

    @BeforeEach
    void start() throws IOException {
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        sandbox = FakeSandbox.start("sprite");
    }

    @AfterEach
    void close() throws IOException {
        if (sandbox != null) {
            sandbox.close();
        }
    }

    private Process exec(String script) throws IOException {
        return sandbox.exec(List.of("bash", "-c", script), sandbox.environment(), sandbox.home());
    }

    private String said(String script) throws IOException {
        Process process = exec(script);
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        assertEquals(0, FakeSandbox.exitOf(process), out + err);
        return out.strip();
    }

    @Test
    void shouldRunCommandsBehindAWall() throws Exception {
        assertEquals("1000 sprite /home/sprite", said("echo $(id -u) $(id -un) $PWD"));
        assertEquals("sprite", said("ls /home; ls -d /root /srv /opt /sys 2>/dev/null || true"));
        assertEquals("lo:", said("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sed 's/$/:/'"));
        assertEquals(
                "yes",
                said("ps -e -o pid= | grep -qw " + ProcessHandle.current().pid() + " || echo yes"));
        assertEquals(
                "",
                said(
                        "env | grep -v '^\\(HOME\\|USER\\|LOGNAME\\|SHELL\\|LANG\\|PATH\\|OLDPWD\\|PWD\\|SHLVL\\|_\\)='; true"));
        assertEquals("no", said("touch /usr/x 2>/dev/null || echo no"));
        assertEquals("x", said("printf '#!/bin/sh\\necho x' >run && chmod +x run && ./run"));
        Process fails = exec("exit 42");
        assertEquals(42, FakeSandbox.exitOf(fails));
    }

    @Test
    void shouldPermitAWallWithin() throws Exception {
        assertEquals(
                "1",
                said(
                        "bwrap --ro-bind / / --unshare-all --proc /proc --dev /dev --tmpfs /tmp sh -c 'ps -e | grep -c bwrap'"));
    }

    @Test
    void shouldTakeAllBytesOfAConnectionToItsEndAndBringBackAll() throws Exception {
        Process server = sandbox.exec(List.of("perl", "-e", ECHOES), sandbox.environment(), "/");
        assertEquals("listening", server.inputReader().readLine());
        Process connection = sandbox.dial(7777);
        byte[] sent = new byte[MUCH];
        new Random(1).nextBytes(sent);
        try (OutputStream to = connection.getOutputStream()) {
            to.write(sent);
        }
        assertArrayEquals(sent, connection.getInputStream().readAllBytes());
        assertEquals(0, FakeSandbox.exitOf(connection));
        assertThrows(IOException.class, () -> sandbox.dial(7778));
    }

    @Test
    void shouldWriteFiles() throws Exception {
        byte[] content = new byte[MUCH];
        new Random(2).nextBytes(content);
        assertTrue(sandbox.write("/home/sprite/a b/c", "0640", new ByteArrayInputStream(content)));
        assertEquals("640 " + MUCH, said("stat -c '%a %s' 'a b/c'"));
        assertArrayEquals(content, Files.readAllBytes(sandbox.homeHere().resolve("a b/c")));
        assertFalse(sandbox.write("/usr/c", "0640", new ByteArrayInputStream(content)));
    }

    @Test
    void shouldLeaveNothingBehind() throws Exception {
        Process left = exec("setsid sleep 1000 </dev/null >/dev/null 2>&1 & exit 0");
        assertEquals(0, FakeSandbox.exitOf(left));
        Process running = exec("echo runs; exec sleep 1000");
        assertEquals("runs", running.inputReader().readLine());
        Path link = Path.of("/proc/" + sandbox.pid() + "/ns/pid");
        // The kernel gives the number of a namespace to another as soon as nobody holds it.
        try (var _ = Files.newInputStream(link)) {
            String namespace = Files.readSymbolicLink(link).toString();
            assertEquals(4, in(namespace), "first, cat and two sleeps");
            sandbox.close();
            assertEquals(0, in(namespace));
        }
        FakeSandbox.exitOf(running);
        assertFalse(Files.exists(sandbox.homeHere().getParent()));
    }

    @Test
    void shouldStopAndGoOnAndEndInBetween() throws Exception {
        Process counts = exec("i=0; while :; do echo $i; i=$((i+1)); done");
        BufferedReader lines = counts.inputReader();
        assertEquals("0", lines.readLine());
        sandbox.signal("STOP");
        String state = "ps -o stat= -C bash | grep -c T || true";
        assertEquals("1", said(state));
        sandbox.signal("CONT");
        assertEquals("0", said(state));
        sandbox.signal("STOP");
        sandbox.close();
        FakeSandbox.exitOf(counts);
    }

    @Test
    void shouldBeAsItWasSaved() throws Exception {
        said("echo before >file");
        Path copy = Files.createTempDirectory("brig-saved-").resolve("v1");
        sandbox.saveTo(copy);
        said("echo after >file; touch other");
        sandbox = sandbox.restoredFrom(copy);
        assertEquals("before file", said("echo $(cat file) $(ls)"));
        new ProcessBuilder("rm", "-rf", copy.getParent().toString()).start().waitFor();
    }

    /** Processes that are in that namespace of process numbers. */
    private static long in(String namespace) {
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/pid"))
                                .toString()
                                .equals(namespace);
                    } catch (IOException gone) {
                        return false;
                    }
                })
                .count();
    }

    @Test
    void shouldGiveACommandOnlyTheEnvironmentThatIsAskedFor() throws Exception {
        Process process = sandbox.exec(List.of("/usr/bin/env"), Map.of("ONE", "1"), "/tmp");
        assertTrue(new String(process.getInputStream().readAllBytes(), UTF_8).contains("ONE=1\n"));
        assertEquals(0, FakeSandbox.exitOf(process));
    }
}
