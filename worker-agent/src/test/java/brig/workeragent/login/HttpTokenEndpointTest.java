package brig.workeragent.login;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.login.Login;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpTokenEndpointTest {
    private static final long NOW_MS = 1_800_000_000_000L;
    private final HttpTokenEndpoint endpoint =
            new HttpTokenEndpoint(Clock.fixed(Instant.ofEpochMilli(NOW_MS), ZoneOffset.UTC));

    private TokenEndpoint.Answer answer(int status, String body) throws IOException {
        return endpoint.answer(status, body.getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'access_token':'a','refresh_token':'r','expires_in':28800} | r    | 28800",
                "{'access_token':'a','expires_in':60}                        | null | 60",
                "{'access_token':'a','refresh_token':'r'}                    | r    | 3600",
                "{'access_token':'a','refresh_token':'r','expires_in':-5}    | r    | 1",
                "{'access_token':'a','refresh_token':'r','expires_in':9e17}  | r    | 34560000"
            })
    void shouldReadTokens(String body, String refresh, long seconds) throws IOException {
        assertEquals(
                new TokenEndpoint.Renewed(
                        new Login.Tokens("a", refresh.equals("null") ? null : refresh, NOW_MS + 1000 * seconds)),
                answer(200, body.replace('\'', '"')));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | {'error':'invalid_grant'}                                     | invalid_grant",
                "400 | {'error':'invalid_grant','error_description':'refresh-0 used'} | invalid_grant",
                "401 | {'error':{'code':'refresh_token_reused'}}                     | refresh_token_reused",
                "400 | {'error':{'type':'invalid_request_error'}}                    | invalid_request_error"
            })
    void shouldTellARefusalByItsCodeAlone(int status, String body, String why) throws IOException {
        assertEquals(new TokenEndpoint.Refused(why), answer(status, body.replace('\'', '"')));
    }

    @Test
    void shouldNotTakeAFaultOfTheServerForARefusal() {
        for (int status : new int[] {302, 403, 404, 408, 429, 500, 503, 529}) {
            assertThrows(IOException.class, () -> answer(status, "{\"error\":\"invalid_grant\"}"));
        }
        for (String page : new String[] {"<html>", "{}", "{\"error\":\"token refresh-0 is bad\"}"}) {
            assertThrows(IOException.class, () -> answer(400, page));
            assertThrows(IOException.class, () -> answer(403, page));
        }
        assertThrows(IOException.class, () -> answer(200, "{}"));
        assertThrows(IOException.class, () -> answer(200, "{\"access_token\":"));
    }
}
