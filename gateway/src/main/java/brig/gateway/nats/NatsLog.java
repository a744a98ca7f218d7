package brig.gateway.nats;

import brig.gateway.cluster.Run;
import brig.gateway.cluster.SharedLog;
import brig.gateway.cluster.StaleException;
import brig.protocol.Ids;
import brig.protocol.Reason;
import io.nats.client.Connection;
import io.nats.client.ConsumeOptions;
import io.nats.client.IterableConsumer;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.PublishOptions;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.OrderedConsumerConfiguration;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream for each host, a subject for each spawn. A run is a message; its headers have the term and the numbers of its
 * frames.
 */
final class NatsLog implements SharedLog {
    private static final Logger logger = LoggerFactory.getLogger(NatsLog.class);
    private static final String TERM = "Brig-Term";
    private static final String FIRST = "Brig-First";
    private static final String LAST = "Brig-Last";
    private static final int NO_MESSAGE = 10_037;
    private static final long ANSWER_MS = 5_000;
    private static final long RETRY_MS = 500;
    private static final Duration NEXT = Duration.ofMillis(500);
    /** The next one if it is here already. */
    private static final @Nullable Duration NO_WAIT = null;
    /** A server that is gone is noticed after one and a half of it: the library waits for three heartbeats, of half of it each. */
    static final long PULL_MS = 2_000;
    /** At most so much is given at a time. */
    private static final int BATCH_BYTES = 1024 * 1024;

    private final Connection connection;
    private final JetStream jetStream;
    private final JetStreamManagement management;
    private final Work work;

    NatsLog(Connection connection, JetStream jetStream, JetStreamManagement management, Work work) {
        this.connection = connection;
        this.jetStream = jetStream;
        this.management = management;
        this.work = work;
    }

    static String stream(String host) {
        return "brig-log-" + host;
    }

    static String subject(String host, String spawnId) {
        return "brig.log." + host + "." + spawnId;
    }

    @Override
    public CompletionStage<Long> append(String host, Run run, long after) {
        CompletableFuture<Long> placed = new CompletableFuture<>();
        if (run.lines().length < PackedLines.BYTES_MIN) {
            publish(host, run, after, placed);
        } else {
            // Deflating takes a good part of a millisecond, which the event loop has for others.
            work.threads().execute(() -> publish(host, run, after, placed));
        }
        return placed.exceptionallyCompose(
                failure -> isStale(failure) ? checkStale(host, run) : CompletableFuture.failedFuture(failure));
    }

    private void publish(String host, Run run, long after, CompletableFuture<Long> placed) {
        try {
            Headers headers = new Headers()
                    .add(TERM, String.valueOf(run.term()))
                    .add(FIRST, String.valueOf(run.firstSeq()))
                    .add(LAST, String.valueOf(run.lastSeq()));
            byte[] data = PackedLines.pack(run.lines(), headers);
            PublishOptions options = PublishOptions.builder()
                    .expectedStream(stream(host))
                    .expectedLastSubjectSequence(after)
                    .messageId(run.id())
                    .build();
            var _ = jetStream
                    .publishAsync(subject(host, run.spawnId()), headers, data, options)
                    .orTimeout(ANSWER_MS, TimeUnit.MILLISECONDS)
                    .whenComplete((ack, failure) -> work.loop().execute(() -> {
                        if (failure == null) {
                            placed.complete(ack.getSeqno());
                        } else {
                            placed.completeExceptionally(failure);
                        }
                    }));
        } catch (RuntimeException e) {
            work.loop().execute(() -> placed.completeExceptionally(e));
        }
    }

    private static boolean isStale(Throwable failure) {
        Throwable cause = Reason.cause(failure);
        while (cause.getCause() != null && !(cause instanceof JetStreamApiException)) {
            cause = cause.getCause();
        }
        return cause instanceof JetStreamApiException refusal
                && refusal.getApiErrorCode() == NatsTable.WRONG_LAST_SEQUENCE;
    }

    /** A repetition of what arrived, but whose answer did not, is no other writer. */
    private CompletionStage<Long> checkStale(String host, Run run) {
        return last(host, run.spawnId())
                .thenApply(last -> last.filter(placed -> placed.run().isSame(run))
                        .map(Placed::position)
                        .orElseThrow(
                                () -> new CompletionException(new StaleException(run.id() + " is not the next run"))));
    }

