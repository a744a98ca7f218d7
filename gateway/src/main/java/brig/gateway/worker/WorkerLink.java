package brig.gateway.worker;

import brig.gateway.stream.Inlet;
import brig.gateway.stream.StreamLog;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.json.Json;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameDecoder;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection for one worker's frames. When lost, it reconnects and resumes after the last frame received; the
 * worker-agent keeps unacknowledged frames. When paused, it stops reading, the socket fills, and the worker-agent stops
 * reading its agent.
 *
 * <p>Uses Netty directly: there is one per session, mostly idle, and a Vert.x socket takes 6 KiB more.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0023, 0177.
 */
final class WorkerLink implements WorkerStream {
    private static final Logger logger = LoggerFactory.getLogger(WorkerLink.class);
    /** Maximum number of messages that wait for the link. */
    private static final int WAITING_MAX = 64;

    private final Services shared;
    private final String workerId;
    private final StreamLog log;
    private final FrameDecoder.Sink frames;
    private final ArrayDeque<WorkerLine> waiting = new ArrayDeque<>();
    private @Nullable Channel channel;
    private long ackedSeq;
    private boolean paused;
    private boolean closed;

    /** Shared by the links to a worker-agent. */
    record Services(EventLoop loop, DomainSocketAddress address, Retry retry, Inlet.Shared inlets, Reach reach) {}

    /** Connects a link again, when that may succeed. */
    @FunctionalInterface
    interface Retry {
        void retry(WorkerLink link);
    }

    /** @param frames receives the frames that the log does not read in place */
    WorkerLink(Services shared, String workerId, StreamLog log, FrameDecoder.Sink frames) {
        this.shared = shared;
        this.workerId = workerId;
        this.log = log;
        this.frames = frames;
    }

    void connect() {
        if (closed) {
            return;
        }
        Inlet inlet = new Inlet(log, shared.inlets(), frames);
        ChannelFuture connecting = new Bootstrap()
                .group(shared.loop())
                .channel(EpollDomainSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new IntoLog(inlet))
                .option(ChannelOption.AUTO_READ, false)
                .handler(new Reader(inlet))
                .connect(shared.address());
        var _ = connecting.addListener(done -> {
            if (done.isSuccess()) {
                handleConnected(connecting.channel());
            } else if (!closed) {
                shared.retry().retry(this);
            }
        });
    }

    private void handleConnected(Channel connected) {
        if (closed) {
            var _ = connected.close();
            return;
        }
        channel = connected;
        connected.config().setAutoRead(!paused);
        write(new LinkPurpose.Worker(workerId, log.lastSeq() + 1, shared.reach().epoch()));
        if (ackedSeq > 0) {
            write(WorkerLine.ackLine(ackedSeq));
        }
        waiting.forEach(this::write);
        waiting.clear();
    }

    /** Lets the socket read into the log's memory, once in a turn: a worker that floods lets others have theirs. */
    static final class IntoLog extends DefaultMaxMessagesRecvByteBufAllocator {
        private final Inlet inlet;

        IntoLog(Inlet inlet) {
            super(1);
            this.inlet = inlet;
        }

        @Override
        public MaxMessageHandle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public ByteBuf allocate(ByteBufAllocator allocator) {
                    return inlet.room();
                }

                @Override
                public int guess() {
                    return Limits.FRAME_BYTES_MAX;
                }
            };
        }
    }

    /** The handler of one connection. */
    private final class Reader extends ChannelInboundHandlerAdapter {
        private final Inlet inlet;

        Reader(Inlet inlet) {
            this.inlet = inlet;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf arrived = (ByteBuf) message;
            int bytes = arrived.readableBytes();
            arrived.release();
            inlet.take(bytes);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            handleClosed(context.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
            logger.debug("worker link failed: {}", failure.toString());
            var _ = context.close();
        }
    }

    private void handleClosed(Channel gone) {
        if (channel == gone) {
            channel = null;
            if (!closed) {
                shared.retry().retry(this);
            }
        }
    }

    @Override
    public void pause() {
        paused = true;
        if (channel != null) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void resume() {
        paused = false;
        if (channel != null) {
            channel.config().setAutoRead(true);
        }
    }

    /** Sent at once, since the recorder acknowledges in batches. */
    @Override
    public void ack(long seq) {
        ackedSeq = seq;
        write(WorkerLine.ackLine(seq));
    }

    @Override
    public void input(Message message) {
        send(WorkerLine.input(message));
    }

    @Override
    public void keys(String keys) {
        if (channel == null) {
            throw isDown();
        }
        send(WorkerLine.keys(keys));
    }

    @Override
    public void resize(TerminalSize size) {
        send(WorkerLine.resize(size));
    }

    @Override
    public void cancel() {
        send(WorkerLine.CANCEL);
    }

    private void send(WorkerLine message) {
        if (channel != null && !channel.isWritable()) {
            throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "too many messages wait for the worker", 1);
        } else if (channel != null) {
            write(message);
        } else if (waiting.size() < WAITING_MAX) {
            waiting.add(message);
        } else {
            throw isDown();
        }
    }

    private static BrigException isDown() {
        return new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the link to the worker is down, try again", 1);
    }

    private void write(Record message) {
        write(Json.writeLine(message));
    }

    private void write(byte[] line) {
        if (channel != null) {
            var _ = channel.writeAndFlush(Unpooled.wrappedBuffer(line), channel.voidPromise());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (channel != null) {
                var _ = channel.close();
            }
        }
    }
}
