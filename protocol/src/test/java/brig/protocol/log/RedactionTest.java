package brig.protocol.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import brig.protocol.Ids;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
