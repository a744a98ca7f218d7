package brig.workeragent.gate;

import brig.protocol.control.LinkToken;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one request of a connection to the gate: it becomes a stream of bytes, or is refused. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class GateRequest extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(GateRequest.class);
    private static final int MESSAGE_BYTES_MAX = 1024 * 1024;

    private final LinkGate gate;

    GateRequest(LinkGate gate) {
        this.gate = gate;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        String upgrade = request.headers().get(HttpHeaderNames.UPGRADE, "");
        boolean raw = upgrade.equalsIgnoreCase(LinkToken.UPGRADE);
        if (!request.decoderResult().isSuccess()
                || !request.method().equals(HttpMethod.GET)
                || !request.uri().equals(LinkToken.PATH)) {
            refuse(context, HttpResponseStatus.NOT_FOUND);
        } else if (!raw && !upgrade.equalsIgnoreCase("websocket")) {
            refuse(context, HttpResponseStatus.UPGRADE_REQUIRED);
        } else if (!gate.admit(request.headers().get(LinkToken.HEADER), context.channel())) {
            refuse(context, HttpResponseStatus.UNAUTHORIZED);
        } else if (raw) {
            openRaw(context);
        } else {
            openWebSocket(context, request);
        }
    }

    private static void refuse(ChannelHandlerContext context, HttpResponseStatus status) {
        FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
        answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0).set(HttpHeaderNames.CONNECTION, "close");
        context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    private void openRaw(ChannelHandlerContext context) {
        FullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
        answer.headers()
                .set(HttpHeaderNames.UPGRADE, LinkToken.UPGRADE)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
        context.writeAndFlush(answer).addListener((ChannelFutureListener) sent -> {
            if (sent.isSuccess()) {
                Channel channel = sent.channel();
                join(channel, false);
                // Bytes that came with the request go on to what reads them now.
                channel.pipeline().remove("body");
                channel.pipeline().remove("http");
            }
        });
    }

    private void openWebSocket(ChannelHandlerContext context, FullHttpRequest request) {
        WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                        LinkToken.PATH, null, false, MESSAGE_BYTES_MAX)
                .newHandshaker(request);
        if (handshaker == null) {
            refuse(context, HttpResponseStatus.UPGRADE_REQUIRED);
            return;
        }
        handshaker.handshake(context.channel(), request).addListener((ChannelFutureListener) shaken -> {
            if (shaken.isSuccess()) {
                join(shaken.channel(), true);
            } else {
                LOG.debug("a WebSocket was not opened: {}", String.valueOf(shaken.cause()));
                shaken.channel().close();
            }
        });
    }

    private void join(Channel channel, boolean messages) {
        channel.pipeline().remove("timeout");
        channel.pipeline().addLast("join", new GateJoint(gate.joiner(), messages));
        channel.pipeline().remove(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        LOG.debug("a connection to the gate failed: {}", failure.toString());
        context.close();
    }
}
