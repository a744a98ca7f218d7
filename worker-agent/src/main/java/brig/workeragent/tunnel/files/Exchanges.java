package brig.workeragent.tunnel.files;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the far side has not answered yet. It numbers them itself, so that no answer of the far side can be
 * taken for that to another request. Not thread-safe: its owner has a lock.
 */
final class Exchanges {
    /** One answer of the expected type, or a status. */
    static final class Reply {
        private final int type;
        private final byte[] packet;

        Reply(int type, byte[] packet) {
            this.type = type;
            this.packet = packet;
        }

        int type() {
            return type;
        }

        byte[] packet() {
            return packet;
        }

        /** Its fields after the id. */
        SftpReader fields() {
            SftpReader in = new SftpReader(packet);
            in.u8();
            in.u32();
            return in;
        }

        /** The code of a status; {@code OK} for any other answer. */
        int status() {
            return type == Sftp.STATUS ? fields().u32() : Sftp.OK;
        }
    }

    private record Exchange(int expected, int cost, long sentNanos, CompletableFuture<Reply> answer) {}

    private final Consumer<byte[]> server;
    private final LongSupplier nanos;
    private final Map<Integer, Exchange> open = new LinkedHashMap<>();
    private @Nullable SftpFault fault;
    private int lastId;
    private long cost;
    private long heardNanos;

    Exchanges(Consumer<byte[]> server, LongSupplier nanos) {
        this.server = server;
        this.nanos = nanos;
        this.heardNanos = nanos.getAsLong();
    }

    /**
     * Sends a request under an id of its own.
     *
     * @param expected the type of its answer; a status is always possible, one that says yes only if it is expected
     * @param cost bytes that it takes here until it is answered
     */
    CompletableFuture<Reply> ask(SftpWriter request, int expected, int cost) {
        return ask(request.done(), expected, cost);
    }

    CompletableFuture<Reply> ask(byte[] request, int expected, int cost) {
        do {
            lastId++;
        } while (open.containsKey(lastId));
        Exchange exchange = new Exchange(expected, cost, nanos.getAsLong(), new CompletableFuture<>());
        open.put(lastId, exchange);
        this.cost += cost;
        server.accept(SftpWriter.withId(request, lastId));
        return exchange.answer();
    }

    /** Goes on with what was asked. A fault that the step finds in the answer ends {@link #handle}. */
    <T> void then(CompletableFuture<T> answer, Consumer<T> step) {
        var _ = answer.thenAccept(step).exceptionally(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            fault = cause instanceof SftpFault found ? found : new SftpFault(String.valueOf(cause));
            return null;
        });
    }

    /**
     * Takes a packet of the far side.
     *
     * @throws SftpFault if it answers nothing that was asked
     */
    void handle(byte[] packet) {
        SftpReader in = new SftpReader(packet);
        int type = in.u8();
        Exchange exchange = open.remove(in.u32());
        if (exchange == null) {
            throw new SftpFault("an answer to nothing");
        }
        cost -= exchange.cost();
        heardNanos = nanos.getAsLong();
        if (type != exchange.expected() && type != Sftp.STATUS) {
            throw new SftpFault("an answer of type " + type);
        }
        Reply reply = new Reply(type, packet);
        if (type == Sftp.STATUS && exchange.expected() != Sftp.STATUS && reply.status() == Sftp.OK) {
            throw new SftpFault("an answer without content");
        }
        exchange.answer().complete(reply);
        if (fault != null) {
            throw fault;
        }
    }

    int count() {
        return open.size();
    }

    /** The sum of what open requests take here. */
    long cost() {
        return cost;
    }

    /** How long the far side has said nothing although something is open; 0 if nothing is. */
    long silentNanos() {
        if (open.isEmpty()) {
            return 0;
        }
        long oldest = oldestNanos();
        return Math.min(oldest, nanos.getAsLong() - heardNanos);
    }

    /** The age of the oldest open request; 0 if nothing is open. */
    long oldestNanos() {
        return open.isEmpty()
                ? 0
                : nanos.getAsLong() - open.values().iterator().next().sentNanos();
    }
}
