package brig.gateway.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.channel.Turns;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connection to an agent's server, or to a shell, up to the worker-agent's answer; then it belongs to the caller. The caller must
 * add its handlers before it returns, since early bytes of the server are passed to them next.
 *
 * <p>Decision 0048.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handlers see.
final class PortLink extends ByteToMessageDecoder {
    private static final int ANSWER_BYTES_MAX = 64 * 1024;
    private static final long ANSWER_MS = 10_000;

    private final byte[] request;
    private final CompletableFuture<Channel> answer = new CompletableFuture<>();

    private PortLink(LinkPurpose purpose) {
        request = Json.writeLine((Record) purpose);
    }

    /** Completes on the event loop; nothing is read from the connection until auto-read is turned on. */
    static CompletableFuture<Channel> dial(EventLoop loop, DomainSocketAddress address, LinkPurpose purpose) {
        PortLink link = new PortLink(purpose);
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(link)
                .connect(address)
                .addListener(connected -> {
                    if (!connected.isSuccess()) {
                        link.answer.completeExceptionally(new BrigException(
                                ErrorCode.WORKER_AGENT_UNAVAILABLE,
                                "the worker-agent does not accept connections to ports",
                                1));
                    }
                });
        return link.answer;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        Turns.readOnce(ctx.channel());
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(Unpooled.wrappedBuffer(request));
        ctx.executor()
                .schedule(
                        () -> {
                            if (!answer.isDone()) {
                                ctx.close();
                            }
                        },
                        ANSWER_MS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int length = in.bytesBefore((byte) '\n');
        if (length < 0 && in.readableBytes() <= ANSWER_BYTES_MAX) {
            return;
        }
        try {
            if (length < 0) {
                throw new BrigException(ErrorCode.INTERNAL, "the worker-agent's answer is too long");
            }
            PortAnswer line = Json.read(ByteBufUtil.getBytes(in, in.readerIndex(), length), PortAnswer.class);
            in.skipBytes(length + 1);
            if (line.refusal() != null) {
                throw line.refusal().toException();
            }
            ctx.channel().config().setAutoRead(false);
            answer.complete(ctx.channel());
            ctx.pipeline().remove(this);
        } catch (BrigException e) {
            in.skipBytes(in.readableBytes());
            answer.completeExceptionally(e);
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        answer.completeExceptionally(
                new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent did not answer", 1));
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
