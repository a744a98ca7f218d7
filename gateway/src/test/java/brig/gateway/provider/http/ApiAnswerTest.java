package brig.gateway.provider.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiAnswerTest {
    private static final String KEY = "org/token-id/secret";

    @Foreign
    record Named(@Nullable String name) {}

    private static ProviderFailure failure(int status, String body, @Nullable String retryAfter) {
        return new ApiAnswer(status, body.getBytes(UTF_8), retryAfter).failure(KEY);
    }

    @ParameterizedTest
    @CsvSource({
        "100,LOST",
        "301,UNTRUSTED",
        "302,UNTRUSTED",
        "307,UNTRUSTED",
        "400,REFUSED",
        "401,REFUSED",
        "403,REFUSED",
        "404,REFUSED",
        "408,LOST",
        "409,REFUSED",
        "422,REFUSED",
        "425,LOST",
        "429,LIMITED",
        "500,LOST",
        "501,REFUSED",
        "502,LOST",
        "503,LOST",
        "504,LOST",
        "599,LOST",
        "999,LOST"
    })
    void shouldSayWhatAStatusMeans(int status, Kind kind) {
        assertEquals(kind, failure(status, "", null).kind());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {"7,7000", "0,0", "none,0", "soon,0", "-1,0", "7200,3600000", "99999999999999999999,0"})
    void shouldWaitAsTheHeaderSays(@Nullable String header, long ms) {
        assertEquals(ms, failure(429, "", header).retryAfterMs());
        assertEquals(ms, failure(503, "", header).retryAfterMs());
    }

    @Test
    void shouldPreferWhatTheBodySays() {
        assertEquals(30_000, failure(429, "{\"retry_after_seconds\":30}", "7").retryAfterMs());
        assertEquals(7_000, failure(429, "{\"retry_after_seconds\":-5}", "7").retryAfterMs());
        assertEquals(7_000, failure(429, "{\"retry_after_seconds\":\"x\"}", "7").retryAfterMs());
        assertEquals(
                3_600_000,
                failure(429, "{\"retry_after_seconds\":9223372036854775807}", "7")
                        .retryAfterMs());
    }

    @Test
    void shouldSayWhatTheProviderSays() {
        assertEquals(
                "HTTP 401: no such token",
                failure(401, "{\"code\":\"X\",\"message\":\"no such token\"}", null)
                        .getMessage());
        assertEquals(
                "HTTP 404: sprite not found",
                failure(404, "{\"error\":\"sprite not found\"}", null).getMessage());
        assertEquals("HTTP 400: plain", failure(400, "plain\n", null).getMessage());
        assertEquals("HTTP 400", failure(400, "{\"message\":[1]}", null).getMessage());
    }

    @Test
    void shouldShowNothingHarmfulAndNothingLong() {
        String said = failure(400, "{\"message\":\"\\u001b[31m\\u202ered\\n" + "x".repeat(5_000) + "\"}", null)
                .getMessage();
        assertTrue(said.codePoints().noneMatch(Character::isISOControl), said);
        assertTrue(said.length() < 300);
        assertTrue(failure(400, "\ufffd\0\b" + "y".repeat(1_000_000), null)
                        .getMessage()
                        .length()
                < 300);
    }

    @Test
    void shouldNotRepeatTheKey() {
        assertFalse(failure(401, "{\"message\":\"bad token " + KEY + "\"}", null)
                .getMessage()
                .contains("secret"));
        assertFalse(failure(401, "x".repeat(190) + KEY, null).getMessage().contains("token-id"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{\"name\":\"a\"}{}",
                "{\"name\":\"a\",\"name\":\"b\"}",
                "<html>",
                "{\"name\":\"\\ud800\"",
                "{\"a\":1e999}"
            })
    void shouldTakeNoAnswerThatMakesNoSense(String body) {
        assertEquals(
                Kind.LOST,
                assertThrows(ProviderFailure.class, () -> ApiAnswer.read(body.getBytes(UTF_8), Named.class))
                        .kind());
    }

    @Test
    void shouldTakeNoAnswerThatIsNotUtf8() {
        byte[] body = "{\"name\":\"?\"}".getBytes(UTF_8);
        body[9] = (byte) 0xff;
        assertThrows(ProviderFailure.class, () -> ApiAnswer.read(body, Named.class));
        assertThrows(
                ProviderFailure.class,
                () -> ApiAnswer.read(("{\"name\":" + "[".repeat(100_000)).getBytes(UTF_8), Named.class));
    }

    @Test
    void shouldIgnoreWhatItDoesNotKnow() {
        assertEquals(new Named(null), ApiAnswer.read("{\"name\":7,\"more\":{}}".getBytes(UTF_8), Named.class));
    }
}
