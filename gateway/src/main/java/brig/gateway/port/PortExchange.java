package brig.gateway.port;

import brig.gateway.connection.ByteRelay;
import brig.gateway.http.Call;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.NetSocket;

/**
 * One request to a server of an agent on a connection of its own, and its answer, or a WebSocket. Backpressure applies
 * both ways. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handlers see.
final class PortExchange extends ChannelInboundHandlerAdapter {
    private static final int LINE_BYTES_MAX = 16 * 1024;
    private static final int HEADERS_BYTES_MAX = 64 * 1024;
    private static final int CHUNK_BYTES_MAX = 64 * 1024;
    private static final int SWITCHING = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final int STATUS_MAX = 599;

    private final Call call;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final PortPath path;
    private final Channel server;
    private final boolean webSocket;
    /** WebSocket bytes of the server from before the client's side was ready. */
    private Buffer early = Buffer.buffer();

    private boolean answered;
    private boolean switched;

    /** @param server a connection that is not being read yet */
    PortExchange(Call call, PortPath path, Channel server) {
        this.call = call;
        this.request = call.request();
        this.response = call.response();
        this.path = path;
        this.server = server;
        this.webSocket = PortHeaders.wantsWebSocket(request.headers());
    }

    void begin() {
        server.pipeline().addLast(new HttpClientCodec(LINE_BYTES_MAX, HEADERS_BYTES_MAX, CHUNK_BYTES_MAX), this);
        response.closeHandler(gone -> server.close());
        response.exceptionHandler(failure -> server.close());
        server.write(head());
        if (webSocket) {
            server.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        } else {
            request.handler(this::handleBody);
            request.endHandler(end -> server.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
            request.exceptionHandler(failure -> server.close());
            server.flush();
            request.resume();
        }
        server.config().setAutoRead(true);
    }

    private HttpRequest head() {
        HttpRequest head = new DefaultHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(request.method().name()),
                path.target(),
                PortHeaders.toServer(request.headers(), path));
        String length = request.getHeader("Content-Length");
        if (webSocket) {
            head.headers().set("Connection", "Upgrade").set("Upgrade", "websocket");
            return head;
        }
        head.headers().set("Connection", "close");
        if (request.headers().contains("Transfer-Encoding")) {
            head.headers().set("Transfer-Encoding", "chunked");
        } else if (length != null) {
            head.headers().set("Content-Length", length);
        }
        return head;
    }

    private void handleBody(Buffer bytes) {
        server.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes.getBytes())));
        if (!server.isWritable() && server.isActive()) {
            request.pause();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (server.isWritable() && !webSocket) {
            request.resume();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            switch (message) {
                case HttpResponse head -> handleHead(head);
                case HttpContent part -> handlePart(part);
                case ByteBuf bytes -> early.appendBytes(ByteBufUtil.getBytes(bytes));
                default -> throw new IllegalStateException("no part of an answer: " + message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void handleHead(HttpResponse head) {
        int status = head.status().code();
        if (head.decoderResult().isFailure() || status > STATUS_MAX || (status == SWITCHING && !webSocket)) {
            fail("answered what is no answer");
        } else if (status == SWITCHING) {
            switched = true;
            server.config().setAutoRead(false);
        } else if (status >= OK) {
            response.setStatusCode(status);
            PortHeaders.toClient(head.headers(), response.headers(), path);
            String length = head.headers().get("Content-Length");
            if (length != null) {
                response.putHeader("Content-Length", length);
            } else if (status != NO_CONTENT && status != NOT_MODIFIED) {
                response.setChunked(true);
            }
            answered = true;
            if (webSocket) {
                request.resume();
            }
        }
        if (switched) {
            PortHeaders.toClient(head.headers(), response.headers(), path);
            response.putHeader("Connection", "Upgrade").putHeader("Upgrade", "websocket");
        }
    }

    private void handlePart(HttpContent part) {
        boolean last = part instanceof LastHttpContent;
        if (part.decoderResult().isFailure()) {
            fail("broke off in its answer");
        } else if (switched && last) {
            becomeWebSocket();
        } else if (answered && !response.ended()) {
            if (part.content().isReadable()) {
                var _ = response.write(Buffer.buffer(ByteBufUtil.getBytes(part.content())));
            }
            if (last) {
                var _ = response.end();
                server.close();
            }
        }
    }

    private void becomeWebSocket() {
        request.resume();
        request.toNetSocket().onComplete(socket -> {
            if (socket.failed() || !server.isActive()) {
                server.close();
                request.connection().close();
            } else {
                join(socket.result());
            }
        });
    }

    private void join(NetSocket client) {
        server.pipeline().remove(HttpClientCodec.class);
        server.pipeline().remove(this);
        if (early.length() > 0) {
            var _ = client.write(early);
        }
        early = Buffer.buffer();
        ByteRelay.join(client, server);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (answered && !response.ended() && !response.closed() && response.writeQueueFull()) {
            server.config().setAutoRead(false);
            response.drainHandler(drained -> server.config().setAutoRead(true));
        }
    }

    /** An answer that has begun cannot be replaced; closing the connection shows the client that it is incomplete. */
    private void fail(String what) {
        if (answered && !response.ended()) {
            request.connection().close();
        } else if (!answered && !switched) {
            answered = true;
            request.resume();
            call.refuse(new BrigException(
                    ErrorCode.AGENT_SERVER_FAILED, "the server on port " + path.port() + " of the session " + what, 1));
        }
        server.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        request.resume();
        if (!response.ended()) {
            fail("closed the connection without an answer");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }
}
