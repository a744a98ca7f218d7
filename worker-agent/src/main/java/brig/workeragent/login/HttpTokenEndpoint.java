package brig.workeragent.login;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.login.Login;
import brig.protocol.login.Vendor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The token endpoint of RFC 6749, section 6. Follows no redirect. */
final class HttpTokenEndpoint implements TokenEndpoint {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int BODY_BYTES_MAX = 64 * 1024;
    /** If the answer does not say how long a token is good. */
    private static final long SECONDS = 3600;

    private static final long SECONDS_MAX = 400L * 24 * 3600;
    private static final int SHOWN_LENGTH_MAX = 64;

    private final Clock clock;

    HttpTokenEndpoint(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Answer renew(Login login) throws IOException, InterruptedException {
        Vendor.Renewal renewal = login.vendor().renewal(Objects.requireNonNull(login.refreshToken()), clock.instant());
        HttpRequest request = HttpRequest.newBuilder(URI.create(Objects.requireNonNull(login.tokenUrl())))
                .timeout(PATIENCE)
                .header("content-type", renewal.contentType())
                .header("accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(renewal.body()))
                .build();
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(PATIENCE)
                .build()) {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                return answer(response.statusCode(), in.readNBytes(BODY_BYTES_MAX));
            }
        }
    }

    /** Reads an answer. @throws IOException if it says nothing of the login */
    Answer answer(int status, byte[] body) throws IOException {
        JsonObject said = object(body);
        String access = said.text("access_token");
        if (status == 200 && access != null) {
            long seconds = Math.clamp(said.number("expires_in", SECONDS), 1, SECONDS_MAX);
            return new Renewed(new Login.Tokens(access, said.text("refresh_token"), clock.millis() + 1000 * seconds));
        }
        String why = code(said);
        if ((status == 400 || status == 401) && why != null) {
            return new Refused(why);
        }
        // A page of something on the way, for example, which may let the next request pass.
        throw new IOException("the token endpoint answered " + status);
    }

    private static JsonObject object(byte[] body) {
        try {
            return JsonObject.read(body);
        } catch (BrigException notOne) {
            return JsonObject.EMPTY;
        }
    }

    /** The code of the error, never its text: a server may put a token into it. Null if it has none. */
    private static @Nullable String code(JsonObject said) {
        String code = said.text(
                "error", said.object("error").text("code", said.object("error").text("type", "")));
        boolean plain = !code.isEmpty()
                && code.length() <= SHOWN_LENGTH_MAX
                && code.chars().allMatch(c -> c == '_' || (c >= 'a' && c <= 'z'));
        return plain ? code : null;
    }
}
