package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway on the control socket. The virtual thread that runs this reads requests and gives each a virtual
 * thread of its own, so that a spawn that takes its time holds nothing up; answers are written under a lock.
 */
final class ControlConnection implements LineDecoder.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(ControlConnection.class);
    /** A spawn request whose prompt is a whole message. */
    private static final int LINE_BYTES_MAX = Limits.MESSAGE_BYTES_MAX + 64 * 1024;
    /** Reading stops while so many requests are in flight. */
    private static final int REQUESTS_MAX = 1024;

    private static final int ID_CHARACTERS_MAX = 128;

    private final SocketChannel channel;
    private final ControlOperations operations;
    private final Semaphore places = new Semaphore(REQUESTS_MAX);
    private final ReentrantLock writing = new ReentrantLock();

    ControlConnection(SocketChannel channel, ControlOperations operations) {
        this.channel = channel;
        this.operations = operations;
    }

    /** Serves the gateway until it goes; what it asked for is finished nevertheless. */
    void run() {
        try {
            Lines.read(channel, new LineDecoder(LINE_BYTES_MAX, this));
        } catch (IOException e) {
            LOG.debug("control connection ended: {}", e.toString());
        }
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        Object id = null;
        try {
            Fields request = new Fields(Json.parseObject(bytes, offset, length));
            id = readId(request);
            Object known = id;
            places.acquireUninterruptibly();
            Thread.ofVirtual().name("control-" + id).start(() -> serve(known, request));
        } catch (BrigException e) {
            answer(refusal(id, e));
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        answer(refusal(null, new BrigException(code, "a line that cannot be read was skipped")));
    }

    private static Object readId(Fields request) {
        return switch (request.asMap().get("id")) {
            case Long number -> number;
            case String text when text.length() <= ID_CHARACTERS_MAX -> text;
            case null, default -> throw Fields.invalid("id", "must be a whole number or a short text");
        };
    }

    private void serve(Object id, Fields request) {
        try {
            ControlOperations.Outcome outcome = operations.run(request);
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("id", id);
            line.put("ok", outcome.answer());
            answer(line);
            outcome.afterwards().run();
        } catch (BrigException e) {
            answer(refusal(id, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("a control request failed", e);
            answer(refusal(id, new BrigException(ErrorCode.INTERNAL, "internal error; see the worker-agent's log")));
        } finally {
            places.release();
        }
    }

    private static Map<String, @Nullable Object> refusal(@Nullable Object id, BrigException e) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("id", id);
        line.put("error", e.getMessage());
        line.put("code", e.code());
        e.retryAfterSeconds().ifPresent(seconds -> line.put("retry_after_seconds", seconds));
        return line;
    }

    private void answer(Map<String, ?> line) {
        writing.lock();
        try {
            Lines.write(channel, ByteBuffer.wrap(Json.writeLine(line)));
        } catch (IOException e) {
            LOG.debug("an answer found no reader: {}", e.toString());
        } finally {
            writing.unlock();
        }
    }
}
