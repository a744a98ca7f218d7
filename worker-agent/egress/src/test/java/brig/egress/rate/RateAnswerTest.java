package brig.egress.rate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateAnswerTest {
    /** 2026-01-01T00:00:00Z. */
    private static final long NOW_MS = ManualTimers.WALL_MS;

    private static HttpHeaders headers(String... namesAndValues) {
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            retry-after    | 7                             | 7000
            retry-after    | 0.25                          | 250
            retry-after    | Thu, 01 Jan 2026 00:00:09 GMT | 9000
            retry-after-ms | 1234                          | 1234
            retry-after    | 1000000000000                 | 300000
            retry-after    | Thu, 01 Jan 2099 00:00:09 GMT | 300000
            retry-after    | Thu, 01 Jan 1999 00:00:09 GMT | 0
            retry-after    | -5                            | 0
            retry-after    | NaN                           | 0
            retry-after    | Infinity                      | 0
            retry-after    | 1e9                           | 0
            retry-after    | soon                          | 0
            retry-after-ms | 0                             | 0
            """)
    void shouldReadHowLongToWait(String name, String value, long ms) {
        RateAnswer said = RateAnswer.of(429, headers(name, value), NOW_MS);
        assertEquals(ms, said.retryAfterMs());
        assertTrue(said.refused());
        assertEquals(ms > 0, RateAnswer.of(503, headers(name, value), NOW_MS).refused());
    }

    @ParameterizedTest
    @CsvSource({"200,false", "400,false", "429,true", "500,false", "503,false", "529,true"})
    void shouldTellRefusalsFromOtherAnswers(int status, boolean refused) {
        assertEquals(refused, RateAnswer.of(status, headers(), NOW_MS).refused());
        assertEquals(
                false,
                RateAnswer.of(status, headers("x-should-retry", "false"), NOW_MS)
                        .refused());
    }

    @Test
    void shouldReadAnthropicsLimits() {
        RateAnswer said = RateAnswer.of(
                200,
                headers(
                        "anthropic-ratelimit-requests-limit", "50",
                        "anthropic-ratelimit-requests-remaining", "20",
                        "anthropic-ratelimit-requests-reset", "2026-01-01T00:00:30Z",
                        "anthropic-ratelimit-input-tokens-limit", "30000",
                        "anthropic-ratelimit-input-tokens-remaining", "0",
                        "anthropic-ratelimit-input-tokens-reset", "2026-01-01T01:00:12+01:00"),
                NOW_MS);
        assertEquals(new RateAnswer(false, 0, 12_000, 20, 1.0), said);
    }

    @ParameterizedTest
    @CsvSource({
        "6m0s,300000",
        "1s,1000",
        "12ms,12",
        "1m2.5s,62500",
        "8.64,8640",
        "90us,1",
        "1h,300000",
        "1767225605,5000"
    })
    void shouldReadOpenAisLimits(String reset, long ms) {
        RateAnswer said = RateAnswer.of(
                429,
                headers(
                        "x-ratelimit-limit-requests", "60",
                        "x-ratelimit-remaining-requests", "0",
                        "x-ratelimit-reset-requests", reset),
                NOW_MS);
        assertEquals(new RateAnswer(true, 0, ms, 0, 60_000.0 / ms), said);
    }

    /** Scenario: every header has every value that no provider sends. */
    @Test
    void shouldStayWithinBoundsWhateverAServerSays() {
        List<String> values = List.of(
                "-1",
                "",
                " ",
                "NaN",
                "Infinity",
                "1e308",
                "999999999999999",
                "99999999999999999999",
                "0",
                "0x10",
                "١٢",
                "9999-12-31T23:59:59Z",
                "+999999999-12-31T23:59:59Z",
                "2026-13-01T00:00:00Z",
                "1s".repeat(40),
                "s",
                "5",
                "999999999999999h",
                "1m1",
                "\u0000",
                "5;5",
                "Thu, 99 Foo 9999 00:00:00 GMT",
                "x".repeat(70_000));
        List<String> names = List.of(
                "retry-after",
                "retry-after-ms",
                "x-ratelimit-limit-requests",
                "x-ratelimit-remaining-requests",
                "x-ratelimit-reset-requests",
                "anthropic-ratelimit-requests-limit",
                "anthropic-ratelimit-requests-remaining",
                "anthropic-ratelimit-requests-reset");
        for (String one : values) {
            for (String other : values) {
                HttpHeaders headers = headers();
                for (int i = 0; i < names.size(); i++) {
                    headers.add(names.get(i), i % 3 == 0 ? one : other);
                }
                RateAnswer said = RateAnswer.of(429, headers, NOW_MS);
                assertTrue(said.retryAfterMs() >= 0 && said.retryAfterMs() <= RateAnswer.WAIT_MS_MAX, said.toString());
                assertTrue(said.emptyMs() >= 0 && said.emptyMs() <= RateAnswer.WAIT_MS_MAX, said.toString());
                assertTrue(said.left() >= -1, said.toString());
                assertTrue(said.perSecond() >= 0 && Double.isFinite(said.perSecond()), said.toString());
            }
        }
    }
}
