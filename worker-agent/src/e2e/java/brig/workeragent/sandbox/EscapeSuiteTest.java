package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.spawn.WallKind;
import brig.workeragent.TestFolders;
import brig.workeragent.limits.RlimitsOnly;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Attempts to get out, from {@code src/e2e/c}: none may succeed behind a wall, whoever builds it; without one most do,
 * which shows that they are real.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EscapeSuiteTest {

    private static final int ATTEMPTS_MIN = 160;
    /** What succeeds for root on any host; more does on most. */
    private static final Set<String> SUCCEED_UNWALLED = Set.of(
            "read-etc-shadow",
            "read-other-workspace",
            "read-host-shared-memory",
            "write-root",
            "write-usr",
            "open-passwd-for-writing",
            "sysctl-core-pattern",
            "sysctl-any-writable",
            "hard-link-of-system-file",
            "set-user-id-file",
            "symlink-out-of-workspace",
            "ptrace-init",
            "open-memory-of-init",
            "pidfd-getfd",
            "signal-host-process",
            "environment-of-others",
            "arguments-of-launcher",
            "inherited-descriptor",
            "setuid-root",
            "new-privileges",
            "allow-core-dump",
            "personality",
            "chroot",
            "mount-tmpfs",
            "unshare-mounts",
            "setns-network",
            "name-to-handle-at",
            "host-socket",
            "host-abstract-socket",
            "host-loopback",
            "packet-socket",
            "raw-socket",
            "change-interface",
            "udp-host-loopback",
            "ipv4-in-ipv6",
            "route-removed",
            "route-added",
            "address-added",
            "interface-down",
            "rule-added",
            "transparent-socket",
            "marked-socket",
            "low-ports",
            "forwarding",
            "reboot",
            "adjtimex");

    /**
     * What gVisor answers itself, out of its own state: its log, its namespaces, files of its own, priorities that it does not pass
     * on. None of it is the host's.
     */
    private static final Set<String> OF_GVISOR = Set.of(
            "sysctl-any-writable",
            "sysrq-trigger",
            "kernel-log",
            "foreign-abi",
            "clone-user",
            "clone3-user",
            "unshare-user",
            "unshare-time",
            "unshare-cgroup",
            "ptrace-traceme",
            "environment-of-others",
            "open-environment-of-init",
            "list-descriptors-of-init",
            "open-maps-of-init",
            "dev-fuse",
            "write-dev",
            "open-by-handle-at",
            "spare-from-oom-killer",
            "raise-priority",
            "marked-socket",
            "transparent-socket");

    /** What the kernel of a virtual machine allows, which is nobody's but the worker's. */
    private static final Set<String> OF_MACHINE = Set.of(
            "keyctl",
            "add-key",
            "request-key",
            "quotactl",
            "personality",
            "io-uring",
            "clone-user",
            "clone3-user",
            "unshare-user",
            "sysctl-any-writable",
            "ptrace-traceme");

    private static final int ORDINARY_UID = 59_618;

    private static HostBait bait;

    @BeforeAll
    static void putUp() throws IOException {
        bait = new HostBait();
    }

    @AfterAll
    static void takeDown() throws IOException {
        bait.close();
    }

    private static boolean isRoot() throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static Path copy(Path program, Path target) throws IOException {
        Files.copy(program, target);
        return Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("r-xr-xr-x"));
    }

    /** Lines of an outcome: {@code NAME escaped|held DETAIL}. */
    private static Set<String> escaped(String where, List<String> lines) {
        assertTrue(lines.size() >= ATTEMPTS_MIN, lines::toString);
        Set<String> escaped = lines.stream()
                .filter(line -> line.split(" ", 3)[1].equals("escaped"))
                .collect(Collectors.toSet());
        System.out.println(
                "escape suite, " + where + ": " + escaped.size() + " escapes of " + lines.size() + " attempts");
        return escaped;
    }

    private static void assertNothingEscapes(String where, WallFixture wall) throws IOException {
        copy(HostBait.ESCAPE, wall.workspace.resolve("escape"));
        List<String> command = new ArrayList<>(bait.attempts("/workspace/escape", true));
        assertNothingEscapes(where, wall, NetworkPlan.NONE, command);
        command.add("egress=yes");
        assertNothingEscapes(where + ", with egress", wall, WalledNetworkTest.PLAN, command);
        wall.run("/workspace/escape stay 1003.25");
        assertEquals(List.of(), WallFixture.processesWith("1003.25"));
    }

    private static void assertNothingEscapes(String where, WallFixture wall, NetworkPlan network, List<String> command)
            throws IOException {
        BubblewrapProcess process =
                wall.launch(WalledNetworkTest.withNetwork(wall, network, false, command.toArray(String[]::new)));
        var stderr = CompletableFuture.supplyAsync(() -> WallFixture.text(process.stderr().stream()));
        List<String> lines = WallFixture.text(process.stdout().stream()).lines().toList();
        assertEquals(0, WallFixture.await(process.exit()).code(), WallFixture.await(stderr));
        process.network().close();
        Set<String> escaped = escaped(where, lines);
        Set<String> own = switch (wall.profile().kind()) {
            case BWRAP -> Set.of();
            case GVISOR -> OF_GVISOR;
            case VM -> OF_MACHINE;
        };
        escaped.removeIf(line -> own.contains(line.split(" ", 2)[0]));
        assertEquals(Set.of(), escaped);
    }

    @ParameterizedTest
    @EnumSource(WallKind.class)
    void shouldHoldAllWhenTheWallIsBuiltByRoot(WallKind kind) throws IOException {
        assumeTrue(isRoot(), "needs root");
        try (var wall = new WallFixture(new RlimitsOnly(), kind)) {
            assertNothingEscapes(kind + " wall built by root", wall);
        }
    }

    @ParameterizedTest
    @EnumSource(WallKind.class)
    void shouldHoldAllWhenTheWallIsBuiltByAnOrdinaryUser(WallKind kind) throws IOException {
        if (!isRoot()) {
            try (var wall = new WallFixture(new RlimitsOnly(), kind)) {
                assertNothingEscapes(kind + " wall built by this user", wall);
            }
            return;
        }
        Path programs = TestFolders.create("brig-user");
        Files.setPosixFilePermissions(programs, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<Path> made = new ArrayList<>();
        for (String program : WallTemplate.PROGRAMS) {
            made.add(copy(WallFixture.nativeFolder().resolve(program), programs.resolve(program)));
        }
        Path real = copy(WallFixture.nativeFolder().resolve("brig-launcher"), programs.resolve("real-launcher"));
        made.add(real);
        // The worker-agent starts this as its launcher; all that it starts is the user's.
        Path launcher =
                Files.writeString(programs.resolve("brig-launcher"), """
                #!/bin/sh
                exec /usr/bin/setpriv --reuid=%d --regid=%d --clear-groups %s "$@"
                """.formatted(ORDINARY_UID, ORDINARY_UID, real));
        made.add(Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x")));
        var user = new WorkerIdentity(ORDINARY_UID, ORDINARY_UID, false);
        try (var wall = new WallFixture(new RlimitsOnly(), LauncherConfig.BWRAP, programs, user, kind)) {
            assertNothingEscapes(kind + " wall built by an ordinary user", wall);
        } finally {
            for (Path path : made) Files.delete(path);
            Files.delete(programs);
        }
    }

    @Test
    void shouldEscapeWhenThereIsNoWall() throws Exception {
        assumeTrue(isRoot(), "needs root");
        // On the file system of the host's programs, which it tries to link.
        Path folder = Files.createTempDirectory(Path.of("/var/tmp"), "brig-unwalled");
        var command = new ArrayList<>(List.of("/bin/bash", "-c", "exec 9</etc/shadow; exec \"$0\" \"$@\""));
        command.addAll(bait.attempts(HostBait.ESCAPE.toString(), false));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertEquals(0, process.waitFor());
        Files.delete(folder);
        Set<String> names = escaped("no wall", lines).stream()
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toSet());
        assertEquals(
                Set.of(),
                SUCCEED_UNWALLED.stream().filter(name -> !names.contains(name)).collect(Collectors.toSet()),
                lines::toString);
    }

    @Test
    void shouldLeaveAProcessBehindWhenThereIsNoWall() throws Exception {
        assertEquals(
                0,
                new ProcessBuilder(HostBait.ESCAPE.toString(), "stay", "1003.5")
                        .start()
                        .waitFor());
        List<ProcessHandle> left = WallFixture.processesWith("1003.5");
        left.forEach(ProcessHandle::destroyForcibly);
        assertEquals(1, left.size());
    }
}
