package brig.protocol.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    private static final byte[] NEW = {'n', 'e', 'w'};

    @TempDir
    Path folder;

    private static String modeOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldBeItsOwnersAloneAlsoWhereOneForAllWasThereBefore() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "earlier");
        Files.writeString(folder.resolve(".file.new"), "of a writer that died");
        for (Path one : new Path[] {file, folder.resolve(".file.new")}) {
            Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rw-r--r--"));
        }
        WholeFile.write(file, NEW);
        assertEquals("new", Files.readString(file));
        assertEquals("rw-------", modeOf(file));
        assertEquals(List.of("file"), names());
    }

    @Test
    void shouldHaveTheModeThatIsAskedFor() throws IOException {
        Path file = folder.resolve("file");
        WholeFile.write(file, NEW, "rw-r--r--");
        assertEquals("rw-r--r--", modeOf(file));
    }

    @Test
    void shouldStayAsItWasWhereItCannotBeWritten() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "earlier");
        assertThrows(
                IOException.class,
                () -> WholeFile.write(file, fresh -> {
                    assertEquals("rw-------", modeOf(fresh), "nobody else reads what is not whole");
                    Files.writeString(fresh, "ne");
                    throw new IOException("no space");
                }));
        assertEquals("earlier", Files.readString(file));
        assertEquals(List.of("file"), names());
    }
}
