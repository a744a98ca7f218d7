package brig.gateway.cluster;

import brig.gateway.auth.Tickets;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Tickets that wait where all gateways see them. Whichever removes one redeems it: where the answer to the removal is
 * lost, nobody does.
 *
 * <p>Decision 0218.
 */
public final class SharedTickets implements Tickets.Store {
    private static final byte[] REMOVED = {};

    private final SharedTable table;

    /** @param table which forgets by itself what nobody redeems */
    public SharedTickets(SharedTable table) {
        this.table = table;
    }

    @Override
    public CompletionStage<Void> put(String hash, Tickets.Ticket ticket) {
        return table.write(hash, Json.write(ticket), 0)
                .<Void>thenApply(written -> null)
                .exceptionallyCompose(SharedTickets::unreachable);
    }

    @Override
    public CompletionStage<Optional<Tickets.Ticket>> take(String hash) {
        return table.read(hash)
                .thenCompose(found -> found.filter(entry -> !entry.isRemoved())
                        .map(this::remove)
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())))
                .exceptionallyCompose(failure -> Reason.cause(failure) instanceof StaleException
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : unreachable(failure));
    }

    private CompletionStage<Optional<Tickets.Ticket>> remove(SharedTable.Entry entry) {
        return table.write(entry.key(), REMOVED, entry.revision())
                .thenApply(removed -> Optional.of(Json.read(entry.value(), Tickets.Ticket.class)));
    }

    private static <T> CompletionStage<T> unreachable(Throwable failure) {
        return CompletableFuture.failedFuture(new BrigException(
                ErrorCode.HOST_UNREACHABLE,
                "tickets are shared by gateways, and NATS does not answer: "
                        + Reason.cause(failure).getMessage(),
                1));
    }
}
