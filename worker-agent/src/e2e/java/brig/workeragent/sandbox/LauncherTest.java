package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How workers start, talk and end, on a real bwrap. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LauncherTest {

    private static WallFixture wall;

    @BeforeAll
    static void open() {
        wall = new WallFixture(new RlimitsOnly());
    }

    @AfterAll
    static void close() {
        wall.close();
    }

    @Test
    void shouldTellExitCodeAndBothOutputsWhenPayloadEnds() {
        var result = wall.run("echo out; echo err >&2; exit 3");
        assertEquals(new WallFixture.Result(new ProcessExit(3, null, false), "out\n", "err\n"), result);
    }

    @Test
    void shouldTellSignalWhenPayloadKillsItself() {
        assertEquals(
                new ProcessExit(137, "SIGKILL", false), wall.run("kill -9 $$").exit());
    }

    @Test
    void shouldReachPayloadWhenTerminated() throws IOException {
        BubblewrapProcess process =
                wall.launch(wall.shell("trap 'echo trapped; exit 7' TERM; echo set; sleep 1000 & wait; echo waited"));
        assertEquals("set", WallFixture.line(process.stdout().stream()));
        process.terminate();
        assertEquals("trapped", WallFixture.line(process.stdout().stream()));
        assertEquals(7, WallFixture.await(process.exit()).code());
        process.stdout().stream().close();
        process.stderr().stream().close();
    }

    @Test
    void shouldLeaveNoProcessWhenKilledThoughPayloadLeftItsSession() {
        BubblewrapProcess process =
                wall.launch(wall.shell("setsid sleep 1000.25 & setsid sleep 1000.25 & echo up; wait"));
        assertEquals("up", WallFixture.line(process.stdout().stream()));
        process.kill();
        assertEquals(new ProcessExit(137, "SIGKILL", false), WallFixture.await(process.exit()));
        assertEquals(List.of(), WallFixture.processesWith("1000.25"));
        assertEquals("", WallFixture.text(process.stderr().stream()));
    }

    @Test
    void shouldLeaveNoProcessWhenPayloadEndsBeforeItsChildren() {
        assertEquals(
                0,
                wall.run("setsid sleep 1000.5 >/dev/null 2>&1 & exit 0").exit().code());
        assertEquals(List.of(), WallFixture.processesWith("1000.5"));
    }

    @Test
    void shouldEndOutputWhenPayloadClosesItButGoesOn() {
        BubblewrapProcess process = wall.launch(
                wall.request(ResourceLimits.DEFAULT, true, "/bin/sh", "-c", "echo last; exec >&- 2>&-; read -r x"));
        assertEquals("last\n", WallFixture.text(process.stdout().stream()));
        assertFalse(process.exit().isDone());
        process.kill();
        WallFixture.await(process.exit());
    }

    @Test
    void shouldRoundTripWhenStdinIsAPipe() throws IOException {
        BubblewrapProcess process = wall.launch(wall.request(ResourceLimits.DEFAULT, true, "cat"));
        var stdin = process.stdin().stream();
        assertNotNull(stdin);
        stdin.write("ping\n".getBytes(StandardCharsets.UTF_8));
        assertEquals("ping", WallFixture.line(process.stdout().stream()));
        stdin.close();
        assertEquals("", WallFixture.text(process.stdout().stream()));
        assertEquals(0, WallFixture.await(process.exit()).code());
    }

    @Test
    void shouldFindEmptyStdinWhenNoPipeWasAskedFor() {
        BubblewrapProcess process = wall.launch(wall.request(ResourceLimits.DEFAULT, false, "cat"));
        assertNull(process.stdin());
        assertEquals(0, WallFixture.await(process.exit()).code());
    }

    @Test
    void shouldBlockPayloadAndLoseNothingWhenReaderIsSlow() throws IOException {
        // Scenario: 4 MiB do not fit a pipe. The payload writes a file after each MiB; while nobody reads, it
        // must stand before the first. Then everything is read, and all of it is there.
        Path mark = wall.workspace.resolve("mark");
        BubblewrapProcess process = wall.launch(
                wall.shell("echo up >&2; for i in 1 2 3 4; do head -c 1048576 /dev/zero; echo x >> mark; done"));
        assertEquals("up", WallFixture.line(process.stderr().stream()));
        assertThrows(TimeoutException.class, () -> process.exit().get(200, TimeUnit.MILLISECONDS));
        assertFalse(Files.exists(mark));
        assertEquals(4 * 1048576, process.stdout().stream().readAllBytes().length);
        assertEquals(0, WallFixture.await(process.exit()).code());
        assertEquals("x\nx\nx\nx\n", Files.readString(mark));
        process.stdout().stream().close();
        process.stderr().stream().close();
    }

    @Test
    void shouldKeepOutputReadableWhenWallIsLongGone() {
        BubblewrapProcess process = wall.launch(wall.shell("echo kept"));
        WallFixture.await(process.exit());
        assertEquals("kept\n", WallFixture.text(process.stdout().stream()));
    }

    @Test
    void shouldSayCommandNotFoundWhenThereIsNone() {
        var failure = wall.failure(wall.request(ResourceLimits.DEFAULT, false, "no-such-agent"));
        assertEquals(Code.COMMAND_NOT_FOUND, failure.code());
        assertEquals(0, failure.getStackTrace().length);
    }

    @Test
    void shouldSayNotExecutableWhenCommandIsAFolder() {
        var failure = wall.failure(wall.request(ResourceLimits.DEFAULT, false, "/usr"));
        assertEquals(Code.COMMAND_NOT_EXECUTABLE, failure.code());
    }

    @Test
    void shouldNameTheMendWhenBubblewrapIsMissing() {
        try (var without = new WallFixture(new RlimitsOnly(), Path.of("/usr/bin/no-such-bwrap"))) {
            var failure = without.failure(without.shell("true"));
            assertEquals(Code.SANDBOX_UNAVAILABLE, failure.code());
            assertTrue(failure.getMessage().contains("sudo apt-get install bubblewrap"), failure.getMessage());
        }
    }

    @Test
    void shouldRepeatWhatBubblewrapSaysWhenItGivesUp() {
        LaunchRequest request = LaunchRequest.of("gone", WallProfile.of(Path.of("/no/such/workspace")), "true");
        var failure = wall.failure(request);
        assertEquals(Code.SANDBOX_UNAVAILABLE, failure.code());
        assertTrue(failure.getMessage().contains("Can't find source path /no/such/workspace"), failure.getMessage());
    }

    @Test
    void shouldSayTooLargeWhenRequestExceedsTheLauncher() {
        String[] words = new String[40];
        Arrays.fill(words, "x".repeat(10_000));
        words[0] = "true";
        assertEquals(
                Code.REQUEST_TOO_LARGE,
                wall.failure(wall.request(ResourceLimits.DEFAULT, false, words)).code());
        assertEquals("fine\n", wall.run("echo fine").stdout());
    }

    @Test
    void shouldTearDownWhenWallDoesNotStandInTime() throws IOException {
        // Scenario: a bwrap that hangs. The deadline kills it, and the launch fails.
        Path hanging = Files.writeString(wall.root.resolve("hanging"), "#!/bin/sh\nexec sleep 1000.75\n");
        Files.setPosixFilePermissions(hanging, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (var slow = new WallFixture(new RlimitsOnly(), hanging)) {
            var request =
                    new LaunchRequest("slow", slow.profile(), ResourceLimits.DEFAULT, List.of("true"), false, 100);
            assertEquals(Code.START_TIMEOUT, slow.failure(request).code());
            assertEquals(List.of(), WallFixture.processesWith("1000.75"));
        }
    }

    @Test
    void shouldEndAllWallsAndRecoverWhenLauncherIsKilled() throws Exception {
        try (var own = new WallFixture(new RlimitsOnly())) {
            BubblewrapProcess process = own.launch(own.shell("setsid sleep 1001.25 & echo up; wait"));
            assertEquals("up", WallFixture.line(process.stdout().stream()));
            ProcessHandle init = ProcessHandle.of(process.hostPid()).orElseThrow();
            long before = own.launcher.launcherPid().orElseThrow();
            ProcessHandle.of(before).orElseThrow().destroyForcibly();
            assertEquals(Code.LAUNCHER_DIED, WallFixture.failure(process.exit()).code());
            init.onExit().get(10, TimeUnit.SECONDS);
            // The payload's output ends only when nothing in the wall holds it.
            assertEquals("", WallFixture.text(process.stdout().stream()));
            assertEquals(List.of(), WallFixture.processesWith("1001.25"));
            assertEquals("again\n", own.run("echo again").stdout());
            assertNotEquals(before, own.launcher.launcherPid().orElseThrow());
        }
    }

    @Test
    void shouldBuildTheWallWithAProcessThatWasPreparedBefore() throws IOException {
        try (var own = new WallFixture(new RlimitsOnly())) {
            own.run("true");
            Set<Long> prepared = awaitSpares(own);
            BubblewrapProcess process = own.launch(own.shell("echo up; sleep 1000"));
            long bwrap = ProcessHandle.of(process.hostPid())
                    .orElseThrow()
                    .parent()
                    .orElseThrow()
                    .pid();
            assertTrue(prepared.contains(bwrap), bwrap + " is none of " + prepared);
            process.kill();
            WallFixture.await(process.exit());
            process.stdout().stream().close();
            process.stderr().stream().close();
        }
    }

    @Test
    @Tag("slow")
    void shouldLaunchAllTheSameWhenWhatWasPreparedIsGone() {
        try (var own = new WallFixture(new RlimitsOnly())) {
            own.run("true");
            // The launcher's word of their end and the next launch may cross.
            for (int round = 0; round < 20; round++) {
                for (long pid : awaitSpares(own)) {
                    ProcessHandle spare = ProcessHandle.of(pid).orElseThrow();
                    spare.destroyForcibly();
                    spare.onExit().join();
                }
                assertEquals("up\n", own.run("echo up").stdout());
            }
        }
    }

    /** The children of a launcher that has no wall at present. */
    private static Set<Long> awaitSpares(WallFixture own) {
        ProcessHandle launcher =
                ProcessHandle.of(own.launcher.launcherPid().orElseThrow()).orElseThrow();
        while (launcher.children().count() < Launcher.SPARES) {
            LockSupport.parkNanos(2_000_000);
        }
        return launcher.children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }

    @Test
    void shouldEndWallsWhenClosed() throws InterruptedException, ExecutionException, TimeoutException {
        BubblewrapProcess process;
        try (var own = new WallFixture(new RlimitsOnly())) {
            process = own.launch(own.shell("echo up; sleep 1001.5"));
            assertEquals("up", WallFixture.line(process.stdout().stream()));
        }
        assertEquals(Code.LAUNCHER_DIED, WallFixture.failure(process.exit()).code());
        assertEquals("", WallFixture.text(process.stdout().stream()));
        assertEquals(List.of(), WallFixture.processesWith("1001.5"));
    }
}
