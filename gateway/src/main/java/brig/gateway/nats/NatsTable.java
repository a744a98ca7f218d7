package brig.gateway.nats;

import brig.gateway.cluster.SharedTable;
import brig.gateway.cluster.StaleException;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.KeyValue;
import io.nats.client.PurgeOptions;
import io.nats.client.api.KeyValueEntry;
import io.nats.client.api.KeyValueOperation;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key-value bucket. Values that say that a key was removed are deleted when a later value was seen: the last one
 * stays, by which {@link #settled} knows that all was told. Owned by the event loop.
 */
final class NatsTable implements SharedTable {
    private static final Logger logger = LoggerFactory.getLogger(NatsTable.class);
    /** What JetStream says where the last sequence is another one. */
    static final int WRONG_LAST_SEQUENCE = 10_071;

    private static final String KEYS = "$KV.";

    private final Connection connection;
    private final KeyValue bucket;
    private final JetStreamManagement management;
    private final Work work;
    private final Executor loop;
    /** By the revision that they wait for. */
    private final TreeMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();

    private long told;
    private @Nullable Entry removed;

    NatsTable(Connection connection, String bucket, JetStreamManagement management, Work work) throws IOException {
        this.connection = connection;
        this.bucket = connection.keyValue(bucket);
        this.management = management;
        this.work = work;
        this.loop = work.loop();
    }

    /** The revision of the last value of any key, as the leader says. */
    private long last() throws IOException, JetStreamApiException {
        return management.getStreamInfo(stream()).getStreamState().getLastSequence();
    }

    private String stream() {
        return "KV_" + bucket.getBucketName();
    }

    @Override
    public CompletionStage<Optional<Entry>> read(String key) {
        return work.run(() -> Optional.ofNullable(bucket.get(key)).map(NatsTable::entry));
    }

    private static Entry entry(KeyValueEntry found) {
        byte[] value = found.getOperation() == KeyValueOperation.PUT ? found.getValue() : null;
        return new Entry(found.getKey(), value == null ? new byte[0] : value, found.getRevision());
    }

    @Override
    public CompletionStage<Long> write(String key, byte[] value, long expected) {
        return work.run(() -> {
            try {
                return expected == 0 ? bucket.create(key, value) : bucket.update(key, value, expected);
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() != WRONG_LAST_SEQUENCE) {
                    throw e;
                }
                return overwriteRemoved(key, value, expected);
            }
        });
    }

    /** A key that is not there may have a value that says so. */
    private long overwriteRemoved(String key, byte[] value, long expected) throws IOException, JetStreamApiException {
        KeyValueEntry there = bucket.get(key);
        if (expected == 0 && there == null) {
            // It was purged meanwhile.
            return bucket.create(key, value);
        }
        if (expected != 0 || there == null || !entry(there).isRemoved()) {
            throw new StaleException(key + " is not at " + expected);
        }
        try {
            return bucket.update(key, value, there.getRevision());
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == WRONG_LAST_SEQUENCE) {
                throw new StaleException(key + " is back");
            }
            throw e;
        }
    }

    @Override
    public void watch(Consumer<Entry> watcher) {
        var _ = StreamReader.startWithLast(
                connection,
                management,
                stream(),
                messages -> messages.stream()
                        .map(message -> entry(new KeyValueEntry(message)))
                        .forEach(entry -> loop.execute(() -> tell(entry, watcher))));
    }

    private void tell(Entry entry, Consumer<Entry> watcher) {
        watcher.accept(entry);
        advance(entry.revision());
        purgeRemoved(entry);
    }

    /** Of several gateways that do the same, each may be the first. */
    private void purgeRemoved(Entry next) {
        Entry before = removed;
        removed = next.isRemoved() ? next : null;
        if (before != null) {
            PurgeOptions values = PurgeOptions.builder()
                    .subject(KEYS + bucket.getBucketName() + "." + before.key())
                    .sequence(before.revision() + 1)
                    .build();
            var _ = work.run(() -> management.purgeStream(stream(), values)).exceptionally(failure -> {
                logger.debug("{} stays as a removed key: {}", before.key(), failure.toString());
                return null;
            });
        }
    }

    private void advance(long revision) {
        told = Math.max(told, revision);
        while (!waiting.isEmpty() && waiting.firstKey() <= told) {
            waiting.pollFirstEntry().getValue().complete(null);
        }
    }

    @Override
    public CompletionStage<Void> settled() {
        return work.run(this::last)
                .thenCompose(last -> last <= told
                        ? CompletableFuture.completedFuture(null)
                        : waiting.computeIfAbsent(last, key -> new CompletableFuture<>())
                                .copy());
    }
}
