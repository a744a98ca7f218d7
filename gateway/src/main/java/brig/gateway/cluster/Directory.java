package brig.gateway.cluster;

import brig.gateway.store.SpawnRecord;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.SpawnState;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawns on shared hosts, as their owners tell of them. An owner overwrites what those of smaller terms wrote, and
 * never the other way round.
 *
 * <p>Owned by the event loop.
 */
final class Directory {
    private static final Logger logger = LoggerFactory.getLogger(Directory.class);
    private static final byte[] REMOVED = {};

    /** @param term of the owner that wrote it; 0 if nobody owned the host */
    @Extensible
    record Told(String host, @OmitEmpty long term, SpawnRecord spawn) {}

    /** The last entry of a spawn that this gateway knows of. */
    private record Known(long revision, long term) {
        static final Known NONE = new Known(0, 0);

        static Known of(SharedTable.Entry entry) {
            return new Known(entry.revision(), read(entry).map(Told::term).orElse(0L));
        }

        Known later(Known other) {
            return other.revision > revision ? other : this;
        }
    }

    private final SharedTable table;
    private final Map<String, Known> known = new HashMap<>();
    /** By spawn_id, the hosts of spawns of which nobody told that they ended. */
    private final Map<String, String> unended = new HashMap<>();
    /** By spawn_id; what is written to one entry is written in order. */
    private final Map<String, CompletableFuture<Void>> writing = new HashMap<>();

    private CompletionStage<Void> taken = CompletableFuture.completedFuture(null);

    Directory(SharedTable table) {
        this.table = table;
    }

    /**
     * Tells of all spawns, then of each change.
     *
     * @return completes when it told of all that are there
     */
    CompletionStage<Void> open(Function<Told, CompletionStage<Void>> taker) {
        table.watch(entry -> handle(entry, taker));
        return settled();
    }

    private void handle(SharedTable.Entry entry, Function<Told, CompletionStage<Void>> taker) {
        unended.remove(entry.key());
        if (entry.isRemoved()) {
            known.remove(entry.key());
        } else {
            known.merge(entry.key(), Known.of(entry), Known::later);
            read(entry).ifPresent(told -> handle(told, taker));
        }
    }

    private void handle(Told told, Function<Told, CompletionStage<Void>> taker) {
        String spawnId = told.spawn().spawnId();
        if (!SpawnState.valueOf(told.spawn().course().state()).isFinal()) {
            unended.put(spawnId, told.host());
        }
        taken = taken.thenCompose(before -> taker.apply(told)).exceptionally(failure -> {
            logger.error("{} is not taken over: {}", spawnId, failure.toString());
            return null;
        });
    }

    /** The spawns of that host of which nobody told that they ended. */
    List<String> unended(String host) {
        return unended.entrySet().stream()
                .filter(entry -> entry.getValue().equals(host))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Optional<Told> read(SharedTable.Entry entry) {
        if (entry.isRemoved()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Json.read(entry.value(), Told.class));
        } catch (BrigException unreadable) {
            logger.error("the entry of {} cannot be read: {}", entry.key(), unreadable.getMessage());
            return Optional.empty();
        }
    }

    /** Completes when all that was told before the call was taken over. */
    CompletionStage<Void> settled() {
        return table.settled().thenCompose(told -> taken);
    }

    /** Whether there is an entry of that spawn. */
    boolean knows(String spawnId) {
        return known.containsKey(spawnId);
    }

    CompletionStage<Optional<Told>> find(String spawnId) {
        return table.read(spawnId).thenApply(found -> found.flatMap(Directory::read));
    }

    /** Tells of a spawn; fails with {@link StaleException} if an owner of a greater term did. */
    CompletionStage<Void> tell(Told told) {
        String key = told.spawn().spawnId();
        return inOrder(key, () -> write(told, known.getOrDefault(key, Known.NONE)));
    }

    private CompletionStage<Void> inOrder(String key, Supplier<CompletionStage<Void>> write) {
        CompletableFuture<Void> written = writing.getOrDefault(key, CompletableFuture.completedFuture(null))
                .handle((done, failure) -> null)
                .thenCompose(before -> write.get());
        writing.put(key, written);
        var _ = written.whenComplete((done, failure) -> writing.remove(key, written));
        return written;
    }

    private CompletionStage<Void> write(Told told, Known last) {
        String key = told.spawn().spawnId();
        if (last.term() > told.term()) {
            return CompletableFuture.failedFuture(
                    new StaleException("an owner of term " + last.term() + " tells of " + key));
        }
        return table.write(key, Json.write(told), last.revision())
                .thenAccept(next -> known.merge(key, new Known(next, told.term()), Known::later))
                .exceptionallyCompose(failure -> Reason.cause(failure) instanceof StaleException
                        ? overwrite(told)
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Void> overwrite(Told told) {
        String key = told.spawn().spawnId();
        return table.read(key)
                .thenCompose(found -> write(told, found.map(Known::of).orElse(Known.NONE)));
    }

    /** Nobody need know of that spawn any more. */
    CompletionStage<Void> forget(String spawnId) {
        return inOrder(
                spawnId,
                () -> table.read(spawnId)
                        .thenCompose(found -> found.filter(entry -> !entry.isRemoved())
                                .map(entry -> table.write(spawnId, REMOVED, entry.revision())
                                        .<Void>thenApply(removed -> null))
                                .orElseGet(() -> CompletableFuture.completedFuture(null))));
    }
}
