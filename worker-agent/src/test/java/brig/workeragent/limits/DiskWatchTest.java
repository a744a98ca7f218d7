package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The looks are made by the test, so nothing depends on time. */
class DiskWatchTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final List<String> ended = new ArrayList<>();
    private boolean mounted;

    /** A file system of its own, which only root can make. */
    private void mount(int bytes) throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", folder.toString()), "needs a mount");
        mounted = true;
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            assertTrue(run("umount", folder.toString()));
        }
    }

    private DiskWatch.Session session(DiskWatch watch, String name, long bytesMax) throws IOException {
        DiskWatch.Session session = watch.session(List.of(Files.createDirectories(folder.resolve(name))), bytesMax);
        session.begin();
        session.handleRunning(() -> ended.add(name));
        return session;
    }

    private void write(String name, String file, int mib) throws IOException {
        Files.write(folder.resolve(name).resolve(file), new byte[mib * MIB]);
    }

    @Test
    void shouldEndTheSessionThatGrowsTooMuchAndNoOther() throws Exception {
        try (DiskWatch watch = new DiskWatch(0)) {
            mount(200 * MIB);
            Files.createDirectory(folder.resolve("hog"));
            write("hog", "before", 20);
            DiskWatch.Session hog = session(watch, "hog", 8 * MIB);
            DiskWatch.Session other = session(watch, "other", 8 * MIB);
            watch.look();
            assertEquals(List.of(), ended);
            write("hog", "after", 9);
            watch.look();
            assertEquals(List.of("hog"), ended);
            String why = hog.full();
            assertNotNull(why);
            assertTrue(why.contains("8388608 bytes") && why.contains("diskBytesMax"), why);
            assertNull(other.full());
        }
    }

    @Test
    void shouldEndTheSessionThatFillsTheDiskBeforeTheFirstLook() throws Exception {
        try (DiskWatch watch = new DiskWatch(1L << 30)) {
            mount(100 * MIB);
            DiskWatch.Session hog = session(watch, "hog", 0);
            session(watch, "other", 0);
            write("hog", "f", 99);
            watch.look();
            assertEquals(List.of("hog"), ended);
            assertNotNull(hog.full());
        }
    }

    @Test
    void shouldEndTheSessionThatGrewMostWhenTheFileSystemIsNearlyFull() throws Exception {
        try (DiskWatch watch = new DiskWatch(1L << 30)) {
            mount(200 * MIB);
            DiskWatch.Session hog = session(watch, "hog", 0);
            DiskWatch.Session other = session(watch, "other", 0);
            session(watch, "small", 0);
            watch.look();
            write("other", "f", 70);
            write("small", "f", 5);
            watch.look();
            assertEquals(List.of(), ended, "there is enough");
            write("hog", "f", 110);
            watch.look();
            watch.look();
            assertEquals(List.of("hog"), ended);
            assertTrue(String.valueOf(hog.full()).contains("diskReserveBytes"), hog.full());
            hog.close();
            watch.look();
            write("small", "g", 2);
            watch.look();
            assertEquals(List.of("hog"), ended, "the disk is hardly fuller");
            assertNull(other.full());
        }
    }
}
