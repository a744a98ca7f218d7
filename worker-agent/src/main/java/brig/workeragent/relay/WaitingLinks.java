package brig.workeragent.relay;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressStream;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of the gateway, each of which waits for one of a wall. A thread of each reads it: it sees that the gateway
 * closes it, and after the gateway's answer passes its bytes on. Thread-safe.
 *
 * <p>Decision 0160.
 */
final class WaitingLinks {
    /** What uses a connection after the gateway accepted it. It may end it; it is closed afterwards. */
    interface Use {
        /** @param before what the gateway already sent */
        void run(SocketChannel gateway, ByteBuffer before) throws IOException, InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(WaitingLinks.class);
    /** The oldest beyond these is closed: it is the likeliest to lead nowhere. */
    static final int WAITING_MAX = 256;

    private static final int ANSWER_BYTES_MAX = 16 * 1024;
    /** How long the gateway may take to answer; a lost link is noticed by that. */
    private static final long ANSWER_MS = 10_000;

    private static final class Link {
        private final SocketChannel channel;
        /** Completed once, by who decides what becomes of it: its own thread, or one that waited too long. */
        private final CompletableFuture<Boolean> answered = new CompletableFuture<>();
        /** Null until it is taken. */
        private volatile @Nullable Use use;

        Link(SocketChannel channel) {
            this.channel = channel;
        }
    }

    private final LinkedBlockingDeque<Link> waiting = new LinkedBlockingDeque<>();

    /** Lets a connection wait, and serves it to its end. */
    void serve(SocketChannel channel) throws IOException {
        Link link = new Link(channel);
        waiting.addLast(link);
        Link oldest = waiting.size() > WAITING_MAX ? waiting.pollFirst() : null;
        if (oldest != null) {
            Lines.close(oldest.channel);
        }
        try {
            ByteBuffer bytes = ByteBuffer.allocate(ANSWER_BYTES_MAX);
            byte[] line = Lines.first(channel, bytes);
            Use use = link.use;
            if (line != null && use != null && isAccepted(line) && link.answered.complete(true)) {
                use.run(channel, bytes);
            }
        } catch (BrigException refused) {
            link.answered.completeExceptionally(refused);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.remove(link);
            link.answered.completeExceptionally(new IOException("the gateway closed it"));
        }
    }

    private static boolean isAccepted(byte[] line) {
        PortAnswer answer = Json.read(line, PortAnswer.class);
        if (answer.refusal() != null) {
            throw answer.refusal().toException();
        }
        return answer.ok() != null;
    }

    /**
     * Takes a connection for one of a wall, and waits until the gateway accepts it. One that turns out to be lost is
     * replaced by another.
     *
     * @return the connection; {@code use} runs on its own thread
     * @throws BrigException a refusal of the gateway; {@code WORKER_AGENT_UNAVAILABLE} if there is none in time
     */
    SocketChannel take(EgressStream stream, long waitMs, Use use) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
        byte[] line = Json.writeLine(stream);
        while (true) {
            Link link = waiting.pollLast(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (link == null) {
                throw new BrigException(
                        ErrorCode.WORKER_AGENT_UNAVAILABLE,
                        "the network of this worker is served at home, and the link there is down: nothing came of it"
                                + " for " + waitMs + " ms",
                        1);
            }
            link.use = use;
            try {
                Lines.write(link.channel, ByteBuffer.wrap(line));
                awaitAnswer(link, Math.min(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()), ANSWER_MS));
                return link.channel;
            } catch (IOException lost) {
                LOG.debug("a waiting connection of the gateway was lost: {}", lost.toString());
                Lines.close(link.channel);
            }
        }
    }

    private static void awaitAnswer(Link link, long waitMs) throws IOException, InterruptedException {
        try {
            try {
                link.answered.get(Math.max(1, waitMs), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                link.answered.completeExceptionally(new IOException("no answer after " + waitMs + " ms"));
                link.answered.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BrigException refused) {
                throw refused;
            }
            throw new IOException(e.getCause());
        }
    }

    /** How many wait. */
    int size() {
        return waiting.size();
    }
}
