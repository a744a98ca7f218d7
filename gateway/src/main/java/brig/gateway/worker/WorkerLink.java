package brig.gateway.worker;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ChunkRun;
import brig.protocol.ErrorCode;
import brig.protocol.FrameDecoder;
import brig.protocol.FrameType;
import brig.protocol.Json;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
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
    /** Messages that wait for the link to be up. */
    private static final int WAITING_MAX = 64;

    private static final int SCRATCH_BYTES = 64 * 1024;

    private final Shared shared;
    private final SocketAddress address;
    private final FrameDecoder.Sink frames;
    private FrameDecoder decoder;
    private final ArrayDeque<Map<String, ?>> waiting = new ArrayDeque<>();
    private @Nullable NetSocket socket;
    private long nextSeq;
    private long ackedSeq;
    private boolean paused;
    private boolean closed;

    /** What the links of an event loop share: how they connect, and memory that each uses only while it reads. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Shared(NetClient client, Timers timers, byte[] scratch, ChunkRun run) {
        Shared(NetClient client, Timers timers) {
            this(client, timers, new byte[SCRATCH_BYTES], new ChunkRun());
        }
    }

    WorkerLink(Shared shared, SocketAddress address, long nextSeq, FrameDecoder.Sink frames) {
        this.shared = shared;
        this.address = address;
        this.nextSeq = nextSeq;
        this.frames = frames;
        this.decoder = new FrameDecoder(this, shared.run());
    }

    void connect() {
        if (closed) {
            return;
        }
        shared.client().connect(address).onComplete(connected -> {
            if (connected.succeeded()) {
                handleConnected(connected.result());
            } else if (!closed) {
                shared.timers().after(RECONNECT_MS, this::connect);
            }
        });
    }

    private void handleConnected(NetSocket connected) {
        if (closed) {
            connected.close();
            return;
        }
        socket = connected;
        decoder = new FrameDecoder(this, shared.run());
        channel(connected).pipeline().addFirst(new Reader(decoder));
        connected.exceptionHandler(failure -> log.debug("worker link failed: {}", failure.toString()));
        connected.closeHandler(nothing -> handleClosed(connected));
        channel(connected).config().setAutoRead(!paused);
        write(Map.of("resume", nextSeq));
        if (ackedSeq > 0) {
            write(Map.of("ack", ackedSeq));
        }
        waiting.forEach(this::write);
        waiting.clear();
    }

    private static Channel channel(NetSocket connected) {
        return ((NetSocketInternal) connected).channelHandlerContext().channel();
    }

    /** Takes the bytes before Vert.x does, which would copy each read into a buffer of its own. */
    private final class Reader extends ChannelInboundHandlerAdapter {
        private final FrameDecoder decoder;

        Reader(FrameDecoder decoder) {
            this.decoder = decoder;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                byte[] scratch = shared.scratch();
                while (bytes.isReadable()) {
                    int length = Math.min(bytes.readableBytes(), scratch.length);
                    bytes.readBytes(scratch, 0, length);
                    decoder.decode(scratch, 0, length);
                }
            } finally {
                bytes.release();
            }
        }
    }

    private void handleClosed(NetSocket gone) {
        if (socket == gone) {
            socket = null;
            if (!closed) {
                shared.timers().after(RECONNECT_MS, this::connect);
            }
        }
    }

    @Override
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        nextSeq = seq + 1;
        frames.handleFrame(type, seq, bytes, offset, length);
    }

    @Override
    public void handleChunks(ChunkRun run) {
        nextSeq = run.firstSeq() + run.count();
        frames.handleChunks(run);
    }

    @Override
    public void handleBadFrame(ErrorCode code) {
        frames.handleBadFrame(code);
    }

    @Override
    public void pause() {
        paused = true;
        if (socket != null) {
            channel(socket).config().setAutoRead(false);
        }
    }

    @Override
    public void resume() {
        paused = false;
        if (socket != null) {
            channel(socket).config().setAutoRead(true);
        }
    }

    /** Sent at once: who records does so in batches. */
    @Override
    public void ack(long seq) {
        ackedSeq = seq;
        write(Map.of("ack", seq));
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

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (socket != null) {
                socket.close();
            }
        }
    }
}
