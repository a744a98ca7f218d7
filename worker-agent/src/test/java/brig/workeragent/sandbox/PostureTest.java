package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.posture.Posture;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What process 1 measures, and that it bites: each property is taken away from a real wall and must be missed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PostureTest {

    private static final List<String> NAMES = List.of("descriptors", "environment-empty", "home-sized",
            "init-sealed", "limits", "no-capabilities", "no-host-sockets", "no-new-privs", "no-terminal",
            "own-cgroup", "own-ipc", "own-mounts", "own-network", "own-pid-namespace", "own-user-namespace",
            "own-uts", "proc-sys-read-only", "root-read-only", "seccomp-filter", "shm-sized", "tmp-sized",
            "uid-not-root", "workspace");

    private static Posture measure(WallFixture wall, LaunchRequest request) throws IOException {
        WalledProcess process = wall.launch(request);
        WallFixture.await(process.exit());
        process.stdout().close();
        process.stderr().close();
        return process.posture();
    }

    private static List<String> failed(Posture posture) {
        return posture.properties().stream().filter(property -> !property.holds()).map(Object::toString).toList();
    }

    @Test
    void shouldConfirmEveryPropertyWhenTheWallIsWhole() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            Posture posture = measure(wall, wall.shell("true"));
            assertEquals(List.of(), failed(posture));
            assertEquals(NAMES, List.copyOf(new TreeSet<>(
                    posture.properties().stream().map(Posture.Property::name).toList())));
            assertEquals("rlimits", posture.limitsLevel());
        }
    }

    @Test
    void shouldConfirmWhatAnotherProfileDeclares() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            WallProfile usual = wall.profile();
            var profile = new WallProfile(usual.workspace(), true, List.of(), usual.environment(), "other",
                    1 << 20, 1 << 21, true);
            Posture posture = measure(wall, LaunchRequest.of("other", profile, "true"));
            assertEquals(List.of(), failed(posture));
            assertTrue(posture.properties().contains(new Posture.Property("workspace", true, "mounted read-only")));
        }
    }

    /**
     * Starts bubblewrap with options that were tampered with.
     *
     * @param edit    of {@code sed -z}, one option per line, for what the worker-agent asked for
     * @param further options that come after these
     * @param shell   what happens to the descriptors before; {@code %} stands for nothing
     */
    private static Path tampered(Path folder, String edit, String further, String shell) throws IOException {
        Path script = Files.writeString(folder.resolve("tampered"), """
                #!/bin/bash
                exec 7< <(/usr/bin/sed -z '%s' <&7)
                %s
                shift 2
                exec /usr/bin/bwrap --args 7 %s "$@"
                """.formatted(edit.equals("%") ? "" : edit, shell.equals("%") ? "" : shell,
                further.equals("%") ? "" : further));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "no-capabilities|%|--cap-add CAP_NET_ADMIN|%",
        "seccomp-filter|%|%|exec 8<&-; set -- \"${@:1:4}\" \"${@:7}\"",
        "own-network|%|--share-net|%",
        "own-ipc|s/^--unshare-all$/--unshare-pid\\x00--unshare-net\\x00--unshare-uts\\x00--unshare-cgroup/|%|%",
        "own-cgroup|s/^--unshare-all$/--unshare-pid\\x00--unshare-net\\x00--unshare-uts\\x00--unshare-ipc/|%|%",
        "own-uts|s/^--unshare-all$/--unshare-pid\\x00--unshare-net\\x00--unshare-ipc\\x00--unshare-cgroup/;/^--hostname$/{N;d}|%|%",
        "root-read-only|%|--tmpfs /etc|%",
        "root-read-only|/^--remount-ro$/{N;d}|%|%",
        "root-read-only|%|--bind /var/tmp /home|%",
        "root-read-only|%|--ro-bind /usr/share /usr/share --tmpfs /usr/share|%",
        "proc-sys-read-only|s:^--ro-bind$:--bind:|%|%",
        "workspace|%|--tmpfs /workspace --remount-ro /workspace|%",
        "tmp-sized|%|--tmpfs /tmp|%",
        "home-sized|%|--size 1073741824 --tmpfs /home/worker|%",
        "shm-sized|%|--tmpfs /dev/shm|%",
        "environment-empty|%|--setenv LEAKED x|%",
        "descriptors|%|%|exec 20</etc/passwd",
    })
    void shouldRefuseThePayloadWhenAPropertyIsMissing(String property, String edit, String further, String shell)
            throws IOException {
        Path folder = Files.createTempDirectory("brig-tampered");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path script = tampered(folder, edit, further, shell);
        try (var wall = new WallFixture(new RlimitsOnly(), script)) {
            SandboxException failure = wall.failure(wall.shell("touch /workspace/ran; sleep 1000.125"));
            assertEquals(Code.POSTURE_NOT_ENFORCED, failure.code(), failure.getMessage());
            assertTrue(failure.getMessage().contains(property + " ("), failure.getMessage());
            assertFalse(Files.exists(wall.workspace.resolve("ran")));
            assertEquals(List.of(), WallFixture.processesWith("1000.125"));
        } finally {
            Files.delete(script);
            Files.delete(folder);
        }
    }

    @Test
    void shouldNotMindAWritableMountThatAnotherCovers() throws IOException {
        // Scenario: below /proc/sys of a host with systemd there are two mounts on one place.
        Path folder = Files.createTempDirectory("brig-tampered");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path script = tampered(folder, "%", "--tmpfs /usr/share --ro-bind /usr/share /usr/share", "%");
        try (var wall = new WallFixture(new RlimitsOnly(), script)) {
            assertEquals(0, wall.run("true").exit().code());
        } finally {
            Files.delete(script);
            Files.delete(folder);
        }
    }

    @Test
    void shouldRefuseThePayloadWhenASocketOfTheHostIsThere() throws IOException {
        Path folder = Files.createTempDirectory("brig-tampered");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path socket = folder.resolve("host.sock");
        Path script = tampered(folder, "s:^--proc$:--ro-bind\\x00" + socket + "\\x00/run/host.sock\\x00--proc:", "%", "%");
        try (var host = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                var wall = new WallFixture(new RlimitsOnly(), script)) {
            host.bind(UnixDomainSocketAddress.of(socket));
            String message = wall.failure(wall.shell("true")).getMessage();
            assertTrue(message.endsWith(": no-host-sockets (/run/host.sock is a socket)"), message);
        } finally {
            Files.delete(socket);
            Files.delete(script);
            Files.delete(folder);
        }
    }

    @Test
    void shouldRefuseThePayloadWhenTheWallStandsOnRootOfTheHost() throws Exception {
        assumeTrue(WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID).switched(), "needs root");
        Path folder = Files.createTempDirectory("brig-root");
        var config = new LauncherConfig(LauncherConfig.BWRAP, WallFixture.nativeFolder(), folder,
                new WorkerIdentity(0, 0, false), new RlimitsOnly());
        try (var launcher = Launcher.open(config)) {
            var request = LaunchRequest.of("root", WallProfile.of(folder), "true");
            String message = WallFixture.failure(launcher.launch(request)).getMessage();
            assertTrue(message.endsWith(": uid-not-root (uid 1000 inside is root of the host)"), message);
        }
        WallFixture.delete(folder);
    }

    @Test
    void shouldNotBeConfirmedWhenLessWasMeasuredThanDeclared() {
        var measurement = new PostureMeasurement(List.of("limits", "workspace=rw"), "rlimits");
        measurement.handleFinding("limits", "ok core=0");
        assertFalse(measurement.isConfirmed());
        assertTrue(measurement.failure().getMessage().contains("workspace (not measured)"));
        measurement.handleFinding("workspace", "ok writable");
        assertTrue(measurement.isConfirmed());
    }

    @Test
    void shouldNotBeConfirmedWhenOnePropertyDoesNotHold() {
        var measurement = new PostureMeasurement(List.of("own-ipc=1"), "rlimits");
        measurement.handleFinding("own-ipc", "bad ipc:[1], which is the host's");
        assertFalse(measurement.isConfirmed());
        assertEquals("the wall does not enforce what it declares: own-ipc (ipc:[1], which is the host's)",
                measurement.failure().getMessage());
    }
}
