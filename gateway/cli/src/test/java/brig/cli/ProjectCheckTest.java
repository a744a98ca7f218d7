package brig.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.Terminals;
import brig.project.ProjectSettings;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectCheckTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int check(boolean json, @Nullable String file) {
        return new ProjectCheck(Terminals.of(out, err), json, ProjectSettings.NAMES, ProjectSettings.BYTES_MAX)
                .run(
                        folder,
                        file == null ? null : folder.resolve(file),
                        content -> ProjectSettings.read(content).effects());
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(UTF_8);
    }

    @Test
    void shouldEndWithZeroWhenAllIsHonoured() throws IOException {
        write("gondolin.json", "{\"allowedHosts\": [\"a.example.org\"], \"secrets\": {}}");
        assertEquals(0, check(false, null));
        assertTrue(text(out).contains("\nallowedHosts  within policy  are reached as far as"), text(out));
    }

    @Test
    void shouldEndWithOneAndSayWhatToDoWhenSomethingIsNot() throws IOException {
        write(".opencode/gondolin.json", "{\"rootOverlay\": true, \"auditFilesystem\": true, \"bo\\u001b[31mgus\": 1}");
        assertEquals(1, check(false, null));
        assertTrue(
                text(out).contains("auditFilesystem  no             has no effect: files are not audited\n"),
                text(out));
        assertTrue(
                text(out).contains("\nrootOverlay      within policy  lets sessions write into an image"), text(out));
        assertTrue(text(out).contains("\nbo\\u001b[31mgus  no             is not known here"), text(out));
        assertFalse(text(out).contains("\u001b"), text(out));
    }

    @Test
    void shouldTellTheSameAsJson() throws IOException {
        write("brig.json", "{\"warmPool\": 1}");
        write("gondolin.json", "{");
        assertEquals(1, check(true, null));
        JsonObject said = JsonObject.read(out.toByteArray(), 0, out.size() - 1);
        assertEquals(folder.resolve("brig.json").toString(), said.text("file"));
        JsonObject last = said.objects("keys").getLast();
        assertEquals("warmPool", last.text("key"));
        assertEquals("no", last.text("honoured"));
        assertEquals("'brig run --wall vm'", last.text("instead"));
    }

    @Test
    void shouldEndWithTwoWhenTheFileIsNone() throws IOException {
        assertEquals(2, check(false, null));
        assertTrue(text(err).contains(" has none of brig.json, gondolin.json"), text(err));
        assertEquals(2, check(false, "other.json"));
        Files.createDirectory(folder.resolve("gondolin.json"));
        assertEquals(2, check(false, "gondolin.json"));
        write("real/gondolin.json", "{}");
        Files.createSymbolicLink(folder.resolve(".opencode"), folder.resolve("real"));
        Files.createSymbolicLink(folder.resolve("brig.json"), folder.resolve("real/gondolin.json"));
        assertEquals(2, check(false, null));
        assertEquals(0, check(false, "brig.json"));
    }

    @Test
    void shouldEndWithTwoWhenNoSessionWouldStart() throws IOException {
        write("gondolin.json", "{\"dnsMode\": \"fast\"}");
        assertEquals(2, check(true, null));
        JsonObject said = JsonObject.read(out.toByteArray(), 0, out.size() - 1);
        assertEquals("INVALID_POLICY", said.text("code"));
        assertTrue(said.text("error", "").contains("'dnsMode'"), said.toString());
    }
}
