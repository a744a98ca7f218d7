package brig.protocol.login;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.json.JsonObject;
import brig.protocol.login.Login.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VendorTest {
    private static final String JWT = "e30." + base64("{\"exp\":1800000000}") + ".sig";

    @TempDir
    private Path folder;

    private static String base64(String claims) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(UTF_8));
    }

    private Path file(String content) throws IOException {
        return Files.writeString(folder.resolve("auth.json"), content);
    }

    @Test
    void shouldReadTheFilesOfTheVendorsPrograms() throws IOException {
        assertEquals(
                new Tokens("a", "r", 7),
                Vendor.ANTHROPIC.read(
                        file("{\"claudeAiOauth\":{\"accessToken\":\"a\",\"refreshToken\":\"r\",\"expiresAt\":7}}")));
        assertEquals(
                new Tokens(JWT, "r", 1_800_000_000_000L),
                Vendor.OPENAI.read(file("{\"OPENAI_API_KEY\":null,\"tokens\":{\"id_token\":\"i\",\"access_token\":\""
                        + JWT + "\",\"refresh_token\":\"r\",\"account_id\":\"acc\"}}")));
        assertNull(Vendor.ANTHROPIC.read(file("{\"mcpOAuth\":{}}")));
        assertNull(Vendor.OPENAI.read(file("{\"OPENAI_API_KEY\":\"sk\"}")));
    }

    @Test
    void shouldReplaceTokensOnlyWhereItHadThem() throws IOException {
        Path file = file(
                "{\"tokens\":{\"id_token\":\"i\",\"access_token\":\"a\",\"refresh_token\":\"r\"},\"last_refresh\":\"x\"}");
        Tokens fresh = new Tokens("b", "s", 9);
        Vendor.OPENAI.replace(file, new Tokens("other", "r", 0), fresh, Instant.EPOCH);
        assertEquals(
                "a", JsonObject.read(Files.readAllBytes(file)).object("tokens").text("access_token"));
        Vendor.OPENAI.replace(file, new Tokens("a", "r", 0), fresh, Instant.EPOCH);
        assertEquals(
                "{\"tokens\":{\"id_token\":\"i\",\"access_token\":\"b\",\"refresh_token\":\"s\"},\"last_refresh\":\"1970-01-01T00:00:00Z\"}",
                Files.readString(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.b", "a.b.c.d", "a.%%.c", "a.e30.c", "a.bm9uZQ.c"})
    void shouldKnowNoEndOfOtherTokens(String token) {
        assertEquals(0, Vendor.endOf(token));
        assertEquals(0, Vendor.endOf("a." + base64("{\"exp\":9223372036854775807}") + ".c"));
    }
}