    @Override
    public CompletionStage<Optional<Placed>> last(String host, String spawnId) {
        return work.run(() -> {
            try {
                MessageInfo last = management.getLastMessage(stream(host), subject(host, spawnId));
                Run run = read(last.getSubject(), last.getHeaders(), last.getData());
                if (run == null) {
                    throw new IllegalStateException("the last message of " + spawnId + " is no run");
                }
                return Optional.of(new Placed(last.getSeq(), run));
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() == NO_MESSAGE) {
                    return Optional.<Placed>empty();
                }
                throw e;
            }
        });
    }

    /** Null if it is no run: other programs may write to the stream. */
    static @Nullable Run read(@Nullable String subject, @Nullable Headers headers, byte @Nullable [] data) {
        if (subject == null || headers == null) {
            return null;
        }
        String spawnId = subject.substring(subject.lastIndexOf('.') + 1);
        long term = number(headers.getFirst(TERM));
        long first = number(headers.getFirst(FIRST));
        long last = number(headers.getFirst(LAST));
        byte[] lines = PackedLines.unpack(data == null ? new byte[0] : data, headers);
        if (lines == null) {
            return null;
        }
        long count = 0;
        for (byte one : lines) {
            count += one == '\n' ? 1 : 0;
        }
        boolean whole = lines.length == 0 || lines[lines.length - 1] == '\n';
        return !Ids.isSpawnId(spawnId) || term < 1 || first < 1 || last - first + 1 != count || !whole
                ? null
                : new Run(spawnId, term, first, last, lines);
    }

    static long number(@Nullable String text) {
        return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }

    @Override
    public Reading follow(String host, long after, Reader reader) {
        Following following = new Following(host, after, reader);
        Thread thread = Thread.ofVirtual().name("brig-feed-" + host).start(following);
        return () -> {
            following.closed = true;
            thread.interrupt();
        };
    }

    /** One reading of a host's stream, on a thread of its own. */
    private final class Following implements Runnable {
        private final String host;
        private final Reader reader;
        private long after;
        private volatile boolean closed;

        Following(String host, long after, Reader reader) {
            this.host = host;
            this.after = after;
            this.reader = reader;
        }

        @Override
        public void run() {
            while (!closed) {
                try {
                    readOn();
                } catch (InterruptedException e) {
                    // Closed, or the program ends.
                    Thread.currentThread().interrupt();
                    return;
                } catch (Exception e) {
                    logger.debug("the log of host {} is read again from {}: {}", host, after, e.toString());
                    pause();
                }
            }
        }

        private void readOn() throws Exception {
            IterableConsumer consumer = consumer();
            try {
                while (!closed) {
                    Message first = consumer.nextMessage(NEXT);
                    if (first != null) {
                        give(batch(first, consumer));
                    }
                }
            } finally {
                consumer.stop();
            }
        }

        private IterableConsumer consumer() throws Exception {
            OrderedConsumerConfiguration from = new OrderedConsumerConfiguration()
                    .deliverPolicy(DeliverPolicy.ByStartSequence)
                    .startSequence(after + 1);
            return connection
                    .getStreamContext(stream(host))
                    .createOrderedConsumer(from)
                    .iterate(ConsumeOptions.builder()
                            .batchBytes(4 * BATCH_BYTES)
                            .expiresIn(PULL_MS)
                            .build());
        }

        /** What has arrived: to wait for more would make the first ones late. */
        private List<Placed> batch(Message first, IterableConsumer consumer) throws Exception {
            List<Placed> runs = new ArrayList<>();
            int bytes = 0;
            for (Message next = first;
                    next != null;
                    next = bytes < BATCH_BYTES ? consumer.nextMessage(NO_WAIT) : null) {
                after = next.metaData().streamSequence();
                Run run = read(next.getSubject(), next.getHeaders(), next.getData());
                if (run == null) {
                    logger.warn("message {} of the log of host {} is no run and is passed over", after, host);
                } else {
                    runs.add(new Placed(after, run));
                    bytes += run.lines().length;
                }
            }
            return runs;
        }

        private void give(List<Placed> runs) throws Exception {
            CompletableFuture<Void> given = new CompletableFuture<>();
            work.loop().execute(() -> reader.handle(runs).whenComplete((done, failure) -> given.complete(null)));
            given.get();
        }

        private void pause() {
            try {
                Thread.sleep(RETRY_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                closed = true;
            }
        }
    }
}
