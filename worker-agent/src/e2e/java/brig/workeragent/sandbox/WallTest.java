package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a worker can and cannot do, tried from inside. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource(WallKind.class)
class WallTest {
    private static WallFixture wall;

    private final WallKind kind;

    WallTest(WallKind kind) {
        this.kind = kind;
    }

    @BeforeParameterizedClassInvocation
    static void open(WallKind kind) {
        wall = new WallFixture(new RlimitsOnly(), kind);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        wall.close();
    }

    @Test
    void shouldSeeExactlyTheGivenEnvironment() {
        var request = WallFixture.withEnvironment(
                wall.request(ResourceLimits.DEFAULT, false, "/usr/bin/env"), Map.of("A", "1", "B", "two words"));
        assertEquals(
                new TreeSet<>(List.of("A=1", "B=two words", "PWD=/workspace")),
                new TreeSet<>(wall.run(request).stdout().lines().toList()));
    }

    /** gVisor shows the environment of process 1, which is that of the worker. */
    @ParameterizedTest
    @ValueSource(strings = {"/proc/1/environ", "/proc/1/mem", "/etc/shadow", "/proc/1/fd/6"})
    void shouldBeRefusedWhenReading(String path) {
        var result = wall.run("cat " + path);
        if (isGvisor() && path.endsWith("/environ")) {
            assertEquals(variables(wall.run("cat /proc/self/environ").stdout()), variables(result.stdout()));
            return;
        }
        assertEquals(1, result.exit().code());
        assertEquals("", result.stdout());
        String why = isGvisor() && path.endsWith("/fd/6") ? "Bad file descriptor" : "Permission denied";
        assertTrue(result.stderr().contains(why), result.stderr());
    }

    private static Set<String> variables(String environment) {
        return Set.of(environment.split("\0"));
    }

    private boolean isGvisor() {
        return kind == WallKind.GVISOR;
    }

    @Test
    void shouldNotTakeWordsOfTheWorkerForThoseOfProcessOne() {
        // gVisor lets the worker write to it.
        var result = wall.run("(echo exit 0; echo signal 9; echo posture-failed x) 2>&- > /proc/1/fd/6; exit 3");
        assertEquals(3, result.exit().code());
    }

    @Test
    void shouldHaveOnlyThreeDescriptorsOpen() {
        // The shell expands the pattern itself; the descriptor of that listing is 3 and is gone when it is
        // printed.
        assertEquals(
                "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2",
                wall.run("echo /proc/self/fd/*").stdout().trim().replace(" /proc/self/fd/3", ""));
        assertEquals(
                "no\n",
                wall.run("if (: <&3) 2>/dev/null; then echo yes; else echo no; fi")
                        .stdout());
    }

