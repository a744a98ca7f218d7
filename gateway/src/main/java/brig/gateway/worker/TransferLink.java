package brig.gateway.worker;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.channel.Turns;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.TransferAnswer;
import brig.protocol.control.TransferRequest;
import brig.protocol.json.Json;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A transfer connection over a link socket. It reads only what somebody waits for: a line, or bytes that the other
 * connection can take.
 *
 * <p>Decision 0164.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handler sees.
final class TransferLink extends ChannelInboundHandlerAdapter implements Transfer {
    /** Twice what git may take for a pack, with the shipped settings. */
    private static final long ANSWER_MS = 600_000;

    private static final long STALLED_MS = 60_000;

    private final Timers timers;
    private final ByteBuf held = Unpooled.buffer();
    private @Nullable Channel channel;
    private @Nullable BrigException ended;
    private Timers.Timer deadline = () -> {};

    /** Who waits for a line. */
    private @Nullable Consumer<byte[]> line;
    /** Who waits for bytes. */
    private @Nullable TransferLink target;

    private CompletableFuture<?> awaited = CompletableFuture.completedFuture(null);
    private long bytes;
    private long left;
    private LongConsumer passed = count -> {};
    /** Who passes bytes to this one, and waits until it takes more. */
    private @Nullable TransferLink source;

    private TransferLink(Timers timers) {
        this.timers = timers;
    }

    static CompletionStage<Transfer> open(
            EventLoop loop, DomainSocketAddress address, Timers timers, @Nullable Long epoch) {
        TransferLink link = new TransferLink(timers);
        CompletableFuture<Transfer> opened = new CompletableFuture<>();
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(link)
                .connect(address)
                .addListener(connected -> {
                    if (connected.isSuccess()) {
                        link.send(new LinkPurpose.Transfer(epoch));
                        opened.complete(link);
                    } else {
                        opened.completeExceptionally(lost());
                    }
                });
        return opened;
    }

    private static BrigException lost() {
        return new BrigException(
                ErrorCode.WORKER_AGENT_UNAVAILABLE, "the connection to the worker-agent was lost in a transfer", 1);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        Turns.readOnce(ctx.channel());
    }

    @Override
    public void send(Record line) {
        if (channel != null) {
            channel.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(line)));
        }
    }

    @Override
    public <A extends Record> CompletionStage<A> answer(Class<A> type) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        await(answer, ANSWER_MS);
        line = bytes -> {
            try {
                answer.complete(Json.read(bytes, TransferAnswer.class).as(type));
            } catch (BrigException e) {
                answer.completeExceptionally(e);
            }
        };
        check();
        return answer;
    }

    @Override
    public CompletionStage<Void> pass(Transfer to, long newBytes, LongConsumer newPassed) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        await(done, STALLED_MS);
        bytes = newBytes;
        left = newBytes;
        passed = newPassed;
        target = (TransferLink) to;
        target.source = this;
        check();
        return done;
    }

    private void await(CompletableFuture<?> what, long ms) {
        awaited = what;
        deadline.cancel();
        deadline = timers.after(
                ms,
                () -> close(new BrigException(
                        ErrorCode.WORKER_AGENT_UNAVAILABLE, "nothing moved in a transfer for " + ms + " ms", 1)));
        if (ended != null) {
            deadline.cancel();
            what.completeExceptionally(ended);
        }
    }

    /** Gives what is there to who waits for it, and reads more if that is not enough. */
    private void check() {
        if (channel == null || ended != null) {
            return;
        }
        if (line != null) {
            checkLine(line, channel);
        } else if (target != null) {
            checkBytes(target, channel);
        }
    }

    private void checkLine(Consumer<byte[]> waiting, Channel from) {
        int length = held.bytesBefore((byte) '\n');
        if (length < 0 && held.readableBytes() <= TransferRequest.LINE_BYTES_MAX) {
            from.read();
            return;
        }
        if (length < 0) {
            close(new BrigException(ErrorCode.INTERNAL, "the worker-agent's line is too long"));
            return;
        }
        byte[] bytes = ByteBufUtil.getBytes(held, held.readerIndex(), length);
        held.skipBytes(length + 1);
        line = null;
        deadline.cancel();
        waiting.accept(bytes);
    }

    private void checkBytes(TransferLink to, Channel from) {
        int count = (int) Math.min(left, held.readableBytes());
        if (count > 0) {
            to.write(held.readBytes(count));
            left -= count;
            passed.accept(bytes - left);
        }
        if (left == 0) {
            target = null;
            to.source = null;
            deadline.cancel();
            awaited.complete(null);
        } else if (to.isWritable()) {
            if (count > 0) {
                await(awaited, STALLED_MS);
            }
            from.read();
        }
    }

    private void write(ByteBuf bytes) {
        if (channel == null) {
            bytes.release();
        } else {
            channel.writeAndFlush(bytes);
        }
    }

    private boolean isWritable() {
        return channel != null && channel.isWritable();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (source != null && isWritable()) {
            source.check();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        held.discardReadBytes().writeBytes(bytes);
        bytes.release();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        check();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        close(lost());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    @Override
    public void close(BrigException why) {
        if (ended != null) {
            return;
        }
        ended = why;
        deadline.cancel();
        line = null;
        target = null;
        held.clear();
        if (channel != null) {
            channel.close();
        }
        awaited.completeExceptionally(why);
    }
}
