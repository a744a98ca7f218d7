package brig.egress.proxy;

import brig.egress.dns.DnsAnswers;
import brig.egress.policy.DnsMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The name server of a wall, on UDP and TCP. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class DnsFront {
    private static final int MESSAGE_BYTES_MAX = 4096;
    private static final int LENGTH_BYTES = 2;
    private static final int PENDING_MAX = 256;

    private final WorkerEgress worker;
    private final DnsAnswers answers;
    private int pending;

    DnsFront(WorkerEgress worker) {
        this.worker = worker;
        DnsAnswers.Outside outside = new DnsAnswers.Outside() {
            @Override
            public CompletableFuture<List<InetAddress>> resolve(String name) {
                return worker.around().dialer().resolver().resolve(name);
            }

            @Override
            public CompletableFuture<byte @Nullable []> ask(byte[] question) {
                return worker.around().nameServers().ask(question);
            }
        };
        this.answers = new DnsAnswers(worker.names(), outside, worker.loop());
    }

    private CompletableFuture<byte @Nullable []> answer(ByteBuf message) {
        if (message.readableBytes() > MESSAGE_BYTES_MAX || pending >= PENDING_MAX) {
            return CompletableFuture.completedFuture(null);
        }
        DnsMode mode = worker.policy().policy().dns();
        byte[] question = ByteBufUtil.getBytes(message);
        CompletableFuture<byte @Nullable []> answer = answers.answer(
                question,
                name -> switch (mode) {
                    case SYNTHETIC -> false;
                    case TRUSTED -> worker.policy().namesHost(name);
                    case OPEN -> true;
                },
                mode == DnsMode.OPEN);
        if (!answer.isDone()) {
            pending++;
            answer = answer.whenComplete((bytes, failure) -> pending--);
        }
        return answer;
    }

    SimpleChannelInboundHandler<DatagramPacket> udp() {
        return new SimpleChannelInboundHandler<>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                var sender = packet.sender();
                var unused = answer(packet.content()).thenAccept(bytes -> {
                    if (bytes != null) {
                        ctx.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(bytes), sender));
                    }
                });
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                // A lost answer affects only the sender of the query.
            }
        };
    }

    /** A connection that needs no recheck. */
    private record Plain(Channel channel) implements WorkerEgress.Live {
        @Override
        public void recheck() {
            // Each DNS query is judged anew.
        }
    }

    WorkerEgress.Live addTcp(ChannelPipeline pipeline) {
        pipeline.addLast(new ReadTimeoutHandler(worker.limits().firstByteMs(), TimeUnit.MILLISECONDS));
        pipeline.addLast(new LengthFieldBasedFrameDecoder(MESSAGE_BYTES_MAX, 0, LENGTH_BYTES, 0, LENGTH_BYTES));
        pipeline.addLast(new LengthFieldPrepender(LENGTH_BYTES));
        pipeline.addLast(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                var unused = answer(message).thenAccept(bytes -> {
                    if (bytes == null) {
                        ctx.close();
                    } else {
                        ctx.writeAndFlush(Unpooled.wrappedBuffer(bytes));
                    }
                });
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                ctx.close();
            }
        });
        return new Plain(pipeline.channel());
    }
}
