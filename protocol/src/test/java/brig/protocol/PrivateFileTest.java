package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFileTest {
    @TempDir
    Path folder;

    @Test
    void shouldBeItsOwnersAloneAlsoWhereOneForAllWasThereBefore() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "earlier");
        Files.writeString(folder.resolve(".file"), "of a writer that died");
        for (Path one : new Path[] {file, folder.resolve(".file")}) {
            Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rw-r--r--"));
        }
        PrivateFile.write(file, new byte[] {'n', 'e', 'w'});
        assertEquals("new", Files.readString(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }
}