    @Test
    void shouldBeAnOrdinaryUserInsideAndAMeaninglessOneOutside() throws IOException {
        BubblewrapProcess process =
                wall.launch(wall.request(ResourceLimits.DEFAULT, true, "/bin/sh", "-c", "id -u; id -g; read -r x"));
        assertEquals("1000", WallFixture.line(process.stdout().stream()));
        assertEquals("1000", WallFixture.line(process.stdout().stream()));
        String status = Files.readString(Path.of("/proc/" + process.hostPid() + "/status"));
        int uid = wall.identity.uid();
        assertTrue(status.contains("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid), status);
        assertNotEquals(0, uid);
        assertTrue(status.contains("NoNewPrivs:\t1"), status);
        assertTrue(status.contains("Seccomp:\t2"), status);
        assertTrue(status.contains("CapBnd:\t0000000000000000"), status);
        process.kill();
        WallFixture.await(process.exit());
        process.stdout().stream().close();
        process.stderr().stream().close();
    }

    @Test
    void shouldOpenItsOutputsByName() {
        var result = wall.run("echo out > /dev/stdout; echo err > /dev/stderr");
        assertEquals("out\n", result.stdout());
        assertEquals("err\n", result.stderr());
    }

    @Test
    void shouldNotReachTheHostsLoopback() throws IOException {
        try (var host = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var result = wall.run("bash -c 'echo > /dev/tcp/127.0.0.1/" + host.getLocalPort() + "'");
            assertEquals(1, result.exit().code());
            assertTrue(result.stderr().contains("Connection refused"), result.stderr());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x",
                "/etc/x",
                "/usr/x",
                "/run/x",
                "/home/x",
                "/dev/x",
                "/etc/passwd",
                "/run/brig-init",
                "/proc/sys/kernel/core_pattern",
                "/proc/sys/kernel/hostname",
                "/sys/x",
                "/root/x",
                "/var/x"
            })
    void shouldBeRefusedWhenWriting(String path) {
        var result = wall.run("(echo x > " + path + ") 2>/dev/null || exit 42");
        // What gVisor keeps there is the wall's own memory.
        assertEquals(isGvisor() && path.equals("/dev/x") ? 0 : 42, result.exit().code());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/workspace/w", "/tmp/x", "/home/worker/x", "/dev/shm/x"})
    void shouldBeAllowedWhenWriting(String path) {
        assertEquals("x\n", wall.run("echo x > " + path + " && cat " + path).stdout());
    }

    @Test
    void shouldBeRefusedWhenWorkspaceIsReadOnly() {
        WallProfile usual = wall.profile();
        var readOnly = new WallProfile(
                usual.workspace(),
                true,
                usual.mounts(),
                usual.environment(),
                "worker",
                usual.tmpBytesMax(),
                usual.homeBytesMax(),
                false,
                NetworkPlan.NONE,
                null,
                null,
                kind);
        assertEquals(
                1,
                wall.run(LaunchRequest.of("ro", readOnly, "touch", "/workspace/no"))
                        .exit()
                        .code());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unshare -U true",
                "unshare -m true",
                "mount -t tmpfs x /tmp",
                "chroot / true",
                "setpriv --reuid 0 true",
                "dmesg"
            })
    void shouldBeRefusedWhenTrying(String command) {
        boolean isOfSecondKernel = command.equals("unshare -U true") && kind != WallKind.BWRAP;
        assertEquals(
                isOfSecondKernel || command.equals("dmesg") && isGvisor(),
                wall.run(command).exit().code() == 0);
    }

    @Test
    void shouldSeeNoProcessButItsOwn() {
        assertEquals("/proc/1 /proc/2\n", wall.run("echo /proc/[0-9]*").stdout());
    }

    @Test
    void shouldSeeOnlyLoopback() {
        assertEquals(
                "lo\n",
                wall.run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").stdout());
    }

    @Test
    void shouldStopForkingWhenTheProcessLimitIsReached() {
        // Bounded: 300 short sleeps at most, of which the limit lets through fewer than 64.
        var limits = new ResourceLimits(256L << 20, 64, 100, 64L << 20, 256);
        var result = wall.run(wall.request(
                limits,
                false,
                "/bin/sh",
                "-c",
                "i=0; while [ $i -lt 300 ]; do sleep 1002.25 >/dev/null 2>&1 & i=$((i+1)); echo $i; done"));
        assertTrue(result.stderr().contains("Cannot fork"), result.stderr());
        long forked = result.stdout().lines().count();
        assertTrue(forked > 40 && forked < 64, "forked " + forked);
    }

    @Test
    void shouldEndWithSignalWhenAFileGrowsTooLarge() {
        var limits = new ResourceLimits(256L << 20, 64, 100, 1L << 20, 256);
        var result = wall.run(wall.request(limits, false, "head", "-c", "2000000", "/dev/zero"));
        assertEquals(0, result.exit().code());
        var toFile = wall.run(wall.request(limits, false, "/bin/sh", "-c", "exec head -c 2000000 /dev/zero > big"));
        assertEquals("SIGXFSZ", toFile.exit().signal());
    }
}
