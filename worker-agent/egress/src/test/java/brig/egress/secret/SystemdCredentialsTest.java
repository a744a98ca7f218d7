package brig.egress.secret;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemdCredentialsTest {
    @TempDir
    Path folder;

    @Test
    void shouldReadTheFirstLineOfAFileOfItsFolderAlone() throws IOException {
        Path inside = Files.createDirectory(folder.resolve("credentials"));
        Files.writeString(inside.resolve("key.1"), "planted-1\nplanted-2\n");
        Files.writeString(folder.resolve("other"), "planted-3\n");
        SystemdCredentials credentials = new SystemdCredentials(Map.of("CREDENTIALS_DIRECTORY", inside.toString()));
        assertEquals("planted-1", credentials.read("key.1"));
        for (String wrong : List.of("../other", "..", ".", "", "/etc/passwd", "key.1/..", "none", "a b")) {
            IOException refusal = assertThrows(IOException.class, () -> credentials.read(wrong), wrong);
            assertFalse(String.valueOf(refusal.getMessage()).contains("planted"), refusal::getMessage);
        }
    }

    @Test
    void shouldSayThatSystemdGaveNone() {
        IOException refusal = assertThrows(IOException.class, () -> new SystemdCredentials(Map.of()).read("key"));
        assertTrue(String.valueOf(refusal.getMessage()).contains("LoadCredential=key:FILE"), refusal::getMessage);
    }
}
