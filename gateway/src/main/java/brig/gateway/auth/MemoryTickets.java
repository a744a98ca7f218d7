package brig.gateway.auth;

import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The tickets of a gateway alone. Owned by the event loop. */
public final class MemoryTickets implements Tickets.Store {
    static final int TICKETS_MAX = 10_000;

    private final Clock clock;
    /** By hash of the secret, oldest first. */
    private final LinkedHashMap<String, Tickets.Ticket> byHash = new LinkedHashMap<>();

    public MemoryTickets(Clock clock) {
        this.clock = clock;
    }

    @Override
    public CompletionStage<Void> put(String hash, Tickets.Ticket ticket) {
        forgetExpired();
        if (byHash.size() >= TICKETS_MAX) {
            return CompletableFuture.failedFuture(
                    new BrigException(ErrorCode.MAX_TOKENS, "too many tickets wait to be used", 5));
        }
        byHash.put(hash, ticket);
        return CompletableFuture.completedFuture(null);
    }

    /** All live equally long, so the oldest expire first. */
    private void forgetExpired() {
        long nowMs = clock.nowMs();
        var oldest = byHash.values().iterator();
        while (oldest.hasNext() && oldest.next().expiresMs() <= nowMs) {
            oldest.remove();
        }
    }

    @Override
    public CompletionStage<Optional<Tickets.Ticket>> take(String hash) {
        return CompletableFuture.completedFuture(Optional.ofNullable(byHash.remove(hash)));
    }
}
