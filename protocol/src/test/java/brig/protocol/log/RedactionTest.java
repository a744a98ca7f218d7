package brig.protocol.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INTERNAL: it's over                                | INTERNAL: it's over",
                "curl -H Authorization: Bearer abc.def said no      | curl -H Authorization: Bearer [redacted] said no",
                "GET https://me:hunter2@host/x failed               | GET https://[redacted]@host/x failed",
                "OPENAI_API_KEY=sk-12345 is not set                 | OPENAI_API_KEY=[redacted] is not set",
                "bad \"password\": \"hunter2\", says it             | bad \"password\": \"[redacted]\", says it",
                "key sk-abcdefghijklmnop1234 was refused            | key [redacted] was refused",
                "ghp_abcdefghijklmnopqrstuvwxyz is revoked          | [redacted] is revoked",
                "the token belongs to another session               | the token belongs to another session"
            })
    void shouldTakeOutSecretsAndNothingElse(String text, String expected) {
        assertEquals(expected, Redaction.redact(text));
    }

    /** Each alternative of the patterns, as a text in which nothing else is a sign of a secret. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "brig_abcdefghijklmnopqrst0123",
                "sk-abcdefghijklmnop",
                "gho_abcdefghijklmnopqrst",
                "ghp_abcdefghijklmnopqrst",
                "ghr_abcdefghijklmnopqrst",
                "ghs_abcdefghijklmnopqrst",
                "ghu_abcdefghijklmnopqrst",
                "github_pat_abcdefghijklmnopqrst",
                "xoxb-abcdefghij",
                "AKIAABCDEFGHIJKLMNOP",
                "eyJabcdefgh.abcdefgh.x",
                "AUTHORIZATION: basic abcdefgh",
                "Bearer abcdefgh",
                "my_ToKeN=abcdefgh",
                "secrets: abcdefgh",
                "PASSWD=abcdefgh",
                "apikey=abcdefgh",
                "Api-Key: abcdefgh",
                "API_KEY=abcdefgh",
                "credentials='abcdefgh'",
                "ftp://abcdefgh@h/"
            })
    void shouldSearchEachTextThatMayHaveASecret(String text) {
        String masked = Redaction.mask("at " + text);
        assertTrue(masked.contains("[redacted]"), masked);
        assertFalse(masked.toLowerCase(Locale.ROOT).contains("abcdefgh"), masked);
    }

    @Test
    void shouldKnowFieldsByTheirNames() {
        assertEquals("[redacted]", Redaction.mask("watcherToken", "x"));
        assertEquals("[redacted]", Redaction.mask("PASSWORD", "x"));
        assertEquals("x", Redaction.mask("spawn_id", "x"));
    }

    @Test
    void shouldTakeOutItsOwnTokensAndBoundTheLength() {
        assertEquals("COMMAND_NOT_FOUND: [redacted]", Redaction.redact("COMMAND_NOT_FOUND: " + Ids.newToken()));
        assertEquals(1_001, Redaction.redact("x".repeat(5_000)).length());
    }

    @Test
    void shouldTakeOutASecretThatTheBoundGoesThrough() {
        String token = Ids.newToken();
        String shown = Redaction.redact("x".repeat(985) + " " + token);
        assertFalse(shown.contains(token.substring(0, 8)), shown);
    }
}
