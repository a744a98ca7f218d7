package brig.gateway.auth;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The minted tokens and the connections that depend on them. Only hashes of secrets are kept; a secret is found by its
 * hash and compared in constant time. The two tokens of a spawn are known to the spawn itself; only their revocations
 * are kept here.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0033.
 */
public final class Tokens {
    /** Persistence of tokens. Completes on the event loop. */
    public interface Store {
        /** Saves all minted tokens each time, for they are few. */
        CompletionStage<Void> save(Collection<Token> tokens);

        /** Saves the admin token where the admin on this host finds it. */
        CompletionStage<Void> saveAdmin(String secret);

        /** Whether other gateways mint tokens too. */
        default boolean isShared() {
            return false;
        }

        /** Completes soon, as a rule when all is known that others minted until now. */
        default CompletionStage<Void> learn() {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** A connection that depends on a token. */
    @FunctionalInterface
    public interface Connection {
        /** Its token is no longer valid: the connection reports it and ends. */
        void handleRevoked(BrigException why);
    }

    /** A new token: its public part, and the secret, which cannot be shown again. */
    public record Minted(Token token, String secret) {}

    /** The rights of a new token. */
    public record Request(
            Role role, String captain, @Nullable String spawnId, long ttlMs) {}

    /** Maximum number of tokens. When it is reached: {@code MAX_TOKENS}, until some expire. */
    static final int TOKENS_MAX = 10_000;
    /** In whose name the admin token acts. */
    public static final String ADMIN = "admin";

    private static final long CHECK_MS_MAX = 24 * 3_600_000L;
    /** How long a revocation is remembered if the token would not expire earlier. */
    private static final long REVOKED_MS = 366 * CHECK_MS_MAX;

    private final Store store;
    private final Clock clock;
    private final Timers timers;
    private final Map<String, Token> byHash = new LinkedHashMap<>();
    private final Map<String, Set<Connection>> connections = new HashMap<>();
    private String adminHash;
    private Timers.@Nullable Timer expiry;

    public Tokens(String adminToken, Collection<Token> kept, Store store, Clock clock, Timers timers) {
        this.adminHash = Ids.hashToken(adminToken);
        this.store = store;
        this.clock = clock;
        this.timers = timers;
        kept.forEach(token -> byHash.put(token.hash(), token));
        checkExpiry();
    }

    /**
     * The access of that secret. An unknown one has no rights of its own; it may be a spawn's own token.
     *
     * @throws BrigException {@code ATTACH_AUTH_EXPIRED} for an expired or revoked token
     */
    public Access access(@Nullable String secret) {
        if (secret == null) {
            return Access.nobody();
        }
        String hash = Ids.hashToken(secret);
        if (equal(hash, adminHash)) {
            return new Access(ADMIN, Role.ADMIN, null, secret, Token.idOf(adminHash));
        }
        Token token = byHash.get(hash);
        if (token == null || !equal(hash, token.hash())) {
            return new Access("token", null, null, secret, Token.idOf(hash));
        }
        if (token.revoked() || token.expiresMs() <= clock.nowMs()) {
            throw over(token);
        }
        return new Access(token.captain(), token.role(), token.spawnId(), secret, token.id());
    }

    private static boolean equal(String hash, String other) {
        return MessageDigest.isEqual(
                hash.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    private static BrigException over(Token token) {
        return new BrigException(
                ErrorCode.ATTACH_AUTH_EXPIRED,
                "the token " + token.id() + (token.revoked() ? " was revoked" : " has expired"));
    }

    /** Mints a token. Completes when it is durable. */
    public CompletionStage<Minted> mint(Request options) {
        forgetOld();
        if (byHash.size() >= TOKENS_MAX) {
            return CompletableFuture.failedFuture(new BrigException(
                    ErrorCode.MAX_TOKENS,
                    "there are " + TOKENS_MAX + " tokens already: wait until some have expired",
                    60));
        }
        String secret = Ids.newToken();
        Token token =
                Token.of(secret, options.role(), options.captain(), options.spawnId(), clock.nowMs(), options.ttlMs());
        byHash.put(token.hash(), token);
        checkExpiry();
        return store.save(List.copyOf(byHash.values())).thenApply(saved -> new Minted(token, secret));
    }

    /** All unexpired tokens, oldest first. */
    public List<Token> all() {
        return byHash.values().stream()
                .filter(token -> token.expiresMs() > clock.nowMs())
                .toList();
    }

    /** The token with that id. @throws BrigException {@code NOT_FOUND} */
    public Token find(String id) {
        return all().stream()
                .filter(token -> token.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no token '" + id + "'"));
    }

    /** Revokes a token immediately: its connections are closed before this returns. Completes when that is durable. */
    public CompletionStage<Token> revoke(Token token) {
        Token withdrawn = token.withdrawn(clock.nowMs() + REVOKED_MS);
        byHash.put(token.hash(), withdrawn);
        close(withdrawn);
        return store.save(List.copyOf(byHash.values())).thenApply(saved -> withdrawn);
    }

    /** Whether other gateways mint tokens too. */
    public boolean areShared() {
        return store.isShared();
    }

    /** Whether that secret is unknown here; another gateway may have minted it a moment ago. */
    public boolean isUnknown(String secret) {
        String hash = Ids.hashToken(secret);
        return !byHash.containsKey(hash) && !equal(hash, adminHash);
    }

    /** Completes soon, as a rule when all is known that other gateways minted until now. */
    public CompletionStage<Void> learn() {
        return store.learn();
    }

    /** Another gateway minted that token, or revoked it. What was revoked here stays so. */
    public void take(Token other) {
        Token here = byHash.get(other.hash());
        if (here == null || (other.revoked() && !here.revoked())) {
            byHash.put(other.hash(), other);
            if (other.revoked()) {
                close(other);
            }
            checkExpiry();
        }
    }

    /** Whether it is the id of the admin token. */
    public boolean isAdmins(String id) {
        return id.equals(Token.idOf(adminHash));
    }

    /** Revokes the admin token and replaces it. Completes when both are durable. */
    public CompletionStage<Token> replaceAdmin() {
        String secret = Ids.newToken();
        return store.saveAdmin(secret).thenCompose(saved -> {
            Token old = new Token(adminHash, Role.ADMIN, ADMIN, null, clock.nowMs(), Long.MAX_VALUE, false);
            adminHash = Ids.hashToken(secret);
            return revoke(old);
        });
    }

    /** Closes the connection when its token becomes invalid, until the returned handle is run. */
    public Runnable watch(Access access, Connection connection) {
        String id = access.tokenId();
        if (id == null) {
            return () -> {};
        }
        connections.computeIfAbsent(id, key -> new HashSet<>()).add(connection);
        return () -> connections.computeIfPresent(id, (key, all) -> {
            all.remove(connection);
            return all.isEmpty() ? null : all;
        });
    }

    private void close(Token token) {
        List.copyOf(connections.getOrDefault(token.id(), Set.of()))
                .forEach(connection -> connection.handleRevoked(over(token)));
    }

    private void handleExpiry() {
        long nowMs = clock.nowMs();
        List.copyOf(byHash.values()).stream()
                .filter(token -> token.expiresMs() <= nowMs)
                .forEach(this::close);
        checkExpiry();
    }

    /** Sets the timer for the next expiry. */
    private void checkExpiry() {
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
        long nowMs = clock.nowMs();
        byHash.values().stream()
                .mapToLong(token -> token.expiresMs() - nowMs)
                .filter(left -> left > 0)
                .min()
                .ifPresent(left -> expiry = timers.after(Math.min(left, CHECK_MS_MAX), this::handleExpiry));
    }

    /** Expired tokens are kept for a day, so that their holders get a precise refusal. */
    private void forgetOld() {
        byHash.values().removeIf(token -> token.expiresMs() + CHECK_MS_MAX <= clock.nowMs());
    }
}
