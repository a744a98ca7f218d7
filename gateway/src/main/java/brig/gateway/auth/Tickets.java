package brig.gateway.auth;

import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.record.Extensible;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tickets: one-time credentials for clients that cannot send headers, namely {@code EventSource} and browsers'
 * WebSockets. A ticket may appear in a URL, since it is used up before the URL reaches a log. Owned by the event loop.
 */
public final class Tickets {
    /** Lifetime of a ticket, in milliseconds. */
    public static final long TICKET_MS = 30_000;

    /** Where tickets wait. Completes on the event loop. */
    public interface Store {
        /** @return fails with {@code MAX_TOKENS} if too many wait */
        CompletionStage<Void> put(String hash, Ticket ticket);

        /** Takes a ticket out, so that nobody else gets it; empty if there is none. */
        CompletionStage<Optional<Ticket>> take(String hash);
    }

    /**
     * A ticket that waits, as it is stored: without its secret.
     *
     * @param expiresMs milliseconds since 1970
     * @param sessionMs how long a browser that signs in with it stays so
     * @param opensStreams whether it stands for a token, and does not only sign in
     */
    @Extensible
    public record Ticket(
            String captain,
            Role role,
            @Nullable String spawnId,
            @Nullable String tokenId,
            long expiresMs,
            long sessionMs,
            boolean opensStreams) {
        Access access() {
            return new Access(captain, role, spawnId, null, tokenId);
        }
    }

    /** A new ticket and its effective role. */
    public record Issued(String secret, Role role) {}

    /**
     * What a ticket that signs a browser in is good for.
     *
     * @param sessionMs how long the browser stays signed in
     */
    public record SignIn(Access access, long sessionMs) {}

    /** How long a browser stays signed in by a ticket of somebody who is known already. */
    public static final long SIGNED_IN_MS = 7L * 24 * 3_600_000;

    private final Store store;
    private final Clock clock;

    public Tickets(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * Issues a ticket with the rights of that access, or fewer.
     *
     * @param spawnId the session it is bound to; null for the scope of the access
     * @throws BrigException {@code FORBIDDEN} for an access without rights of its own
     */
    public CompletionStage<Issued> issue(Access access, @Nullable String spawnId, boolean watchOnly) {
        Role role = access.role();
        if (role == null) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the token does not reach beyond its session: name that");
        }
        Access its = access.narrowed(spawnId, watchOnly);
        Role narrowed = watchOnly ? Role.WATCHER : role;
        return put(new Ticket(its.captain(), narrowed, its.spawnId(), its.tokenId(), expiresMs(), SIGNED_IN_MS, true))
                .thenApply(secret -> new Issued(secret, narrowed));
    }

    /** Issues a ticket that signs a person in, and opens nothing else. @return its secret */
    public CompletionStage<String> issueSignIn(String captain, Role role, long sessionMs) {
        return put(new Ticket(captain, role, null, null, expiresMs(), sessionMs, false));
    }

    private long expiresMs() {
        return clock.nowMs() + TICKET_MS;
    }

    private CompletionStage<String> put(Ticket ticket) {
        String secret = Ids.newToken();
        return store.put(Ids.hashToken(secret), ticket).thenApply(waits -> secret);
    }

    /** Redeems a ticket. @return fails with {@code UNAUTHENTICATED}, {@code ATTACH_AUTH_EXPIRED} */
    public CompletionStage<Access> redeem(String secret) {
        return take(secret).thenApply(ticket -> {
            if (!ticket.opensStreams()) {
                throw new BrigException(ErrorCode.UNAUTHENTICATED, "that ticket only signs a browser in");
            }
            return ticket.access();
        });
    }

    /** Redeems a ticket to sign in. @return fails as {@link #redeem} */
    public CompletionStage<SignIn> redeemSignIn(String secret) {
        return take(secret).thenApply(ticket -> new SignIn(ticket.access(), ticket.sessionMs()));
    }

    private CompletionStage<Ticket> take(String secret) {
        return store.take(Ids.hashToken(secret)).thenApply(found -> {
            Ticket ticket = found.orElseThrow(
                    () -> new BrigException(ErrorCode.UNAUTHENTICATED, "there is no such ticket, or it was used"));
            if (ticket.expiresMs() <= clock.nowMs()) {
                throw new BrigException(ErrorCode.ATTACH_AUTH_EXPIRED, "the ticket has expired");
            }
            return ticket;
        });
    }
}
