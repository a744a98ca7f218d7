package brig.gateway.nats;

import brig.gateway.cluster.SharedTable;
import brig.gateway.cluster.StaleException;
import io.nats.client.Connection;
import io.nats.client.ConsumeOptions;
import io.nats.client.IterableConsumer;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.KeyValue;
import io.nats.client.Message;
import io.nats.client.PurgeOptions;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.KeyValueEntry;
import io.nats.client.api.KeyValueOperation;
import io.nats.client.api.OrderedConsumerConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
    private static final long RETRY_MS = 500;
    private static final Duration NEXT = Duration.ofMillis(500);
    /** A watch that is quiet looks whether it missed something once in so many times {@link #NEXT}. */
    private static final int CHECKS_EVERY = 4;

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
        Thread.ofVirtual().name("brig-watch-" + bucket.getBucketName()).start(new Watching(watcher));
    }

    /**
     * One watch, on a thread of its own, until the connection ends. It looks itself whether it missed something: the library may notice
     * only after half a minute that the server of its consumer is gone.
     */
    private final class Watching implements Runnable {
        private final Consumer<Entry> watcher;
        private long after;

        Watching(Consumer<Entry> watcher) {
            this.watcher = watcher;
        }

        @Override
        public void run() {
            while (connection.getStatus() != Connection.Status.CLOSED) {
                try {
                    watchOn();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                } catch (Exception e) {
                    logger.debug("{} is watched again from {}: {}", bucket.getBucketName(), after, e.toString());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
                }
            }
        }

        private void watchOn() throws Exception {
            OrderedConsumerConfiguration from =
                    new OrderedConsumerConfiguration().filterSubject(KEYS + bucket.getBucketName() + ".>");
            if (after == 0) {
                from.deliverPolicy(DeliverPolicy.LastPerSubject);
            } else {
                from.deliverPolicy(DeliverPolicy.ByStartSequence).startSequence(after + 1);
            }
            IterableConsumer consumer = connection
                    .getStreamContext(stream())
                    .createOrderedConsumer(from)
                    .iterate(ConsumeOptions.builder().expiresIn(NatsLog.PULL_MS).build());
            try {
                long missed = 0;
                for (int quiet = 0; connection.getStatus() != Connection.Status.CLOSED; quiet++) {
                    Message next = consumer.nextMessage(NEXT);
                    if (next != null) {
                        Entry entry = entry(new KeyValueEntry(next));
                        after = entry.revision();
                        loop.execute(() -> tell(entry));
                    } else if (missed > after) {
                        throw new IOException("revision " + missed + " does not come");
                    } else if (quiet % CHECKS_EVERY == 0) {
                        missed = last();
                    }
                }
            } finally {
                consumer.stop();
            }
        }

        private void tell(Entry entry) {
            watcher.accept(entry);
            advance(entry.revision());
            purgeRemoved(entry);
        }
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
