package brig.gateway.nats;

import brig.gateway.cluster.Run;
import brig.gateway.cluster.SharedLog;
import brig.gateway.cluster.StaleException;
import brig.protocol.Ids;
import brig.protocol.Reason;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.PublishOptions;
import io.nats.client.api.MessageInfo;
import io.nats.client.impl.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

    private static String shownSubject(String host, String spawnId) {
        return "brig.shown." + host + "." + spawnId;
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
            Headers headers = headers(run);
            byte[] data = PackedLines.pack(run.lines(), headers);
            PublishOptions options = PublishOptions.builder()
                    .expectedStream(stream(host))
                    .expectedLastSubjectSequence(after)
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

    private static Headers headers(Run run) {
        return new Headers()
                .add(TERM, String.valueOf(run.term()))
                .add(FIRST, String.valueOf(run.firstSeq()))
                .add(LAST, String.valueOf(run.lastSeq()));
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
        return StreamReader.start(
                connection, management, stream(host), after, messages -> give(runs(host, messages), reader))::close;
    }

    private static List<Placed> runs(String host, List<Message> messages) {
        List<Placed> runs = new ArrayList<>();
        for (Message message : messages) {
            long position = message.metaData().streamSequence();
            Run run = read(message.getSubject(), message.getHeaders(), message.getData());
            if (run == null) {
                logger.warn("message {} of the log of host {} is no run and is passed over", position, host);
            } else {
                runs.add(new Placed(position, run));
            }
        }
        return runs;
    }

    private void give(List<Placed> runs, Reader reader) throws Exception {
        CompletableFuture<Void> given = new CompletableFuture<>();
        work.loop().execute(() -> reader.handle(runs).whenComplete((done, failure) -> given.complete(null)));
        given.get();
    }

    @Override
    public void show(String host, Run run) {
        // Without a connection it would be kept until there is one, and come late.
        if (connection.getStatus() == Connection.Status.CONNECTED) {
            try {
                connection.publish(shownSubject(host, run.spawnId()), headers(run), run.lines());
            } catch (RuntimeException e) {
                logger.debug("{} is not shown: {}", run.id(), e.toString());
            }
        }
    }

    @Override
    public Reading watch(String host, Consumer<Run> watcher) {
        String subject = shownSubject(host, "*");
        Dispatcher dispatcher = connection.createDispatcher(message -> {
            Run run = read(message.getSubject(), message.getHeaders(), message.getData());
            if (run != null) {
                work.loop().execute(() -> watcher.accept(run));
            }
        });
        dispatcher.subscribe(subject);
        return () -> connection.closeDispatcher(dispatcher);
    }
}
