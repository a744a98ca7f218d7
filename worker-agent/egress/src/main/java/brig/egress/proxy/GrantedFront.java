package brig.egress.proxy;

import brig.protocol.BrigException;
import brig.protocol.address.HostNames;
import brig.protocol.control.EgressStream;
import brig.protocol.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A connection of a wall on another host, up to its first line, an {@link EgressStream}. Then it is served as if it came
 * from a socket of that role. One for another worker is closed.
 *
 * <p>Decision 0160.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class GrantedFront extends ByteToMessageDecoder implements WorkerEgress.Live {
    private static final int LINE_BYTES_MAX = 1024;

    private final WorkerEgress worker;
    private final DnsFront dns;
    private final Channel channel;

    private GrantedFront(WorkerEgress worker, DnsFront dns, Channel channel) {
        this.worker = worker;
        this.dns = dns;
        this.channel = channel;
    }

    static GrantedFront addTo(ChannelPipeline pipeline, WorkerEgress worker, DnsFront dns) {
        GrantedFront front = new GrantedFront(worker, dns, pipeline.channel());
        pipeline.addLast(front);
        return front;
    }

    @Override
    public Channel channel() {
        return channel;
    }

    @Override
    public void recheck() {
        // Nothing was asked yet.
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.executor()
                .schedule(
                        () -> {
                            if (!ctx.isRemoved()) {
                                ctx.close();
                            }
                        },
                        worker.limits().firstByteMs(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int length = in.bytesBefore((byte) '\n');
        if (length < 0 && in.readableBytes() <= LINE_BYTES_MAX) {
            return;
        }
        try {
            if (length < 0 || length > LINE_BYTES_MAX) {
                throw BrigException.invalid("the first line", "is too long");
            }
            EgressStream stream = Json.read(ByteBufUtil.getBytes(in, in.readerIndex(), length), EgressStream.class);
            if (!stream.spawnId().equals(worker.spawn())) {
                throw BrigException.invalid("spawn_id", "is another worker's");
            }
            in.skipBytes(length + 1);
            worker.replace(this, serve(ctx.pipeline(), stream));
            ctx.pipeline().remove(this);
        } catch (BrigException e) {
            in.skipBytes(in.readableBytes());
            ctx.close();
        }
    }

    private WorkerEgress.Live serve(ChannelPipeline pipeline, EgressStream stream) {
        return switch (stream.role()) {
            case PROXY -> HttpFront.addTo(pipeline, worker, new Destination.Named());
            case MODEL -> HttpFront.addTo(pipeline, worker, new Destination.Models());
            case TRANSPARENT ->
                ConnectionFront.addTo(
                        pipeline,
                        worker,
                        new InetSocketAddress(
                                Objects.requireNonNull(HostNames.literal(Objects.requireNonNull(stream.address()))),
                                stream.port()));
            case DNS -> dns.addTcp(pipeline);
        };
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
