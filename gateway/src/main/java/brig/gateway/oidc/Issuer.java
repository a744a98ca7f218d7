package brig.gateway.oidc;

import brig.gateway.time.Clock;
import brig.protocol.Reason;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The documents of an issuer: what it is, and its keys. Both are kept for an hour. A key that is not among them is asked
 * for at once, but not often. Owned by the event loop.
 */
final class Issuer {
    static final long KEPT_MS = 3_600_000;
    /** The least time between two requests for keys that were not known. */
    static final long UNKNOWN_KEY_MS = 30_000;

    private final String url;
    private final Fetch fetch;
    private final Clock clock;
    private final Kept<Discovery> discovery;
    private final Kept<SigningKeys> keys;
    private long unknownKeyMs = Long.MIN_VALUE;

    Issuer(String url, Fetch fetch, Clock clock) {
        this.url = url;
        this.fetch = fetch;
        this.clock = clock;
        this.discovery =
                new Kept<>(() -> url.replaceFirst("/$", "") + Discovery.PATH, body -> Discovery.read(url, body));
        this.keys = new Kept<>(() -> discovery.known().keys(), SigningKeys::read);
    }

    String url() {
        return url;
    }

    CompletionStage<Discovery> discovery() {
        return discovery.get();
    }

    /** The keys, anew if they lack that one and were not asked for it lately. */
    CompletionStage<SigningKeys> keysFor(IdToken token) {
        return discovery.get().thenCompose(known -> keys.get()).thenCompose(found -> {
            long nowMs = clock.nowMs();
            if (found.knows(token) || (unknownKeyMs != Long.MIN_VALUE && nowMs - unknownKeyMs < UNKNOWN_KEY_MS)) {
                return CompletableFuture.completedFuture(found);
            }
            unknownKeyMs = nowMs;
            return keys.anew();
        });
    }

    CompletionStage<Fetch.Answer> post(String to, String form, @Nullable String authorization) {
        return reached(to, () -> fetch.post(to, form, authorization));
    }

    private static CompletionStage<Fetch.Answer> reached(String to, Supplier<CompletionStage<Fetch.Answer>> request) {
        return request.get().exceptionally(failure -> {
            Throwable cause = Reason.cause(failure);
            String said = cause instanceof IOException io ? Reason.of(io) : String.valueOf(cause.getMessage());
            throw SignInRefusal.unavailable("The issuer is not reached at " + to + " (" + said + "). Try again later.");
        });
    }

    /** A document that is fetched where it is needed, by one request at a time, and kept for a while. */
    private final class Kept<T> {
        private final Supplier<String> place;
        private final Function<String, T> read;
        private @Nullable T value;
        private long fetchedMs;
        private @Nullable CompletionStage<T> underWay;

        Kept(Supplier<String> place, Function<String, T> read) {
            this.place = place;
            this.read = read;
        }

        T known() {
            if (value == null) {
                throw new IllegalStateException("the document was not fetched");
            }
            return value;
        }

        CompletionStage<T> get() {
            return value != null && clock.nowMs() - fetchedMs < KEPT_MS
                    ? CompletableFuture.completedFuture(value)
                    : anew();
        }

        CompletionStage<T> anew() {
            if (underWay != null) {
                return underWay;
            }
            String from = place.get();
            CompletableFuture<T> got = new CompletableFuture<>();
            underWay = got;
            reached(from, () -> fetch.get(from))
                    .thenApply(answer -> {
                        if (answer.status() != 200) {
                            throw SignInRefusal.unavailable("The issuer answers with status " + answer.status() + " at "
                                    + from + ". Try again later.");
                        }
                        return read.apply(answer.body());
                    })
                    .whenComplete((fresh, failure) -> {
                        underWay = null;
                        if (failure == null) {
                            value = fresh;
                            fetchedMs = clock.nowMs();
                            got.complete(fresh);
                        } else {
                            got.completeExceptionally(Reason.cause(failure));
                        }
                    });
            return got;
        }
    }
}
