package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderBytesTest {
    private static final long NAME = FolderBytes.NAME_BYTES;
    private static final int LARGE = 1 << 20;

    @TempDir
    Path folder;

    private long bytes() {
        return FolderBytes.of(List.of(folder), Long.MAX_VALUE);
    }

    @Test
    void shouldAddUpFilesOfAllFolders() throws IOException {
        Files.write(folder.resolve("a"), new byte[100]);
        Files.write(Files.createDirectories(folder.resolve("b/c")).resolve("d"), new byte[LARGE]);
        assertEquals(100 + LARGE + 4 * NAME, bytes());
    }

    @Test
    void shouldFollowNoLink(@TempDir Path outside) throws IOException {
        Files.write(outside.resolve("large"), new byte[LARGE]);
        Files.createSymbolicLink(folder.resolve("folder"), outside);
        Files.createSymbolicLink(folder.resolve("file"), outside.resolve("large"));
        Files.createSymbolicLink(folder.resolve("self"), folder);
        assertEquals(3 * NAME, bytes());
    }

    @Test
    void shouldCountAFileOnceWhateverItsNames() throws IOException {
        Files.write(folder.resolve("one"), new byte[LARGE]);
        Files.createLink(folder.resolve("two"), folder.resolve("one"));
        assertEquals(LARGE + 2 * NAME, bytes());
    }

    @Test
    void shouldCountEmptyFilesByTheirNames() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.createFile(folder.resolve("f" + i));
        }
        assertEquals(50 * NAME, bytes());
    }

    @Test
    void shouldStopWhenItHasEnough() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.write(folder.resolve("f" + i), new byte[LARGE]);
        }
        long found = FolderBytes.of(List.of(folder), 3L * LARGE);
        assertTrue(found > 3L * LARGE && found < 5L * LARGE, found + " bytes");
    }

    @Test
    void shouldCountAFolderThatIsGoneByItsName() {
        assertEquals(NAME, FolderBytes.of(List.of(folder.resolve("gone")), Long.MAX_VALUE));
    }
}
