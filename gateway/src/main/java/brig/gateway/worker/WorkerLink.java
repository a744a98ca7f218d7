package brig.gateway.worker;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.FrameDecoder;
import brig.protocol.FrameType;
import brig.protocol.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of one worker. Lost, it is connected again and the stream resumes behind the last frame that came; the
 * worker-agent keeps what was not acknowledged. Paused, it stops reading, the socket fills, and the worker-agent stops
 * reading its agent in turn.
 *
 * <p>State owned by the event loop.
 */
final class WorkerLink implements WorkerStream, FrameDecoder.Sink {
    private static final Logger log = LoggerFactory.getLogger(WorkerLink.class);
    private static final long RECONNECT_MS = 50;
    /** Acknowledgements wait this long for later ones, so that a stream of small frames does not become one of small writes. */
    private static final long ACK_DELAY_MS = 20;
    /** Messages that wait for the link to be up. */
    private static final int WAITING_MAX = 64;

    private final NetClient client;
    private final SocketAddress address;
    private final Timers timers;
    private final FrameDecoder.Sink frames;
    private FrameDecoder decoder = new FrameDecoder(this);
    private final ArrayDeque<Map<String, ?>> waiting = new ArrayDeque<>();
    private @Nullable NetSocket socket;
    private long nextSeq;
    private long ackedSeq;
    private boolean ackWaiting;
    private boolean paused;
    private boolean closed;

    WorkerLink(NetClient client, SocketAddress address, Timers timers, long nextSeq, FrameDecoder.Sink frames) {
        this.client = client;
        this.address = address;
        this.timers = timers;
        this.nextSeq = nextSeq;
        this.frames = frames;
    }

    void connect() {
        if (closed) {
            return;
        }
        client.connect(address).onComplete(connected -> {
            if (connected.succeeded()) {
                handleConnected(connected.result());
            } else if (!closed) {
                timers.after(RECONNECT_MS, this::connect);
            }
        });
    }

    private void handleConnected(NetSocket connected) {
        if (closed) {
            connected.close();
            return;
        }
        socket = connected;
        decoder = new FrameDecoder(this);
        connected.handler(this::handleChunk);
        connected.exceptionHandler(failure -> log.debug("worker link failed: {}", failure.toString()));
        connected.closeHandler(nothing -> handleClosed(connected));
        if (paused) {
            connected.pause();
        }
        write(Map.of("resume", nextSeq));
        waiting.forEach(this::write);
        waiting.clear();
    }

    private void handleChunk(Buffer buffer) {
        byte[] bytes = buffer.getBytes();
        decoder.decode(bytes, 0, bytes.length);
    }

    private void handleClosed(NetSocket gone) {
        if (socket == gone) {
            socket = null;
            if (!closed) {
                timers.after(RECONNECT_MS, this::connect);
            }
        }
    }

    @Override
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        nextSeq = seq + 1;
        frames.handleFrame(type, seq, bytes, offset, length);
    }

    @Override
    public void handleBadFrame(ErrorCode code) {
        frames.handleBadFrame(code);
    }

    @Override
    public void pause() {
        paused = true;
        if (socket != null) {
            socket.pause();
        }
    }

    @Override
    public void resume() {
        paused = false;
        if (socket != null) {
            socket.resume();
        }
    }

    @Override
    public void ack(long seq) {
        ackedSeq = seq;
        if (!ackWaiting) {
            ackWaiting = true;
            timers.after(ACK_DELAY_MS, this::sendAck);
        }
    }

    private void sendAck() {
        ackWaiting = false;
        if (socket != null) {
            write(Map.of("ack", ackedSeq));
        }
    }

    @Override
    public void input(String content) {
        send(Map.of("input", Map.of("content", content)));
    }

    @Override
    public void cancel() {
        send(Map.of("cancel", true));
    }

    private void send(Map<String, ?> message) {
        if (socket != null && socket.writeQueueFull()) {
            throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "the worker does not take its messages", 1);
        } else if (socket != null) {
            write(message);
        } else if (waiting.size() < WAITING_MAX) {
            waiting.add(message);
        } else {
            throw new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the link to the worker is down, try again", 1);
        }
    }

    private void write(Map<String, ?> message) {
        if (socket != null) {
            socket.write(Buffer.buffer(Json.writeLine(message)));
        }
    }

    /** Sends the last acknowledgement and closes. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            sendAck();
            if (socket != null) {
                socket.close();
            }
        }
    }
}
