package brig.gateway.auth;

import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tickets: one-time credentials for clients that cannot send headers, namely {@code EventSource} and browsers'
 * WebSockets. A ticket may appear in a URL, since it is used up before the URL reaches a log. Owned by the event loop.
 */
public final class Tickets {
    /** Lifetime of a ticket, in milliseconds. */
    public static final long TICKET_MS = 30_000;

    static final int TICKETS_MAX = 10_000;

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

    /** @param opensStreams whether it stands for a token, and does not only sign in */
    private record Ticket(Access access, long expiresMs, long sessionMs, boolean opensStreams) {}

    private final Clock clock;
    /** By hash of the secret, oldest first. */
    private final LinkedHashMap<String, Ticket> byHash = new LinkedHashMap<>();

    public Tickets(Clock clock) {
        this.clock = clock;
    }

    /**
     * Issues a ticket with the rights of that access, or fewer.
     *
     * @param spawnId the session it is bound to; null for the scope of the access
     * @throws BrigException {@code FORBIDDEN} for an access without rights of its own
     */
    public Issued issue(Access access, @Nullable String spawnId, boolean watchOnly) {
        Role role = access.role();
        if (role == null) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the token does not reach beyond its session: name that");
        }
        String secret = add(access.narrowed(spawnId, watchOnly), SIGNED_IN_MS, true);
        return new Issued(secret, watchOnly ? Role.WATCHER : role);
    }

    /** Issues a ticket that signs a person in, and opens nothing else. @return its secret */
    public String issueSignIn(String captain, Role role, long sessionMs) {
        return add(new Access(captain, role, null, null, null), sessionMs, false);
    }

    private String add(Access access, long sessionMs, boolean opensStreams) {
        long nowMs = clock.nowMs();
        forgetExpired(nowMs);
        if (byHash.size() >= TICKETS_MAX) {
            throw new BrigException(ErrorCode.MAX_TOKENS, "too many tickets wait to be used", 5);
        }
        String secret = Ids.newToken();
        byHash.put(Ids.hashToken(secret), new Ticket(access, nowMs + TICKET_MS, sessionMs, opensStreams));
        return secret;
    }

    /** All live equally long, so the oldest expire first. */
    private void forgetExpired(long nowMs) {
        var oldest = byHash.values().iterator();
        while (oldest.hasNext() && oldest.next().expiresMs() <= nowMs) {
            oldest.remove();
        }
    }

    /** Redeems a ticket. @throws BrigException {@code UNAUTHENTICATED}, {@code ATTACH_AUTH_EXPIRED} */
    public Access redeem(String secret) {
        Ticket ticket = take(secret);
        if (!ticket.opensStreams()) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "that ticket only signs a browser in");
        }
        return ticket.access();
    }

    /** Redeems a ticket to sign in. @throws BrigException as {@link #redeem} */
    public SignIn redeemSignIn(String secret) {
        Ticket ticket = take(secret);
        return new SignIn(ticket.access(), ticket.sessionMs());
    }

    private Ticket take(String secret) {
        Ticket ticket = byHash.remove(Ids.hashToken(secret));
        if (ticket == null) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "there is no such ticket, or it was used");
        }
        if (ticket.expiresMs() <= clock.nowMs()) {
            throw new BrigException(ErrorCode.ATTACH_AUTH_EXPIRED, "the ticket has expired");
        }
        return ticket;
    }
}
