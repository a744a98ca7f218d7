package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.spawn.WallKind;
import brig.workeragent.TestFolders;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.sandbox.MachineImage.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Virtual machines as walls: none is anybody's second one, and nothing is left of them. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class VirtualMachineTest {
    private static final Path KERNEL = Path.of(System.getProperty("brig.vm", "/none"));
    private static WallFixture wall;

    @BeforeAll
    static void open() {
        wall = new WallFixture(new RlimitsOnly(), WallKind.VM);
    }

    @AfterAll
    static void close() {
        if (wall != null) wall.close();
    }

    @Test
    void shouldShareNothingWithTheMachineBefore() throws IOException {
        String look =
                "ls -A /tmp /home/worker /dev/shm; head -c 16 /dev/urandom | od -An -tx1; cat /proc/sys/kernel/random/uuid;"
                        + " date +%s; echo planted > /tmp/planted; echo planted > /home/worker/planted; echo planted > /dev/shm/planted;"
                        + " head -c 50000000 /dev/zero | tr '\\0' 'x' > /tmp/much";
        List<String> first = wall.run(look).stdout().lines().toList();
        List<String> second = wall.run(look).stdout().lines().toList();
        long now = System.currentTimeMillis() / 1000;
        assertEquals(first.size(), second.size(), second::toString);
        assertFalse(second.toString().contains("planted"), second::toString);
        int last = first.size() - 1;
        assertNotEquals(first.get(last - 2), second.get(last - 2), "random numbers");
        assertNotEquals(first.get(last - 1), second.get(last - 1), "random names");
        long clock = Long.parseLong(second.get(last));
        assertTrue(clock <= now && clock > now - 60, () -> clock + " is not " + now);
    }

    @Test
    void shouldEndAndLeaveNothingWhenQemuIsKilled() throws IOException {
        BubblewrapProcess process = wall.launch(
                wall.request(ResourceLimits.DEFAULT, false, "/bin/sh", "-c", "echo up; exec sleep 1004.25"));
        assertEquals("up", WallFixture.line(process.stdout().stream()));
        List<ProcessHandle> machines = machinesOf(process);
        assertFalse(machines.isEmpty());
        machines.forEach(ProcessHandle::destroyForcibly);
        assertNotEquals(0, WallFixture.await(process.exit()).code());
        process.stdout().stream().close();
        process.stderr().stream().close();
        for (ProcessHandle machine : machines) machine.onExit().join();
    }

    /** Of this wall alone: other tests have machines at the same time. */
    private static List<ProcessHandle> machinesOf(BubblewrapProcess process) {
        return ProcessHandle.of(process.hostPid()).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(each -> each.info().command().orElse("").endsWith("qemu-system-x86_64"))
                .toList();
    }

    /** The worker's limit, not that of the machine. */
    @Test
    void shouldEndWhatTakesTooMuchMemory() {
        var limits = new ResourceLimits(128L << 20, 64, 100, 1L << 30, 256);
        var result = wall.run(
                wall.request(limits, false, "/bin/sh", "-c", "python3 -c 'x = bytearray(400 << 20)'; echo ended $?"));
        assertEquals("ended 137\n", result.stdout(), result::stderr);
    }

    @Test
    void shouldPassMuchBothWays() throws IOException {
        BubblewrapProcess process = wall.launch(wall.request(ResourceLimits.DEFAULT, true, "/usr/bin/sha256sum"));
        Thread.ofVirtual().start(() -> {
            try {
                byte[] bytes = new byte[1 << 20];
                for (int i = 0; i < 20; i++) process.stdin().stream().write(bytes);
                process.stdin().close();
            } catch (IOException ended) {
                // The assertion below tells.
            }
        });
        String said = WallFixture.text(process.stdout().stream());
        assertEquals(0, WallFixture.await(process.exit()).code());
        assertEquals("cd52d81e25f372e6fa4db2c0dfceb59862c1969cab17096da352b34950c973cc  -\n", said);
        process.stderr().stream().close();
    }

    @Test
    void shouldMakeAnImageAgainWhenItsPartsChange() throws Exception {
        Path folder = TestFolders.create("brig-vm");
        for (String part : List.of("vmlinux", "initrd")) Files.copy(KERNEL.resolve(part), folder.resolve(part));
        MachineImage of = new MachineImage(new Settings(MachineImage.QEMU, folder, WallFixture.nativeFolder(), 256, 1));
        MachineImage.Image first = of.require();
        assertEquals(first, of.require());
        Files.setLastModifiedTime(folder.resolve("initrd"), FileTime.fromMillis(1));
        MachineImage.Image second = of.require();
        assertNotEquals(first.folder(), second.folder());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(3, left.count(), "the old image is removed, and nothing unfinished is left");
        }
    }

    @Test
    void shouldSayWhatIsMissing() throws IOException {
        Path folder = TestFolders.create("brig-vm");
        assertTrue(refusal(Path.of("/none/qemu"), KERNEL).contains("apt-get install qemu-system-x86"));
        assertTrue(refusal(MachineImage.QEMU, folder).contains("brig vm image"));
        for (String part : List.of("vmlinux", "initrd")) Files.writeString(folder.resolve(part), "no kernel");
        String refusal = refusal(MachineImage.QEMU, folder);
        assertTrue(refusal.contains("does not boot"), refusal);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(2, left.count(), "nothing unfinished is left");
        }
    }

    private static String refusal(Path qemu, Path kernel) {
        MachineImage image = new MachineImage(new Settings(qemu, kernel, WallFixture.nativeFolder(), 256, 1));
        SandboxException refusal = assertThrows(SandboxException.class, image::require);
        assertEquals(SandboxException.Code.WALL_UNAVAILABLE, refusal.code());
        return String.valueOf(refusal.getMessage());
    }
}
