package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterKeysTest {
    private static final String NEW = "0123456789abcdef0123456789abcdef";
    private static final String OLD = "fedcba9876543210fedcba9876543210";

    @TempDir
    private Path folder;

    private Path file(String text, String mode) throws IOException {
        Path file = folder.resolve("cluster.key");
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static String refusal(Path file) {
        return assertThrows(BrigException.class, () -> ClusterMember.keys(file)).getMessage();
    }

    @Test
    void shouldReadTheNewestKeyFirstAndOlderOnesBehindIt() throws IOException {
        assertEquals(List.of(NEW, OLD), ClusterMember.keys(file(NEW + "\n\n  " + OLD + "\n", "rw-------")));
    }

    @Test
    void shouldSayHowToMakeAKeyWhereThereIsNone() {
        assertTrue(refusal(folder.resolve("none")).contains("openssl rand -hex 32"));
    }

    @Test
    void shouldRefuseShortKeysAndNotShowThem() throws IOException {
        for (String text : List.of("", "\n", "tooshort", NEW + "\ntooshort\n")) {
            String refusal = refusal(file(text, "rw-------"));
            assertTrue(refusal.contains("32 characters"), refusal);
            assertFalse(refusal.contains("tooshort") || refusal.contains(NEW), refusal);
        }
    }

    @Test
    void shouldRefuseAKeyThatOthersMayRead() throws IOException {
        String refusal = refusal(file(NEW + "\n", "rw-r--r--"));
        assertTrue(refusal.contains("cluster.key"), refusal);
        assertFalse(refusal.contains(NEW), refusal);
    }
}
