package brig.egress.proxy;

import brig.egress.connection.ProxyLimits;
import brig.egress.connection.Relay;
import brig.egress.connection.Upstream;
import brig.egress.http.Target;
import brig.egress.policy.Verdict;
import brig.egress.request.Refusal;
import brig.egress.request.RequestRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 connection from inside a wall, with one exchange at a time. Pipelined requests wait; if too much waits,
 * the client is not read. State owned by the event loop.
 *
 * <p>Decision 0053.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class HttpFront extends ChannelInboundHandlerAdapter implements WorkerEgress.Live {
    private static final int WAITING_BYTES_MAX = 64 * 1024;
    private static final int CHUNK_BYTES_MAX = 64 * 1024;
    private static final String DECODER = "http-in";
    private static final String ENCODER = "http-out";
    private static final String IDLE = "idle";

    /** Encodes answers; an answer to HEAD has no body, whatever its headers say. */
    private static final class Encoder extends HttpResponseEncoder {
        private boolean head;

        @Override
        protected boolean isContentAlwaysEmpty(HttpResponse response) {
            return head || super.isContentAlwaysEmpty(response);
        }
    }

    private final WorkerEgress worker;
    private final Destination destination;
    private final Encoder encoder;
    private final Channel channel;
    private final ArrayDeque<HttpObject> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private @Nullable Exchange exchange;
    /** The connection kept for the next exchange with the same server. */
    private @Nullable Upstream idle;

    private boolean draining;
    private boolean closing;

    private HttpFront(WorkerEgress worker, Destination destination, Channel channel, Encoder encoder) {
        this.worker = worker;
        this.destination = destination;
        this.channel = channel;
        this.encoder = encoder;
    }

    /** Adds HTTP to the end of the pipeline. */
    static HttpFront addTo(ChannelPipeline pipeline, WorkerEgress worker, Destination destination) {
        ProxyLimits limits = worker.limits();
        Encoder encoder = new Encoder();
        HttpFront front = new HttpFront(worker, destination, pipeline.channel(), encoder);
        pipeline.addLast(IDLE, new IdleStateHandler(0, 0, limits.idleMs(), TimeUnit.MILLISECONDS));
        pipeline.addLast(
                DECODER,
                new HttpRequestDecoder(new HttpDecoderConfig()
                        .setMaxInitialLineLength(limits.lineBytesMax())
                        .setMaxHeaderSize(limits.headerBytesMax())
                        .setMaxChunkSize(CHUNK_BYTES_MAX)
                        .setAllowDuplicateContentLengths(false)));
        pipeline.addLast(ENCODER, encoder);
        pipeline.addLast(front);
        return front;
    }

    @Override
    public Channel channel() {
        return channel;
    }

    Destination destination() {
        return destination;
    }

    @Override
    public void recheck() {
        if (exchange != null) {
            exchange.recheck();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (closing || !(message instanceof HttpObject part)) {
            ReferenceCountUtil.release(message);
            return;
        }
        waiting.add(part);
        waitingBytes += bytesOf(part);
        drain();
    }

    private static int bytesOf(HttpObject part) {
        return part instanceof HttpContent content ? content.content().readableBytes() : 0;
    }

    /** Passes waiting parts to the current exchange while it takes them. */
    void drain() {
        if (draining) {
            return;
        }
        draining = true;
        while (!waiting.isEmpty() && takes(waiting.peek())) {
            HttpObject next = waiting.remove();
            waitingBytes -= bytesOf(next);
            if (next instanceof HttpRequest request) {
                begin(request);
            } else if (exchange != null && next instanceof HttpContent content) {
                exchange.handleBody(content);
            } else {
                ReferenceCountUtil.release(next);
            }
        }
        draining = false;
        checkReading();
    }

    private boolean takes(HttpObject next) {
        return next instanceof HttpRequest ? exchange == null : exchange == null || exchange.takesBody();
    }

    private void checkReading() {
        channel.config().setAutoRead(waitingBytes < WAITING_BYTES_MAX && waiting.size() < 64);
    }

    private void begin(HttpRequest request) {
        encoder.head = request.method().equals(HttpMethod.HEAD);
        Exchange fresh = new Exchange(this, worker, request);
        exchange = fresh;
        if (request.decoderResult().isFailure()) {
            boolean tooLong = request.decoderResult().cause() instanceof TooLongFrameException;
            fresh.refuse(
                    tooLong
                            ? new Refusal(431, "the head of the request is too long", "")
                            : Refusal.malformed("what came is no HTTP request"));
        } else if (request.method().equals(HttpMethod.CONNECT)) {
            connect(request, fresh);
        } else {
            fresh.begin();
        }
    }

    private void connect(HttpRequest request, Exchange fresh) {
        Target target = Target.parse(request.uri(), true, 0);
        if (!(destination instanceof Destination.Named) || target == null) {
            fresh.refuse(Refusal.malformed("CONNECT must name host:port, and be sent to the proxy"));
            return;
        }
        Target named = worker.named(target);
        fresh.connects(named);
        String host = request.headers().get(HttpHeaderNames.HOST);
        Target stated = host == null ? target : Target.parse(host, true, target.port());
        if (stated == null || !stated.equals(target)) {
            fresh.refuse(Refusal.blocked("the Host header of CONNECT names another host than " + target.authority()));
            return;
        }
        Verdict verdict = worker.policy().host(named.host(), named.port());
        worker.decisions().decide(named.hostPort(), "CONNECT", verdict, answer -> {
            if (!channel.isActive()) {
                fresh.abandon();
            } else if (!answer.allowed()) {
                fresh.refuse(
                        answer.askable()
                                ? Refusal.askable(answer.rule(), named.hostPort(), worker.spawn())
                                : Refusal.blocked(answer.rule()));
            } else {
                becomeTunnel(named, !verdict.allowed());
            }
        });
    }

    /** From now on the client speaks TLS or any other protocol. */
    private void becomeTunnel(Target target, boolean granted) {
        closing = true;
        HttpResponse ready = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, new HttpResponseStatus(200, "Connection established"), Unpooled.EMPTY_BUFFER);
        channel.writeAndFlush(ready);
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        ChannelPipeline pipeline = channel.pipeline();
        ConnectionFront next = new ConnectionFront(worker, Set.of(target.host()), target.port(), granted, channel);
        worker.replace(this, next);
        pipeline.addLast(next);
        pipeline.remove(IDLE);
        pipeline.remove(ENCODER);
        pipeline.remove(this);
        pipeline.remove(DECODER);
    }

    /** The idle connection to that server, if there is one. */
    @Nullable
    Upstream takeIdle(Target target) {
        Upstream kept = idle;
        idle = null;
        if (kept != null && !kept.canServe(target, worker.policy())) {
            kept.close();
            return null;
        }
        return kept;
    }

    void keepIdle(Upstream upstream) {
        upstream.serve(null);
        idle = upstream;
    }

    void write(Object message) {
        channel.write(message);
    }

    void flush() {
        channel.flush();
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    /** Writes an answer of the proxy itself. */
    void writeText(Refusal refusal, String type, String text, boolean keepAlive) {
        ByteBuf body = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(refusal.status()), body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        response.headers().set(HttpHeaderNames.CONNECTION, keepAlive ? "keep-alive" : "close");
        if (refusal.retryAfterMs() > 0) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, (refusal.retryAfterMs() + 999) / 1000);
        }
        channel.writeAndFlush(response);
    }

    /** The exchange ended: the next may begin, unless this was the last. */
    void handleEnd(Exchange ended, boolean keepAlive) {
        if (exchange != ended) {
            return;
        }
        exchange = null;
        encoder.head = false;
        if (keepAlive && channel.isActive()) {
            drain();
        } else {
            closing = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** The server switches to another protocol: joins both connections, with bytes unchanged. */
    void becomeRaw(Upstream upstream, RequestRecord record) {
        closing = true;
        exchange = null;
        flush();
        upstream.becomeRaw();
        ChannelPipeline pipeline = channel.pipeline();
        Relay.join(channel, upstream.channel(), worker.limits(), record::addRequestBytes, record::addResponseBytes);
        worker.replace(this, new Tunnel.Unread(worker, channel, record));
        channel.closeFuture().addListener(unused -> worker.handleDecided(record));
        pipeline.remove(IDLE);
        pipeline.remove(ENCODER);
        pipeline.remove(this);
        pipeline.remove(DECODER);
        upstream.releaseBytes();
        channel.config().setAutoRead(true);
        upstream.channel().config().setAutoRead(true);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (exchange != null) {
            exchange.handleRequestBatchEnd();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (exchange != null) {
            exchange.handleFrontWritable();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof IdleStateEvent) {
            if (exchange != null) {
                exchange.handleIdle();
            } else {
                ctx.close();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closing = true;
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        if (idle != null) {
            idle.close();
        }
        if (exchange != null) {
            exchange.handleClientGone();
            exchange = null;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
