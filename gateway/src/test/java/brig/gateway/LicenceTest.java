package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Brig may be used for, and that of others is named with its licence. */
class LicenceTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    /** The text that the Apache Software Foundation publishes. */
    private static final String APACHE_SHA256 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30";

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    @Test
    void shouldBeApache() throws Exception {
        byte[] text = Files.readAllBytes(ROOT.resolve("LICENSE"));
        assertEquals(
                APACHE_SHA256,
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text)));
        for (String client : List.of("node", "opencode")) {
            byte[] described = Files.readAllBytes(ROOT.resolve("clients/" + client + "/package.json"));
            assertEquals("Apache-2.0", JsonObject.read(described).text("license"));
        }
        assertTrue(read("gateway/src/main/deb/copyright").contains("\nLicense: Apache-2.0\n"));
    }

    @Test
    void shouldNameWhatThePageHasOfOthers() throws IOException {
        byte[] versions = ("{\"all\":" + read("gateway/src/main/web/vendor/versions.json") + "}")
                .getBytes(StandardCharsets.UTF_8);
        for (JsonObject one : JsonObject.read(versions).objects("all")) {
            String row = "| " + one.text("package") + " | " + one.text("version") + " | " + one.text("licence") + " |";
            assertTrue(read("NOTICE").contains(row), row);
            String head =
                    Files.readString(ROOT.resolve("gateway/src/main/web/vendor").resolve(one.text("file", "")));
            assertTrue(head.startsWith("/*") && head.indexOf("opyright") < head.indexOf("*/"), one::toString);
        }
    }
}
