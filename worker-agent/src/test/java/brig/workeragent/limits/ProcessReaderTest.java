package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.limits.ProcessTable.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessReaderTest {
    @TempDir
    private Path proc;

    private ProcessReader reader;

    @BeforeEach
    void setUp() throws IOException {
        reader = new ProcessReader(proc);
        Files.createDirectory(proc.resolve("self"));
        process(1, 0, 0);
        process(10, 1, 0);
        process(11, 10, 0);
        process(20, 1, 0);
        process(21, 20, 0);
    }

    private void process(long pid, long parent, int ticks) throws IOException {
        Path folder = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                pid + " (a) S " + parent + " 1 1 0 -1 0 0 0 0 0 " + ticks + " 0 0 0 20 0 1 0 1 1 1 1 1");
    }

    private List<Long> tree(long root, Set<Long> walls, long nowMs) throws IOException {
        return reader.read(walls, nowMs).tree(root).stream().map(Entry::pid).toList();
    }

    @Test
    void shouldReadProcessesOfWallsAndNewOnesEachTime() throws IOException {
        assertEquals(List.of(10L, 11L), tree(10, Set.of(10L), 0));
        process(11, 10, 7);
        process(12, 11, 0);
        List<Entry> tree = reader.read(Set.of(10L), 250).tree(10);
        assertEquals(List.of(0L, 7L, 0L), tree.stream().map(Entry::ticks).toList());
        process(13, 12, 0);
        assertEquals(List.of(10L, 11L, 12L, 13L), tree(10, Set.of(10L), 500));
    }

    @Test
    void shouldReadStrangersOnceASecond() throws IOException {
        assertEquals(List.of(10L, 11L), tree(10, Set.of(10L), 0));
        process(20, 11, 0);
        assertEquals(List.of(10L, 11L), tree(10, Set.of(10L), ProcessReader.ALL_MS - 1));
        assertEquals(List.of(10L, 11L, 20L, 21L), tree(10, Set.of(10L), ProcessReader.ALL_MS));
    }

    @Test
    void shouldReadAllWhenAWallIsNew() throws IOException {
        assertEquals(List.of(20L, 21L), tree(20, Set.of(10L), 0));
        assertEquals(List.of(), tree(20, Set.of(10L), 1));
        assertEquals(List.of(20L, 21L), tree(20, Set.of(10L, 20L), 2));
    }

    @Test
    void shouldLeaveOutWhatEndedMeanwhile() throws IOException {
        Files.delete(proc.resolve("11/stat"));
        assertEquals(List.of(10L), tree(10, Set.of(10L), 0));
    }
}
