package brig.gateway.provider.http;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.protocol.BrigException;
import brig.protocol.VisibleText;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a provider answered.
 *
 * @param body as far as it was kept
 * @param retryAfter the header of that name
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
public record ApiAnswer(int status, byte[] body, @Nullable String retryAfter) {
    private static final int SAID_MAX = 200;
    private static final long RETRY_AFTER_MAX_MS = TimeUnit.HOURS.toMillis(1);
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    public boolean isGood() {
        return status >= 200 && status < 300;
    }

    public boolean isMissing() {
        return status == 404;
    }

    /** The body as a record. @throws ProviderFailure of the kind {@code LOST} if it is none */
    public <T> T read(Class<T> type) {
        return read(body, type);
    }

    /** @throws ProviderFailure of the kind {@code LOST} if that is no such record */
    public static <T> T read(byte[] json, Class<T> type) {
        try {
            return Json.read(json, type);
        } catch (BrigException e) {
            throw new ProviderFailure(
                    Kind.LOST, "an answer that makes no sense: " + VisibleText.of(shortened(e.getMessage())));
        }
    }

    /**
     * What an answer that is not good means.
     *
     * @param secret is not repeated, if the provider says it
     */
    public ProviderFailure failure(String secret) {
        String said = "HTTP " + status + said(secret);
        return switch (status) {
            case 429 -> new ProviderFailure(Kind.LIMITED, said, retryAfterMs());
            // Neither says that nothing was done.
            case 408, 425 -> new ProviderFailure(Kind.LOST, said, retryAfterMs());
            case 501 -> new ProviderFailure(Kind.REFUSED, said);
            default ->
                switch (status / 100) {
                    case 3 -> new ProviderFailure(Kind.UNTRUSTED, "it sends requests elsewhere (HTTP " + status + ")");
                    case 4 -> new ProviderFailure(Kind.REFUSED, said);
                    default -> new ProviderFailure(Kind.LOST, said, retryAfterMs());
                };
        };
    }

    private long retryAfterMs() {
        long seconds = object().number("retry_after_seconds", 0);
        if (seconds <= 0 && retryAfter != null && SECONDS.matcher(retryAfter).matches()) {
            seconds = Long.parseLong(retryAfter);
        }
        return Math.clamp(TimeUnit.SECONDS.toMillis(seconds), 0, RETRY_AFTER_MAX_MS);
    }

    private String said(String secret) {
        JsonObject object = object();
        String text = object.text("message", object.text("error", ""));
        if (text.isEmpty() && object.isEmpty()) {
            text = new String(body, StandardCharsets.UTF_8);
        }
        String safe = secret.isEmpty() ? text : text.replace(secret, "…");
        String line = VisibleText.of(shortened(safe.strip()));
        return line.isEmpty() ? "" : ": " + line;
    }

    private JsonObject object() {
        try {
            return JsonObject.read(body);
        } catch (BrigException e) {
            return JsonObject.EMPTY;
        }
    }

    private static String shortened(@Nullable String text) {
        String all = String.valueOf(text);
        return all.codePointCount(0, all.length()) <= SAID_MAX
                ? all
                : all.substring(0, all.offsetByCodePoints(0, SAID_MAX)) + "…";
    }
}
