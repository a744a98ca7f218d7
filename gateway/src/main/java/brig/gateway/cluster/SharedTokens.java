package brig.gateway.cluster;

import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps tokens in this gateway's own store, and where all gateways see them: what one minted is good at all, and what one
 * revoked is good at none. A revocation is never taken back.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0218.
 */
public final class SharedTokens implements Tokens.Store {
    private static final Logger logger = LoggerFactory.getLogger(SharedTokens.class);
    /** After how long others are told again of what they could not be told. */
    static final long RETRY_MS = 5_000;
    /** How long whoever shows an unknown token waits at most. */
    static final long LEARN_MS = 2_000;

    private static final byte[] REMOVED = {};

    /** @param issuer that signs people in at the gateway that tells; empty for none */
    @Extensible
    record Told(@Default("") String issuer, Token token) {}

    /**
     * The people of this gateway's issuer. Those of another may have the same names.
     *
     * @param captains whether a captain is a person
     */
    public record People(String issuer, Predicate<String> captains) {}

    /** What others can read of a token. */
    private record Known(long revision, boolean revoked) {
        Known later(Known other) {
            return other.revision > revision ? other : this;
        }
    }

    private final Tokens.Store own;
    private final SharedTable table;
    private final People people;
    private final Timers timers;
    private final Map<String, Known> known = new HashMap<>();
    private @Nullable Tokens tokens;
    private boolean retrying;
    private boolean asking;
    /** Who wait for the next answer. */
    private final List<CompletableFuture<Void>> learning = new ArrayList<>();

    public SharedTokens(Tokens.Store own, SharedTable table, People people, Timers timers) {
        this.own = own;
        this.table = table;
        this.people = people;
        this.timers = timers;
    }

    /**
     * Begins to follow the other gateways.
     *
     * @return completes when all tokens that others told of are known
     */
    public CompletionStage<Void> open(Tokens itsTokens) {
        tokens = itsTokens;
        table.watch(this::handle);
        return table.settled().thenRun(() -> tellAgain(itsTokens));
    }

    private void handle(SharedTable.Entry entry) {
        if (entry.isRemoved()) {
            known.remove(entry.key());
            return;
        }
        read(entry).filter(this::counts).ifPresent(told -> {
            known.merge(entry.key(), new Known(entry.revision(), told.token().revoked()), Known::later);
            if (tokens != null) {
                tokens.take(told.token());
            }
        });
    }

    private static Optional<Told> read(SharedTable.Entry entry) {
        try {
            return Optional.of(Json.read(entry.value(), Told.class));
        } catch (BrigException unreadable) {
            logger.error("the entry of token {} cannot be read: {}", entry.key(), unreadable.getMessage());
            return Optional.empty();
        }
    }

    private boolean counts(Told told) {
        return !people.captains().test(told.token().captain())
                || (!people.issuer().isEmpty() && told.issuer().equals(people.issuer()));
    }

    /** Completes when the tokens are durable here and there. */
    @Override
    public CompletionStage<Void> save(Collection<Token> all) {
        forgetAllBut(all);
        return own.save(all).thenCompose(saved -> tell(all));
    }

    @Override
    public CompletionStage<Void> saveAdmin(String secret) {
        return own.saveAdmin(secret);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Asks NATS once at a time, however many want to know. What is on its way may not tell of what was minted since. */
    @Override
    public CompletionStage<Void> learn() {
        CompletableFuture<Void> learned = new CompletableFuture<>();
        learning.add(learned);
        if (!asking) {
            ask();
        }
        return learned;
    }

    private void ask() {
        asking = true;
        List<CompletableFuture<Void>> all = List.copyOf(learning);
        learning.clear();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        Timers.Timer late = timers.after(LEARN_MS, () -> asked.complete(null));
        var _ = asked.thenRun(() -> {
            late.cancel();
            asking = false;
            all.forEach(learned -> learned.complete(null));
            if (!learning.isEmpty() && !asking) {
                ask();
            }
        });
        table.settled().whenComplete((settled, failure) -> asked.complete(null));
    }

    private void forgetAllBut(Collection<Token> all) {
        Set<String> kept = all.stream().map(Token::hash).collect(Collectors.toSet());
        List.copyOf(known.entrySet()).stream()
                .filter(entry -> !kept.contains(entry.getKey()))
                .forEach(entry -> {
                    known.remove(entry.getKey());
                    var _ = table.write(
                                    entry.getKey(), REMOVED, entry.getValue().revision())
                            .exceptionally(failure -> {
                                logger.debug("{} stays as an expired token: {}", entry.getKey(), failure.toString());
                                return 0L;
                            });
                });
    }

    private CompletionStage<Void> tell(Collection<Token> all) {
        return CompletableFuture.allOf(all.stream()
                        .filter(this::isNews)
                        .map(token -> write(token, revision(token)).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .exceptionallyCompose(failure -> {
                    retryLater();
                    return CompletableFuture.failedFuture(new BrigException(
                            ErrorCode.RECORD_LOST,
                            "this gateway knows it, and tells the others when NATS answers again: "
                                    + Reason.cause(failure).getMessage()));
                });
    }

    private boolean isNews(Token token) {
        Known last = known.get(token.hash());
        return last == null || (token.revoked() && !last.revoked());
    }

    private long revision(Token token) {
        Known last = known.get(token.hash());
        return last == null ? 0 : last.revision();
    }

    private CompletionStage<Void> write(Token token, long expected) {
        return table.write(token.hash(), Json.write(new Told(people.issuer(), token)), expected)
                .thenAccept(revision -> known.merge(token.hash(), new Known(revision, token.revoked()), Known::later))
                .exceptionallyCompose(failure -> Reason.cause(failure) instanceof StaleException
                        ? overwrite(token)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Somebody told of it already. */
    private CompletionStage<Void> overwrite(Token token) {
        return table.read(token.hash()).thenCompose(found -> {
            boolean isTold = found.filter(entry -> !entry.isRemoved())
                    .flatMap(SharedTokens::read)
                    .filter(told -> told.token().revoked() || !token.revoked())
                    .isPresent();
            return isTold
                    ? CompletableFuture.completedFuture(null)
                    : write(token, found.map(SharedTable.Entry::revision).orElse(0L));
        });
    }

    private void retryLater() {
        if (tokens != null && !retrying) {
            retrying = true;
            Tokens its = tokens;
            timers.after(RETRY_MS, () -> {
                retrying = false;
                tellAgain(its);
            });
        }
    }

    private void tellAgain(Tokens its) {
        tell(its.all()).exceptionally(failure -> {
            logger.warn("tokens: {}", Reason.cause(failure).getMessage());
            return null;
        });
    }
}
