package brig.egress.connection;

import brig.egress.http.Target;
import brig.egress.policy.HostPolicy;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server, for successive exchanges. State owned by the event loop.
 *
 * <p>Decision 0053.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class Upstream extends ChannelInboundHandlerAdapter {
    /** The current exchange. */
    public interface Listener {
        void handleResponse(HttpObject part);

        void handleBatchEnd();

        void handleUpstreamWritable();

        void handleUpstreamClosed();
    }

    private static final int CHUNK_BYTES_MAX = 64 * 1024;
    private static final String CODEC = "http";
    private static final String DECODER = "decode";

    private final Channel channel;
    private final Target target;
    private final HostPolicy policy;
    private @Nullable Listener listener;

    /** @param policy the policy that its address was judged by */
    public Upstream(Channel channel, Target target, HostPolicy policy, ProxyLimits limits, boolean decodes) {
        this.channel = channel;
        this.target = target;
        this.policy = policy;
        HttpDecoderConfig config = new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.lineBytesMax())
                .setMaxHeaderSize(limits.headerBytesMax())
                .setMaxChunkSize(CHUNK_BYTES_MAX);
        channel.pipeline().addLast(CODEC, new HttpClientCodec(config, false, false));
        if (decodes) {
            channel.pipeline().addLast(DECODER, new HttpContentDecompressor(false, 0));
        }
        channel.pipeline().addLast(this);
    }

    public Channel channel() {
        return channel;
    }

    public boolean canServe(Target wanted, HostPolicy now) {
        return channel.isActive() && listener == null && target.equals(wanted) && policy == now;
    }

    public void serve(@Nullable Listener next) {
        listener = next;
        channel.config().setAutoRead(true);
    }

    /** Removes HTTP from the connection: bytes pass unchanged from now on. */
    public void becomeRaw() {
        listener = null;
        if (channel.pipeline().get(DECODER) != null) {
            channel.pipeline().remove(DECODER);
        }
    }

    /** Passes bytes after the last message to the next handler. */
    public void releaseBytes() {
        channel.pipeline().remove(this);
        channel.pipeline().remove(CODEC);
    }

    public void close() {
        listener = null;
        channel.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (listener != null && message instanceof HttpObject part) {
            listener.handleResponse(part);
        } else {
            ReferenceCountUtil.release(message);
            ctx.close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (listener != null) {
            listener.handleBatchEnd();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (listener != null) {
            listener.handleUpstreamWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Listener told = listener;
        listener = null;
        if (told != null) {
            told.handleUpstreamClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
