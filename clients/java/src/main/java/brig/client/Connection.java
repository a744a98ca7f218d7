package brig.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a session: tells lines, and sorts what comes into answers and messages.
 *
 * <p>Brig works off lines in order and answers only a refusal, or {@code ping}. So behind each line goes a {@code ping}: an
 * error before its {@code pong} is that line's, and a {@code pong} alone says that Brig has taken it. What becomes of an
 * answer to an ask names the ask.
 */
final class Connection {
    private static final String PING = "{\"action\":\"ping\"}\n";

    private final Wire wire;
    /** What is told goes out in the order in which it stands in {@code told}. */
    private final ReentrantLock telling = new ReentrantLock();

    private final Deque<Told> told = new ConcurrentLinkedDeque<>();
    private final Deque<Told> undecided = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    // Of the thread that reads.
    private final LineReader reader = new LineReader(Gateway.FRAME_BYTES_MAX);
    private final Deque<LineReader.Line> lines = new ArrayDeque<>();
    private @Nullable BrigException fault;
    private @Nullable BrigException refusal;

    Connection(Wire wire) {
        this.wire = wire;
    }

    /** A line that Brig has not answered for yet. */
    private record Told(
            CompletableFuture<@Nullable Void> taken,
            @Nullable String askId) {
        void end(@Nullable BrigException failure) {
            if (failure == null) {
                taken.complete(null);
            } else {
                taken.completeExceptionally(failure);
            }
        }
    }

    /** A frame, or a message about the connection, and its length. */
    record Message(Frame frame, int bytes) {}

    /** The line that says that Brig has let us in. */
    Frame welcome() {
        Frame line = new Frame(line().object());
        if (line.type().equals("authenticated")) {
            return line;
        }
        if (line.has("error")) {
            throw BrigException.of(line.fields());
        }
        throw new BrigException("PROTOCOL_VIOLATION", "Brig did not begin with authenticated");
    }

    /** What comes next beside answers. Waits. */
    Message message() {
        while (true) {
            LineReader.Line line = line();
            Frame frame = new Frame(line.object());
            if (!settle(frame)) {
                return new Message(frame, line.bytes());
            }
        }
    }

    private LineReader.Line line() {
        while (lines.isEmpty()) {
            if (fault != null) {
                throw fault;
            }
            byte[] piece = wire.read();
            if (piece.length == 0) {
                throw lost();
            }
            LineReader.Lines read = reader.read(piece);
            lines.addAll(read.lines());
            fault = read.fault();
        }
        return lines.remove();
    }

    /** Whether a line is an answer to something that was told. */
    private boolean settle(Frame line) {
        boolean isError = line.type().equals("error") && !line.has("seq");
        String askId = line.has("seq") ? null : line.text("ask_id");
        if (line.type().equals("pong")) {
            Told oldest = told.poll();
            if (oldest != null) {
                oldest.end(refusal);
            }
            refusal = null;
            return true;
        }
        if (askId != null) {
            return settleAsk(askId, isError ? BrigException.of(line.fields()) : null);
        }
        if (isError && line.has("from")) {
            throw new BrigException("CONNECTION_LOST", line.text("error", ""), BrigException.of(line.fields()));
        }
        if (isError && !told.isEmpty() && !line.text("code", "").equals("RECORD_LOST")) {
            refusal = refusal == null ? BrigException.of(line.fields()) : refusal;
            return true;
        }
        return false;
    }

    private boolean settleAsk(String askId, @Nullable BrigException failure) {
        Told first = undecided.stream()
                .filter(one -> askId.equals(one.askId()))
                .findFirst()
                .orElse(null);
        if (first == null || !undecided.remove(first)) {
            return false;
        }
        first.end(failure);
        return true;
    }

    /** Whether Brig owes an answer that somebody waits for. */
    boolean isWaiting() {
        return told.stream().anyMatch(one -> !one.taken().isDone())
                || undecided.stream().anyMatch(one -> !one.taken().isDone());
    }

    /**
     * Sends a line. Waits while Brig does not read.
     *
     * @param taken ends when Brig has taken it, or refuses it, or nobody knows
     * @param handleWaiting runs when the answer is due, before the line goes out
     */
    void tell(
            Map<String, ? extends @Nullable Object> line,
            CompletableFuture<@Nullable Void> taken,
            Runnable handleWaiting) {
        String askId = line.get("ask_id") instanceof String id ? id : null;
        telling.lock();
        try {
            (askId == null ? told : undecided).add(new Told(taken, askId));
            if (closed) {
                loseAll();
                return;
            }
            handleWaiting.run();
            wire.write(Json.write(line) + "\n" + (askId == null ? PING : ""));
        } catch (BrigException e) {
            taken.completeExceptionally(e);
        } finally {
            telling.unlock();
        }
    }

    /** Ends it; what was told and not answered is lost. */
    void close() {
        closed = true;
        wire.close();
        loseAll();
    }

    private void loseAll() {
        for (Deque<Told> all : List.of(told, undecided)) {
            for (Told one = all.poll(); one != null; one = all.poll()) {
                one.end(lost());
            }
        }
    }

    private static BrigException lost() {
        return new BrigException("CONNECTION_LOST", "the connection to the session was lost");
    }
}
