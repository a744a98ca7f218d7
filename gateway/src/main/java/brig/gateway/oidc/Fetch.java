package brig.gateway.oidc;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One request to the issuer. Time and size are bounded, and no redirect is followed. Completes on the event loop. */
public interface Fetch {
    /** @param body as UTF-8, at most {@link #BODY_BYTES_MAX} bytes */
    record Answer(int status, String body) {}

    int BODY_BYTES_MAX = 256 * 1024;

    CompletionStage<Answer> get(String url);

    /**
     * @param form as {@code application/x-www-form-urlencoded}
     * @param authorization the header of that name; null for none
     */
    CompletionStage<Answer> post(String url, String form, @Nullable String authorization);
}
