package brig.cli.install;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
    @TempDir
    Path folder;

    private Path root;
    private Path first;
    private Path second;
    private Installation installation;

    @BeforeEach
    void unpack() throws IOException {
        root = folder.toRealPath().resolve("brig");
        first = version("0.1.0-000000000001");
        second = version("0.2.0-000000000002");
        Files.createSymbolicLink(
                root.resolve("current"), Path.of("versions", first.getFileName().toString()));
        installation = Installation.of(root.resolve("current"));
    }

    private Path version(String name) throws IOException {
        Path version = Files.createDirectories(root.resolve("versions").resolve(name));
        Files.createFile(version.resolve("NOTICE"));
        return version;
    }

    @Test
    void shouldKnowWhatWasUnpackedFromAnArchive() throws IOException {
        assertEquals(new Installation(root, first), installation);
        assertNull(Installation.of(folder));
        assertNull(Installation.of(version("0.2.0")));
        Files.delete(root.resolve("current"));
        assertNull(Installation.of(first));
    }

    @Test
    void shouldSwitchToAnotherVersion() throws IOException {
        assertFalse(installation.isUpgraded());
        installation.switchTo(second);
        assertEquals(second, installation.current());
        assertTrue(installation.isUpgraded());
    }

    @Test
    void shouldSweepAllButTheCurrentVersionAndTheFormer() throws IOException {
        Path third = version("0.3.0-000000000003");
        assertEquals(List.of("0.1.0-000000000001"), installation.sweep(third, second));
        assertTrue(Files.exists(second) && Files.exists(third) && !Files.exists(first));
    }

    /** As root nothing is closed, so this can fail for other users alone. */
    @Test
    void shouldDeleteWhatAnAgentClosed() throws IOException {
        Path data = folder.resolve("data");
        Path closed = Files.createDirectories(data.resolve("a/b/c"));
        Files.createFile(closed.resolve("file"));
        Path kept =
                Files.createFile(Files.createDirectory(folder.resolve("others")).resolve("kept"));
        Files.createSymbolicLink(data.resolve("a/link"), kept.getParent());
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(closed.getParent(), PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(data.resolve("a"), PosixFilePermissions.fromString("r--r--r--"));
        Installation.delete(data);
        assertFalse(Files.exists(data));
        assertTrue(Files.exists(kept));
        Installation.delete(data);
    }

    @Test
    void shouldRemoveNothingOfOthers() throws IOException {
        Files.createFile(root.resolve("mine"));
        assertTrue(installation.remove());
        assertTrue(Files.exists(root.resolve("mine")) && !Files.exists(root.resolve("versions")));
        Files.delete(root.resolve("mine"));
        assertFalse(installation.remove());
        assertFalse(Files.exists(root));
    }

    @Test
    void shouldBeChangedByOneCommandAtATime() throws IOException {
        try (FileChannel _ = installation.lock()) {
            assertThrows(RuntimeException.class, installation::lock);
        }
        Files.delete(root.resolve(".lock"));
        Files.createDirectory(root.resolve(".lock"));
        assertThrows(BrigException.class, installation::lock);
    }
}
