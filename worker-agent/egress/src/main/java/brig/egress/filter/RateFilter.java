package brig.egress.filter;

import brig.egress.rate.Pass;
import brig.egress.request.Refusal;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;

/**
 * Tells the gate of a provider what it answered.
 *
 * <p>Decision 0204.
 */
public final class RateFilter implements ExchangeFilter {
    private static final int TOO_MANY_REQUESTS = 429;

    private final Pass pass;

    public RateFilter(Pass pass) {
        this.pass = pass;
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        pass.handleAnswer(answer.status().code(), answer.headers());
    }

    /**
     * What a request is told that the gate turned away, as the provider would.
     *
     * @param path without the query
     */
    public static Refusal turnedAway(HttpRequest request, String path, long retryAfterMs) {
        String sentence =
                "The provider limits the rate of requests, and too many of them wait for their turn already. Try"
                        + " again in " + (retryAfterMs + 999) / 1000 + " s.";
        return new Refusal(
                TOO_MANY_REQUESTS, sentence, "", ProviderError.at(request, path).busy(sentence), retryAfterMs);
    }
}
