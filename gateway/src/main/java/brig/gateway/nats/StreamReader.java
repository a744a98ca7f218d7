package brig.gateway.nats;

import io.nats.client.Connection;
import io.nats.client.ConsumeOptions;
import io.nats.client.IterableConsumer;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.OrderedConsumerConfiguration;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the messages of a stream in order, on a thread of its own, until it is closed or the connection is. It looks itself
 * whether it missed something: the library may notice only after half a minute that the server of its consumer is gone.
 */
final class StreamReader implements AutoCloseable {
    /** Takes messages, and returns when it can take more. */
    @FunctionalInterface
    interface Taker {
        void take(List<Message> messages) throws Exception;
    }

    private static final Logger logger = LoggerFactory.getLogger(StreamReader.class);
    private static final long RETRY_MS = 500;
    private static final Duration NEXT = Duration.ofMillis(500);
    /** The next one if it is here already. */
    private static final @Nullable Duration NO_WAIT = null;
    /** A server that is gone is noticed after one and a half of it: the library waits for three heartbeats, of half of it each. */
    private static final long PULL_MS = 2_000;
    /** A stream that is quiet is looked at once in so many times {@link #NEXT}. */
    private static final int CHECKS_EVERY = 4;

    private static final int BUFFERED_BYTES = 4 * 1024 * 1024;
    /** At most so much is given at a time. */
    private static final int BATCH_BYTES = 256 * 1024;

    private final Connection connection;
    private final JetStreamManagement management;
    private final String stream;
    private final Taker taker;
    private final Thread thread;
    private long after;
    private boolean skipsOld;
    private volatile boolean closed;

    private StreamReader(
            Connection connection,
            JetStreamManagement management,
            String stream,
            long after,
            boolean skipsOld,
            Taker taker) {
        this.connection = connection;
        this.management = management;
        this.stream = stream;
        this.after = after;
        this.skipsOld = skipsOld;
        this.taker = taker;
        this.thread = Thread.ofVirtual().name("brig-reads-" + stream).unstarted(this::run);
    }

    /** Begins behind that position. */
    static StreamReader start(
            Connection connection, JetStreamManagement management, String stream, long after, Taker taker) {
        return new StreamReader(connection, management, stream, after, false, taker).start();
    }

    /** Begins with the last message of each subject. */
    static StreamReader startWithLast(
            Connection connection, JetStreamManagement management, String stream, Taker taker) {
        return new StreamReader(connection, management, stream, 0, true, taker).start();
    }

    private StreamReader start() {
        thread.start();
        return this;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private boolean isOpen() {
        return !closed && connection.getStatus() != Connection.Status.CLOSED;
    }

    private void run() {
        while (isOpen()) {
            try {
                readOn();
            } catch (InterruptedException e) {
                // Closed, or the program ends.
                Thread.currentThread().interrupt();
                return;
            } catch (Exception e) {
                logger.debug("{} is read again from {}: {}", stream, after, e.toString());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
            }
        }
    }

    private void readOn() throws Exception {
        IterableConsumer consumer = consumer();
        try {
            long last = 0;
            for (int quiet = 0; isOpen(); quiet++) {
                Message first = consumer.nextMessage(NEXT);
                if (first != null) {
                    List<Message> messages = batch(first, consumer);
                    taker.take(messages);
                    after = messages.getLast().metaData().streamSequence();
                    skipsOld = false;
                } else if (last > after) {
                    throw new IOException("message " + last + " does not come");
                } else if (quiet % CHECKS_EVERY == 0) {
                    StreamState state = management.getStreamInfo(stream).getStreamState();
                    last = state.getMsgCount() == 0 ? 0 : state.getLastSequence();
                }
            }
        } finally {
            consumer.stop();
        }
    }

    private IterableConsumer consumer() throws Exception {
        OrderedConsumerConfiguration from = new OrderedConsumerConfiguration();
        if (skipsOld) {
            from.deliverPolicy(DeliverPolicy.LastPerSubject);
        } else {
            from.deliverPolicy(DeliverPolicy.ByStartSequence).startSequence(after + 1);
        }
        return connection
                .getStreamContext(stream)
                .createOrderedConsumer(from)
                .iterate(ConsumeOptions.builder()
                        .batchBytes(BUFFERED_BYTES)
                        .expiresIn(PULL_MS)
                        .build());
    }

    /** What has arrived: to wait for more would make the first ones late. */
    private static List<Message> batch(Message first, IterableConsumer consumer) throws Exception {
        List<Message> messages = new ArrayList<>();
        int bytes = 0;
        for (Message next = first; next != null; next = bytes < BATCH_BYTES ? consumer.nextMessage(NO_WAIT) : null) {
            messages.add(next);
            bytes += next.getData().length;
        }
        return messages;
    }
}
