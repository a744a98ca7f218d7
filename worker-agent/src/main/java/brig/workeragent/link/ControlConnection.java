package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.ControlAnswer;
import brig.protocol.control.ControlCall;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.LineDecoder;
import brig.workeragent.relay.Lines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's control connection. The virtual thread that runs this reads requests and runs each on a
 * virtual thread of its own, so that a slow spawn delays nothing; answers are written under a lock.
 */
final class ControlConnection implements LineDecoder.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(ControlConnection.class);
    /** A spawn request whose prompt is a whole message. */
    private static final int LINE_BYTES_MAX = Limits.MESSAGE_BYTES_MAX + 64 * 1024;
    /** Reading stops while this many requests are in flight. */
    private static final int REQUESTS_MAX = 1024;

    private final SocketChannel channel;
    private final ControlOperations operations;
    private final Runnable heard;
    private final Semaphore places = new Semaphore(REQUESTS_MAX);
    private final ReentrantLock writing = new ReentrantLock();

    /** @param heard is run for each line */
    ControlConnection(SocketChannel channel, ControlOperations operations, Runnable heard) {
        this.channel = channel;
        this.operations = operations;
        this.heard = heard;
    }

    /**
     * Serves the gateway until it disconnects; its pending requests are still completed.
     *
     * @param before what came after the first line
     */
    void run(ByteBuffer before) {
        try {
            Lines.read(channel, before, new LineDecoder(LINE_BYTES_MAX, this));
        } catch (IOException e) {
            LOG.debug("control connection ended: {}", e.toString());
        }
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        heard.run();
        Object id = null;
        try {
            JsonObject line = JsonObject.read(bytes, offset, length);
            id = ControlCall.requireId(line.value("id"));
            ControlCall call = line.as(ControlCall.class);
            places.acquireUninterruptibly();
            Thread.ofVirtual().name("control-" + id).start(() -> serve(call));
        } catch (BrigException e) {
            answer(ControlAnswer.refused(id, e));
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        answer(ControlAnswer.refused(null, new BrigException(code, "a line that cannot be read was skipped")));
    }

    private void serve(ControlCall call) {
        try {
            ControlOperations.Outcome outcome = operations.run(call.request());
            answer(ControlAnswer.of(call.id(), outcome.answer()));
            outcome.afterwards().run();
        } catch (BrigException e) {
            answer(ControlAnswer.refused(call.id(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("a control request failed", e);
            answer(ControlAnswer.refused(
                    call.id(), new BrigException(ErrorCode.INTERNAL, "internal error; see the worker-agent's log")));
        } finally {
            places.release();
        }
    }

    private void answer(ControlAnswer line) {
        writing.lock();
        try {
            Lines.write(channel, ByteBuffer.wrap(Json.writeLine(line)));
        } catch (IOException e) {
            LOG.debug("an answer could not be delivered: {}", e.toString());
        } finally {
            writing.unlock();
        }
    }
}
