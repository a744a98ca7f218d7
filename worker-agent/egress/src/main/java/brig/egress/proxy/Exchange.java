package brig.egress.proxy;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.Verdict;
import brig.egress.secret.Injection;
import brig.egress.secret.Scrubber;
import brig.egress.secret.SecretRefusedException;
import brig.egress.secret.StreamFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. State owned by the event loop of the worker.
 *
 * <p>The request is judged, its secrets are put in, a connection is found or opened, and head and body go over
 * as they come. A body in which a placeholder might stand is looked at whole where it is short, so that a
 * refusal comes before anything was sent; a long one is filtered on the way, and broken off.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class Exchange implements Upstream.Listener {
    private enum State {
        DECIDING,
        COLLECTING,
        OPENING,
        STREAMING,
        REFUSED,
        ENDED
    }

    /** What a refused client may still send before the connection is cut. */
    private static final long DISCARDED_BYTES_MAX = 8 * 1024 * 1024;

    private final HttpFront front;
    private final WorkerEgress worker;
    private final HttpRequest request;
    private final boolean clientKeepsAlive;
    private final boolean clientExpects;
    private RequestRecord record;
    private State state = State.DECIDING;
    private HostPolicy policy;
    private Destination.@Nullable Found found;
    private @Nullable Injection injection;
    private @Nullable StreamFilter bodyFilter;
    private @Nullable Scrubber scrubber;
    private @Nullable HttpRequest outgoing;
    private @Nullable ByteArrayOutputStream collected;
    private byte @Nullable [] wholeBody;
    private @Nullable Upstream upstream;
    private @Nullable UsageReader usage;
    private boolean reused;
    private boolean granted;
    private boolean requestComplete;
    private boolean responseBegun;
    private boolean informational;
    private boolean switching;
    private boolean serverKeepsAlive;
    private boolean endsWithConnection;
    private boolean refusedKeepsAlive;
    private long discardedBytes;

    Exchange(HttpFront front, WorkerEgress worker, HttpRequest request) {
        this.front = front;
        this.worker = worker;
        this.request = request;
        this.policy = worker.policy();
        this.clientKeepsAlive = HttpUtil.isKeepAlive(request);
        this.clientExpects = HttpUtil.is100ContinueExpected(request);
        this.record = new RequestRecord("request", request.method().name(), "", "", 0, "", System.nanoTime());
    }

    void begin() {
        try {
            Destination.Found target = front.destination().find(request, worker);
            Headers.requireUnambiguous(request);
            found = target;
            record = recordFor(target.target(), target.path());
            worker.decide(target.target(), request.method().name(), judge(target), this::handleVerdict);
        } catch (Refusal.RefusedException e) {
            refuse(e.refusal());
        }
    }

    private RequestRecord recordFor(Target target, String path) {
        return new RequestRecord(
                request.method().name().equals("CONNECT") ? "connect" : "request",
                request.method().name(),
                target.scheme(),
                target.host(),
                target.port(),
                path,
                System.nanoTime());
    }

    private Verdict judge(Destination.Found target) {
        Target to = target.target();
        Verdict toHost = policy.host(to.host(), to.port());
        boolean forbidden = !toHost.allowed() && !toHost.askable();
        if (target.route() != null && !forbidden) {
            return new Verdict(true, "modelRoutes has " + target.routeName(), false);
        }
        granted |= front.destination() instanceof Destination.Fixed fixed && fixed.granted();
        if (granted && !toHost.allowed() && !forbidden) {
            return new Verdict(true, "a person allowed this connection", false);
        }
        for (String method : OverridingMethods.of(request, target.pathAndQuery())) {
            Verdict verdict = policy.request(to.host(), to.port(), method, target.path());
            if (!verdict.allowed()) {
                return verdict;
            }
        }
        return policy.request(to.host(), to.port(), request.method().name(), target.path());
    }

    private void handleVerdict(Verdict verdict) {
        if (state != State.DECIDING || found == null) {
            return;
        }
        if (!verdict.allowed()) {
            refuse(
                    verdict.askable()
                            ? Refusal.askable(verdict.rule(), record.host(), record.port(), worker.spawn())
                            : Refusal.blocked(verdict.rule()));
            return;
        }
        // A person may have widened it while the request waited.
        policy = worker.policy();
        granted |= !policy.host(record.host(), record.port()).allowed();
        record.allow(verdict.rule());
        try {
            prepare(found);
        } catch (SecretRefusedException e) {
            refuse(Refusal.blocked(e.why()));
        }
    }

    /** Makes the request as it is sent. @throws SecretRefusedException */
    private void prepare(Destination.Found target) {
        Target to = target.target();
        EgressPolicy.ModelRoute route = target.route();
        String routeSecret = route == null ? "" : route.secret();
        Injection into = new Injection(
                worker.secrets(),
                name -> name.equals(routeSecret) || policy.secretGoesTo(name, to.host(), to.port()),
                name -> !to.tls() && !isPlaintextAllowed(name));
        injection = into;
        boolean filters = !worker.secrets().isEmpty();
        boolean scrubs = !routeSecret.isEmpty()
                || worker.placeholderNames().stream().anyMatch(name -> policy.secretGoesTo(name, to.host(), to.port()));
        HttpRequest made = Headers.forward(
                request,
                to,
                target.pathAndQuery(),
                route,
                into,
                name -> isInQuery(name),
                filters,
                scrubs || route != null);
        if (route != null && !routeSecret.isEmpty()) {
            Headers.authorize(made, route, into, worker.placeholder(routeSecret));
        }
        if (scrubs) {
            scrubber = into.scrubber();
        }
        if (route != null) {
            SubAgentHeaders.tell(request, worker);
            usage = new UsageReader(target.routeName(), SubAgentHeaders.of(request, worker));
        }
        outgoing = made;
        chooseBody(made, filters && Headers.isIdentity(request));
    }

    private boolean isPlaintextAllowed(String name) {
        EgressPolicy.Secret secret = policy.policy().secrets().get(name);
        return secret != null && secret.allowPlaintext();
    }

    private boolean isInQuery(String name) {
        EgressPolicy.Secret secret = policy.policy().secrets().get(name);
        return secret != null && secret.inQuery();
    }

    private void chooseBody(HttpRequest made, boolean filters) {
        long length = HttpUtil.getContentLength(request, -1L);
        boolean chunked = HttpUtil.isTransferEncodingChunked(request);
        if (chunked) {
            HttpUtil.setTransferEncodingChunked(made, true);
        } else if (length >= 0) {
            made.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        }
        if (!filters || injection == null || (!chunked && length <= 0)) {
            open();
            return;
        }
        bodyFilter = injection.body();
        if (!chunked && length <= worker.limits().holdBytesMax()) {
            collected = new ByteArrayOutputStream((int) length);
            state = State.COLLECTING;
            letClientSend();
            front.drain();
            return;
        }
        // What goes over may be longer or shorter than what came.
        made.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
        HttpUtil.setTransferEncodingChunked(made, true);
        open();
    }

    private void letClientSend() {
        if (clientExpects && !requestComplete) {
            front.write(Headers.continues());
            front.flush();
        }
    }

    private void open() {
        if (found == null) {
            return;
        }
        state = State.OPENING;
        Target to = found.target();
        Upstream kept = front.takeIdle(to);
        if (kept != null) {
            reused = true;
            handleOpened(kept);
            return;
        }
        worker.around().dialer().open(worker.loop(), policyWith(found), to).whenComplete((channel, failure) -> {
            if (channel != null && state != State.OPENING) {
                channel.close();
            } else if (channel != null) {
                channel.pipeline().addFirst(worker.outward());
                handleOpened(new Upstream(channel, to, policy, worker.limits(), scrubber != null));
            } else if (state == State.OPENING) {
                refuse(
                        failure instanceof Refusal.RefusedException refused
                                ? refused.refusal()
                                : Refusal.unreachable("the connection failed"));
            }
        });
    }

    /** The operator's own base URL may be an address that names cannot lead to. */
    private HostPolicy policyWith(Destination.Found target) {
        return target.route() == null
                ? policy
                : policy.with(target.target().host(), target.target().port());
    }

    private void handleOpened(Upstream opened) {
        if (outgoing == null) {
            return;
        }
        upstream = opened;
        state = State.STREAMING;
        opened.serve(this);
        if (injection != null) {
            record.use(injection.used());
        }
        byte[] body = wholeBody;
        if (body != null) {
            opened.channel()
                    .writeAndFlush(new DefaultFullHttpRequest(
                            outgoing.protocolVersion(),
                            outgoing.method(),
                            outgoing.uri(),
                            Unpooled.wrappedBuffer(body),
                            outgoing.headers().copy(),
                            Headers.none()));
            record.addRequestBytes(body.length);
        } else {
            opened.channel().write(outgoing);
            opened.channel().flush();
            letClientSend();
        }
        front.drain();
        handleRequestBatchEnd();
    }

    /** Whether the next piece of the body can be taken now. */
    boolean takesBody() {
        return switch (state) {
            case COLLECTING, REFUSED, ENDED -> true;
            case STREAMING -> upstream == null || upstream.channel().isWritable();
            case DECIDING, OPENING -> false;
        };
    }

    void handleBody(HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        requestComplete |= last;
        try {
            if (content.decoderResult().isFailure()) {
                refuse(Refusal.malformed("the body is malformed"));
            } else if (state == State.COLLECTING && collected != null) {
                collected.writeBytes(ByteBufUtil.getBytes(content.content()));
                if (last) {
                    handleCollected(collected.toByteArray());
                }
            } else if (state == State.STREAMING && upstream != null && wholeBody == null) {
                send(upstream, content.content(), last);
            } else if (state == State.REFUSED) {
                discardedBytes += content.content().readableBytes();
                endRefused();
            }
        } catch (SecretRefusedException e) {
            refuse(Refusal.blocked(e.why()));
        } finally {
            content.release();
        }
    }

    private void handleCollected(byte[] body) {
        if (bodyFilter != null && outgoing != null) {
            byte[] filtered = bodyFilter.whole(body);
            wholeBody = filtered;
            outgoing.headers().set(HttpHeaderNames.CONTENT_LENGTH, filtered.length);
            open();
        }
    }

    private void send(Upstream to, ByteBuf bytes, boolean last) {
        ByteBuf out;
        if (bodyFilter == null) {
            out = bytes.retain();
        } else {
            byte[] filtered = bodyFilter.feed(ByteBufUtil.getBytes(bytes));
            out = last ? Unpooled.wrappedBuffer(filtered, bodyFilter.finish()) : Unpooled.wrappedBuffer(filtered);
            if (injection != null) {
                record.use(injection.used());
            }
        }
        record.addRequestBytes(out.readableBytes());
        if (out.isReadable()) {
            to.channel().write(new DefaultHttpContent(out));
        } else {
            out.release();
        }
        if (last) {
            to.channel().write(LastHttpContent.EMPTY_LAST_CONTENT);
            to.channel().flush();
        }
    }

    void handleRequestBatchEnd() {
        if (upstream != null) {
            upstream.channel().flush();
        }
    }

    @Override
    public void handleUpstreamWritable() {
        front.drain();
        handleRequestBatchEnd();
    }

    void handleFrontWritable() {
        if (upstream != null) {
            upstream.channel().config().setAutoRead(front.isWritable());
        }
    }

    @Override
    public void handleResponse(HttpObject part) {
        if (part.decoderResult().isFailure()) {
            ReferenceCountUtil.release(part);
            refuse(Refusal.unreachable("the answer of the server is malformed or too long"));
            return;
        }
        if (part instanceof HttpResponse response) {
            handleHead(response);
        }
        if (part instanceof HttpContent content) {
            handleContent(content);
        }
    }

    private void handleHead(HttpResponse response) {
        int code = response.status().code();
        switching = code == 101 && Headers.isWebSocket(request);
        informational = code < 200 && !switching;
        if (informational) {
            return;
        }
        if (scrubber != null && !Headers.isIdentity(response) && code != 304) {
            refuse(Refusal.unreachable("the server encoded its answer, in which secrets could not be found"));
            return;
        }
        responseBegun = true;
        record.answer(code);
        serverKeepsAlive = HttpUtil.isKeepAlive(response)
                && (HttpUtil.isTransferEncodingChunked(response)
                        || HttpUtil.isContentLengthSet(response)
                        || Headers.hasNoBody(request, code));
        HttpResponse made = Headers.back(request, response, scrubber);
        endsWithConnection = !Headers.hasNoBody(request, code)
                && !switching
                && !HttpUtil.isTransferEncodingChunked(made)
                && !HttpUtil.isContentLengthSet(made);
        boolean keeps = clientKeepsAlive && !endsWithConnection;
        if (!switching) {
            made.headers().set(HttpHeaderNames.CONNECTION, keeps ? "keep-alive" : "close");
        }
        if (usage != null) {
            usage.handleHead(response);
        }
        front.write(made);
    }

    private void handleContent(HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (informational || state != State.STREAMING) {
            informational &= !last;
            content.release();
            return;
        }
        if (switching && last && upstream != null) {
            content.release();
            state = State.ENDED;
            front.becomeRaw(upstream, record);
            return;
        }
        record.addResponseBytes(content.content().readableBytes());
        if (usage != null) {
            usage.handleBytes(content.content());
        }
        if (scrubber == null) {
            writeBack(content.content().retain());
        } else {
            writeBack(Unpooled.wrappedBuffer(scrubber.feed(ByteBufUtil.getBytes(content.content()))));
            if (last) {
                writeBack(Unpooled.wrappedBuffer(scrubber.finish()));
            }
        }
        content.release();
        if (last) {
            front.write(LastHttpContent.EMPTY_LAST_CONTENT);
            end();
        } else {
            handleFrontWritable();
        }
    }

    private void writeBack(ByteBuf bytes) {
        if (bytes.isReadable()) {
            front.write(new DefaultHttpContent(bytes));
        } else {
            bytes.release();
        }
    }

    @Override
    public void handleBatchEnd() {
        front.flush();
    }

    private void end() {
        state = State.ENDED;
        if (upstream != null) {
            if (serverKeepsAlive && requestComplete) {
                front.keepIdle(upstream);
            } else {
                upstream.close();
            }
            upstream = null;
        }
        // Before the client has the end of its answer: who looks then finds it on record.
        finish();
        front.flush();
        front.handleEnd(this, clientKeepsAlive && requestComplete && !endsWithConnection);
    }

    private void finish() {
        if (usage != null) {
            usage.tell(worker, record);
        }
        worker.handleDecided(record);
    }

    @Override
    public void handleUpstreamClosed() {
        Upstream gone = upstream;
        upstream = null;
        if (gone == null || state != State.STREAMING) {
            return;
        }
        boolean again = reused && !responseBegun && (wholeBody != null || Headers.hasNoBody(request));
        if (again) {
            // The server had closed the idle connection before it saw this request.
            reused = false;
            open();
        } else if (responseBegun) {
            state = State.ENDED;
            finish();
            front.channel().close();
        } else {
            refuse(Refusal.unreachable("the server closed the connection without an answer"));
        }
    }

    void handleIdle() {
        if (state == State.DECIDING) {
            // Persons have a deadline of their own.
            return;
        }
        if (responseBegun || state == State.REFUSED) {
            front.channel().close();
        } else {
            refuse(new Refusal(504, "nothing came for too long", ""));
        }
    }

    /** The policy changed: what is under way must still be allowed. */
    void recheck() {
        if (found == null || state == State.DECIDING || state == State.REFUSED || state == State.ENDED) {
            return;
        }
        policy = worker.policy();
        Verdict verdict = judge(found);
        boolean stays = verdict.allowed() || (granted && verdict.askable());
        if (!stays) {
            record.refuse(Refusal.blocked(verdict.rule()));
            if (responseBegun) {
                front.channel().close();
            } else {
                refuse(Refusal.blocked(verdict.rule()));
            }
        }
    }

    void handleClientGone() {
        if (state != State.ENDED) {
            boolean told = state == State.REFUSED;
            state = State.ENDED;
            if (upstream != null) {
                upstream.close();
                upstream = null;
            }
            if (!told) {
                finish();
            }
        }
    }

    /** Nobody waits for the answer any more. */
    void abandon() {
        state = State.ENDED;
    }

    /** It is a CONNECT to there. */
    void connects(Target target) {
        record = recordFor(target, "");
    }

    void refuse(Refusal refusal) {
        if (state == State.REFUSED || state == State.ENDED) {
            return;
        }
        state = State.REFUSED;
        record.refuse(refusal);
        if (upstream != null) {
            upstream.close();
            upstream = null;
        }
        worker.handleDecided(record);
        if (responseBegun) {
            front.channel().close();
            return;
        }
        refusedKeepsAlive = clientKeepsAlive
                && (requestComplete || Headers.hasNoBody(request))
                && !request.decoderResult().isFailure();
        String text = Refusals.text(request, record, refusal, worker.secrets());
        front.writeText(refusal.status(), text, refusedKeepsAlive);
        endRefused();
    }

    /** A client that is still sending would lose the answer if the connection were cut under it. */
    private void endRefused() {
        boolean malformed = request.decoderResult().isFailure();
        boolean ends = requestComplete || malformed || (clientExpects && !Headers.hasNoBody(request));
        if (ends || discardedBytes > DISCARDED_BYTES_MAX) {
            state = State.ENDED;
            front.handleEnd(this, refusedKeepsAlive);
        }
    }
}
