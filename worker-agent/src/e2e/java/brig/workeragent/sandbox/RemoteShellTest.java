package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.tunnel.commands.FarSide;
import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.wall.RemoteShell;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A wall whose shells run their commands on another machine. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteShellTest {
    private static WallFixture wall;
    private static FarSide far;
    private static TunnelCommands tunnel;

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        wall = new WallFixture(new RlimitsOnly());
        far = new FarSide();
        tunnel = far.open(new WorkersUser(wall.identity.uid(), wall.identity.switched()));
        far.write("there.sh", "#!/bin/bash\necho $0 $HOME $1\n");
        Files.setPosixFilePermissions(
                far.project.resolve("there.sh"), java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterAll
    static void close() throws IOException {
        tunnel.close();
        far.close();
        wall.close();
    }

    private static LaunchRequest request(boolean stdin, String... command) {
        RemoteShell remote = far.remoteShell();
        LaunchRequest usual = wall.request(ResourceLimits.DEFAULT, stdin, command);
        WallProfile profile = usual.profile()
                .with(List.of(new WallProfile.Mount(far.project, far.project, true)))
                .withShells(new WallProfile.Shells(remote.place(), Path.of(RemoteShell.LOCAL), remote.directory()));
        return new LaunchRequest(
                usual.workerId(), profile, usual.limits(), usual.command(), usual.stdinPipe(), usual.startTimeoutMs());
    }

    @ParameterizedTest
    @CsvSource({
        "/bin/sh,-c",
        "/bin/bash,-c",
        "/usr/bin/sh,-c",
        "/usr/bin/bash,-c",
        "sh,-c",
        "bash,-lc",
        "/usr/bin/dash,-c"
    })
    void shouldRunCommandsOnTheOtherMachine(String shell, String option) {
        var result = wall.run(request(false, shell, option, "echo $HOME; pwd; echo wrong >&2; exit 4"));
        assertEquals(far.home + "\n" + far.project + "\n", result.stdout());
        assertEquals("wrong\n", result.stderr());
        assertEquals(4, result.exit().code());
    }

    @Test
    void shouldRunAScriptOfTheProjectThereAndOneOfTheWallHere() throws IOException {
        Path script = far.project.resolve("there.sh");
        assertEquals(
                script + " " + far.home + " x\n",
                wall.run(request(false, script.toString(), "x")).stdout());
        // A script of Debian, for a program of the wall.
        var which = wall.run(request(false, "/usr/bin/which", "env"));
        assertEquals("/usr/bin/env\n", which.stdout(), which::stderr);
    }

    @Test
    void shouldKeepTheWallsOwnShell() {
        var result = wall.run(request(false, RemoteShell.LOCAL + "/bash", "-c", "echo $HOME; pwd"));
        assertEquals(WallProfile.HOME + "\n" + far.project + "\n", result.stdout(), result::stderr);
    }

    @Test
    void shouldTakeAScriptFromItsInput() throws Exception {
        BubblewrapProcess process = wall.launch(request(true, "/bin/bash", "-s", "word"));
        OutputStream stdin = process.stdin().stream();
        stdin.write("echo $HOME $1; exit 5\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        stdin.close();
        assertEquals(far.home + " word\n", WallFixture.text(process.stdout().stream()));
        assertEquals(5, WallFixture.await(process.exit()).code());
    }

    /** Scenario: the agent kills its shell, as nobody can forward that signal. */
    @Test
    void shouldEndTheCommandWhenTheShellIsKilled() throws Exception {
        BubblewrapProcess process = wall.launch(
                request(
                        false,
                        RemoteShell.LOCAL + "/bash",
                        "-c",
                        "bash -c 'echo $$ >pid; mv pid mine; sleep 600' & while [ ! -s mine ]; do :; done; kill -9 $!; sleep 60"));
        Path mine = far.project.resolve("mine");
        while (!Files.exists(mine)) Thread.onSpinWait();
        long pid = Long.parseLong(Files.readString(mine).strip());
        while (ProcessHandle.of(pid).isPresent()) Thread.onSpinWait();
        process.kill();
        WallFixture.await(process.exit());
    }

    @Test
    void shouldTakeLessThanTheBoundForACommand() throws Exception {
        for (int i = 0; i < 5; i++) wall.run(request(false, "/bin/true"));
        BubblewrapProcess process = wall.launch(
                request(
                        false,
                        RemoteShell.LOCAL + "/bash",
                        "-c",
                        "for i in 1 2 3 4 5 6 7 8 9 10; do bash -c true; done; echo; for i in 1 2 3 4 5 6 7 8 9 10; do bash -c true; done; echo"));
        InputStream out = process.stdout().stream();
        WallFixture.line(out);
        long start = System.nanoTime();
        WallFixture.line(out);
        long each = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start) / 10;
        System.out.println("a command over a client without ssh: " + each + " us");
        assertTrue(each < 500_000, () -> each + " us");
    }
}
