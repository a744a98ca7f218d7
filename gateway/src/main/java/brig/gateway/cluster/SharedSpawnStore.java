package brig.gateway.cluster;

import brig.gateway.store.RequestRecord;
import brig.gateway.store.SpawnRecord;
import brig.gateway.store.SpawnStore;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.SpawnState;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Keeps spawns in this gateway's own store, and tells the other gateways of those on hosts that it owns. What was asked for
 * under a request_id is kept where all gateways see it.
 *
 * <p>Owned by the event loop.
 */
final class SharedSpawnStore implements SpawnStore {
    /** What is known of owners. */
    interface Terms {
        boolean isShared(@Nullable String host);

        /** Of this gateway; 0 if it does not own that host. */
        long term(String host);
    }

    private static final byte[] REMOVED = {};

    private final SpawnStore own;
    private final Directory directory;
    private final SharedTable requests;
    private final Terms terms;

    SharedSpawnStore(SpawnStore own, Directory directory, SharedTable requests, Terms terms) {
        this.own = own;
        this.directory = directory;
        this.requests = requests;
        this.terms = terms;
    }

    private static @Nullable String host(SpawnRecord spawn) {
        return JsonObject.read(spawn.course().providerIds().getBytes(StandardCharsets.UTF_8))
                .text("host");
    }

    /** What only an owner may begin is refused where nobody could be told of it. */
    @Override
    public CompletionStage<Void> save(SpawnRecord spawn) {
        return isOrphan(spawn) ? refused(spawn) : own.save(spawn).thenCompose(saved -> tell(spawn));
    }

    /** Whether it begins without an owner of its host, which this gateway may have been a moment ago. */
    private boolean isOrphan(SpawnRecord spawn) {
        boolean begins = switch (SpawnState.valueOf(spawn.course().state())) {
            case REQUESTED, SPAWNING -> true;
            case RUNNING, UNKNOWN, UNREACHABLE, TERMINATED, FAILED -> false;
        };
        return begins && isShared(spawn) && terms.term(String.valueOf(host(spawn))) == 0;
    }

    private static CompletionStage<Void> refused(SpawnRecord spawn) {
        return CompletableFuture.failedFuture(new BrigException(
                ErrorCode.HOST_UNREACHABLE, "this gateway does not own host " + host(spawn) + " any more", 1));
    }

    private CompletionStage<Void> tell(SpawnRecord spawn) {
        String host = host(spawn);
        if (isOrphan(spawn)) {
            return refused(spawn);
        }
        long term = host == null || !terms.isShared(host) ? 0 : terms.term(host);
        return host == null || term == 0
                ? CompletableFuture.completedFuture(null)
                : directory.tell(new Directory.Told(host, term, spawn));
    }

    @Override
    public CompletionStage<Void> begin(SpawnRecord spawn, RequestRecord request) {
        return requests.write(key(request.key()), Json.write(request), 0)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Reason.cause(failure) instanceof StaleException
                                ? new BrigException(
                                        ErrorCode.IDEMPOTENCY_CONFLICT,
                                        "request_id " + request.key().requestId() + " is in use")
                                : failure))
                .thenCompose(claimed -> save(spawn));
    }

    /** Any characters may be in a key. */
    private static String key(RequestRecord.Key key) {
        return Ids.hash(String.join("\n", key.provider(), key.project(), key.requestId()));
    }

    @Override
    public CompletionStage<Optional<RequestRecord>> find(RequestRecord.Key key) {
        return entry(key).thenApply(found -> found.map(entry -> Json.read(entry.value(), RequestRecord.class)));
    }

    private CompletionStage<Optional<SharedTable.Entry>> entry(RequestRecord.Key key) {
        return requests.read(key(key)).thenApply(found -> found.filter(entry -> !entry.isRemoved()));
    }

    @Override
    public CompletionStage<Void> answer(RequestRecord.Key key, String answer) {
        return entry(key)
                .thenCompose(found -> found.map(entry -> {
                            RequestRecord asked = Json.read(entry.value(), RequestRecord.class);
                            RequestRecord answered = new RequestRecord(
                                    asked.key(), asked.fingerprint(), asked.spawnId(), asked.createdMs(), answer);
                            return requests.write(entry.key(), Json.write(answered), entry.revision())
                                    .<Void>thenApply(written -> null);
                        })
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    @Override
    public CompletionStage<Void> forget(RequestRecord.Key key) {
        return entry(key)
                .thenCompose(found -> found.map(entry -> requests.write(entry.key(), REMOVED, entry.revision())
                                .<Void>thenApply(written -> null))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** The table forgets by itself. */
    @Override
    public CompletionStage<Void> forgetBefore(long createdMs) {
        return own.forgetBefore(createdMs);
    }

    /**
     * This gateway's own spawns, and those of which other gateways tell no more. Of a live one on a shared host that nobody
     * tells of, as after the loss of what is shared, the others are told.
     */
    @Override
    public CompletionStage<List<SpawnRecord>> load() {
        return own.load().thenCompose(all -> {
            List<SpawnRecord> untold = all.stream()
                    .filter(spawn -> isShared(spawn) && !isOver(spawn) && !directory.knows(spawn.spawnId()))
                    .toList();
            return CompletableFuture.allOf(untold.stream()
                            .map(spawn -> directory
                                    .tell(new Directory.Told(String.valueOf(host(spawn)), 0, spawn))
                                    .toCompletableFuture())
                            .toArray(CompletableFuture<?>[]::new))
                    .thenApply(told -> all.stream()
                            .filter(spawn -> !isShared(spawn) || (isOver(spawn) && !directory.knows(spawn.spawnId())))
                            .toList());
        });
    }

    private boolean isShared(SpawnRecord spawn) {
        return terms.isShared(host(spawn));
    }

    private static boolean isOver(SpawnRecord spawn) {
        return SpawnState.valueOf(spawn.course().state()).isFinal();
    }

    @Override
    public CompletionStage<List<Ended>> ended() {
        return own.ended();
    }

    /** What this gateway deletes, others may keep; but nobody is told of it any more. */
    @Override
    public CompletionStage<List<String>> prune(List<String> spawnIds) {
        return own.prune(spawnIds)
                .thenCompose(pruned -> CompletableFuture.allOf(pruned.stream()
                                .filter(directory::knows)
                                .map(spawnId -> directory.forget(spawnId).toCompletableFuture())
                                .toArray(CompletableFuture<?>[]::new))
                        .thenApply(forgotten -> pruned));
    }

    @Override
    public CompletionStage<List<String>> pruned() {
        return own.pruned();
    }

    @Override
    public CompletionStage<Void> swept(List<String> spawnIds) {
        return own.swept(spawnIds);
    }

    @Override
    public void close() {
        own.close();
    }
}
