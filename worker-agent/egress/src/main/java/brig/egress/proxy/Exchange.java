package brig.egress.proxy;

import brig.egress.connection.Upstream;
import brig.egress.filter.AuditFilter;
import brig.egress.filter.ExchangeFilter;
import brig.egress.filter.FilterChain;
import brig.egress.http.Headers;
import brig.egress.http.Refusals;
import brig.egress.http.Target;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.policy.Verdict;
import brig.egress.request.Refusal;
import brig.egress.request.RequestRecord;
import brig.egress.secret.SecretRefusedException;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. State owned by the event loop of the worker.
 *
 * <p>The request is judged, its filters are chosen, a connection is found or opened; then head and body are forwarded
 * as they arrive. A short body that a filter may change is checked whole, so that a refusal precedes any byte sent. A
 * long one is filtered on the way, and aborted on refusal.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class Exchange implements Upstream.Listener {
    private enum State {
        DECIDING,
        /** At the gate of its provider. */
        QUEUED,
        COLLECTING,
        OPENING,
        STREAMING,
        WAITING,
        REFUSED,
        ENDED
    }

    /** Bytes that a refused client may still send before the connection is closed. */
    private static final long DISCARDED_BYTES_MAX = 8 * 1024 * 1024;

    private static final int UNAUTHORIZED = 401;
    /** How often one request is sent again with another token. */
    private static final int AGAIN_MAX = 3;

    private final HttpFront front;
    private final WorkerEgress worker;
    private final HttpRequest request;
    private final boolean clientKeepsAlive;
    private final boolean clientExpects;
    private final RequestJudge judge;
    private RequestRecord record;
    private ExchangeFilter filters;
    private Answer answer;
    private State state = State.DECIDING;
    private HostPolicy policy;
    private Destination.@Nullable Found found;
    private @Nullable Turn turn;
    private @Nullable HttpRequest outgoing;
    private @Nullable HeldBody collected;
    private byte @Nullable [] wholeBody;
    private @Nullable Upstream upstream;
    private boolean reused;
    private boolean requestComplete;
    private boolean refusedKeepsAlive;
    private long discardedBytes;
    private boolean hasWaited;
    private int again;
    /** {@link LoginWaits#changes} when the head was made. */
    private int secretsOf;

    Exchange(HttpFront front, WorkerEgress worker, HttpRequest request) {
        this.front = front;
        this.worker = worker;
        this.request = request;
        this.judge = new RequestJudge(request, front.destination());
        this.policy = worker.policy();
        this.clientKeepsAlive = HttpUtil.isKeepAlive(request);
        this.clientExpects = HttpUtil.is100ContinueExpected(request);
        this.record = recordOf("", new HostPort("", 0), "");
        this.filters = new FilterChain(List.of(auditFilter()));
        this.answer = new Answer(front, request, filters);
    }

    private RequestRecord recordOf(String scheme, HostPort at, String path) {
        boolean connects = !at.host().isEmpty() && request.method().name().equals("CONNECT");
        return new RequestRecord(
                connects ? RequestRecord.Kind.CONNECT : RequestRecord.Kind.REQUEST,
                request.method().name(),
                scheme,
                at,
                path,
                System.nanoTime());
    }

    private AuditFilter auditFilter() {
        return new AuditFilter(record, worker::handleDecided);
    }

    private void handleTarget(Target target, String path) {
        record = recordOf(target.scheme(), target.hostPort(), path);
        filterBy(new FilterChain(List.of(auditFilter())));
    }

    private void filterBy(FilterChain chain) {
        filters = chain;
        answer = new Answer(front, request, chain);
    }

    void begin() {
        try {
            Destination.Found target = front.destination().find(request, worker);
            Headers.requireUnambiguous(request);
            found = target;
            handleTarget(target.target(), target.path());
            decide(target);
        } catch (Refusal.RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void decide(Destination.Found target) {
        worker.decisions()
                .decide(
                        record.at(),
                        request.method().name(),
                        judge.judge(target, policy),
                        verdict -> handleVerdict(target, verdict));
    }

    private void handleVerdict(Destination.Found target, Verdict verdict) {
        if (state != State.DECIDING) {
            return;
        }
        if (!verdict.allowed()) {
            refuse(
                    verdict.askable()
                            ? Refusal.askable(verdict.rule(), record.at(), worker.spawn())
                            : Refusal.blocked(verdict.rule()));
            return;
        }
        // A person may have extended the policy while the request waited.
        policy = worker.policy();
        judge.handleAllowed(target.target(), policy);
        record.allow(verdict.rule());
        if (!hasWaited && worker.logins().addMissing(this, target, policy, worker.secrets(), this::handleLogin)) {
            hasWaited = true;
            return;
        }
        takeTurn(target);
    }

    private void takeTurn(Destination.Found target) {
        turn = Turn.of(request, target, worker, () -> handleTurn(target), this::refuse);
        if (turn == null) {
            prepare(target);
        } else {
            state = State.QUEUED;
            turn.enter();
        }
    }

    private void handleTurn(Destination.Found target) {
        if (state == State.QUEUED) {
            policy = worker.policy();
            record.startAt(System.nanoTime());
            prepare(target);
        }
    }

    private void prepare(Destination.Found target) {
        try {
            filterBy(Filters.of(request, target, worker, policy, record, turn, auditFilter()));
            HttpRequest made =
                    Headers.forward(request, target.target(), target.pathAndQuery(), target.route(), filters);
            outgoing = made;
            secretsOf = worker.logins().changes();
            chooseBody(made);
        } catch (SecretRefusedException e) {
            refuse(Refusal.blocked(e.why()));
        } catch (Refusal.RefusedException e) {
            refuse(e.refusal());
        }
    }

    /** The wait for a login is over, with a token or without. */
    private void handleLogin(boolean unused) {
        if (state == State.DECIDING) {
            policy = worker.policy();
            begin();
        }
    }

    private void chooseBody(HttpRequest made) {
        long length = HttpUtil.getContentLength(request, -1L);
        boolean chunked = HttpUtil.isTransferEncodingChunked(request);
        if (chunked) {
            HttpUtil.setTransferEncodingChunked(made, true);
        } else if (length >= 0) {
            made.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        }
        if (filters.readsWholeBody() && (chunked || length > 0)) {
            collect((int) Math.max(0, Math.min(length, worker.limits().holdBytesMax())));
            return;
        }
        if (!filters.changesBody() || (!chunked && length <= 0)) {
            open();
            return;
        }
        if (!chunked && length <= worker.limits().holdBytesMax()) {
            collect((int) length);
            return;
        }
        // Filters may change the length.
        made.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
        HttpUtil.setTransferEncodingChunked(made, true);
        open();
    }

    private void collect(int expected) {
        collected = new HeldBody(worker.around().spending(), worker.heldBytes(), expected);
        state = State.COLLECTING;
        letClientSend();
        front.drain();
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
        worker.around()
                .dialer()
                .open(worker.loop(), found.dialledBy(policy), to)
                .whenComplete((channel, failure) -> {
                    if (channel != null && state != State.OPENING) {
                        channel.close();
                    } else if (channel != null) {
                        channel.pipeline().addFirst(worker.outward());
                        handleOpened(new Upstream(channel, to, policy, worker.limits(), filters.changesAnswer()));
                    } else if (state == State.OPENING) {
                        refuse(
                                failure instanceof Refusal.RefusedException refused
                                        ? refused.refusal()
                                        : Refusal.unreachable("the connection failed"));
                    }
                });
    }

    private void handleOpened(Upstream opened) {
        if (outgoing == null) {
            return;
        }
        upstream = opened;
        state = State.STREAMING;
        opened.serve(this);
        filters.handleOpened();
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
            filters.handleSent(body.length);
        } else {
            opened.channel().write(outgoing);
            opened.channel().flush();
            letClientSend();
        }
        front.drain();
        handleRequestBatchEnd();
    }

    /** Whether it can take the next piece of the body now. */
    boolean takesBody() {
        return switch (state) {
            case COLLECTING, REFUSED, ENDED -> true;
            case STREAMING -> upstream == null || upstream.channel().isWritable();
            case DECIDING, QUEUED, OPENING, WAITING -> false;
        };
    }

    void handleBody(HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        requestComplete |= last;
        try {
            if (content.decoderResult().isFailure()) {
                refuse(Refusal.malformed("the body is malformed"));
            } else if (state == State.COLLECTING && collected != null) {
                collected.add(content.content());
                if (last) {
                    handleCollected(collected.take());
                }
            } else if (state == State.STREAMING && upstream != null && wholeBody == null) {
                send(upstream, filters.body(content.content().retain(), last), last);
            } else if (state == State.REFUSED) {
                discardedBytes += content.content().readableBytes();
                endRefused();
            }
        } catch (SecretRefusedException e) {
            refuse(Refusal.blocked(e.why()));
        } catch (Refusal.RefusedException e) {
            refuse(e.refusal());
        } finally {
            content.release();
        }
    }

    private void handleCollected(byte[] body) {
        if (outgoing != null) {
            ByteBuf filtered = filters.body(Unpooled.wrappedBuffer(body), true);
            wholeBody = ByteBufUtil.getBytes(filtered);
            filtered.release();
            HttpUtil.setTransferEncodingChunked(outgoing, false);
            outgoing.headers().set(HttpHeaderNames.CONTENT_LENGTH, wholeBody.length);
            open();
        }
    }

    private void send(Upstream to, ByteBuf piece, boolean last) {
        filters.handleSent(piece.readableBytes());
        if (piece.isReadable()) {
            to.channel().write(new DefaultHttpContent(piece));
        } else {
            piece.release();
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
        Upstream from = upstream;
        if (from == null || state != State.STREAMING) {
            ReferenceCountUtil.release(part);
            return;
        }
        if (part.decoderResult().isFailure()) {
            ReferenceCountUtil.release(part);
            refuse(Refusal.unreachable("the answer of the server is malformed or too long"));
            return;
        }
        if (part instanceof HttpResponse head && waitsForLogin(head)) {
            ReferenceCountUtil.release(part);
            return;
        }
        try {
            switch (answer.handle(part)) {
                case GOES_ON -> handleFrontWritable();
                case ENDED -> end();
                case SWITCHED -> {
                    state = State.ENDED;
                    front.becomeRaw(from, record);
                }
            }
        } catch (Refusal.RefusedException e) {
            refuse(e.refusal());
        }
    }

    /** The vendor refused the login: if it can be sent again, the request waits for another token. */
    private boolean waitsForLogin(HttpResponse head) {
        boolean canRepeat = wholeBody != null || Headers.hasNoBody(request);
        if (head.status().code() != UNAUTHORIZED
                || answer.begun()
                || found == null
                || !canRepeat
                || again >= AGAIN_MAX
                || !worker.logins().addRefused(this, found, policy, secretsOf, this::handleOtherToken)) {
            return false;
        }
        again++;
        if (turn != null) {
            turn.pass().handleAnswer(UNAUTHORIZED, head.headers());
        }
        wholeBody = wholeBody == null ? new byte[0] : wholeBody;
        state = State.WAITING;
        closeUpstream();
        return true;
    }

    private void handleOtherToken(boolean isThere) {
        if (state != State.WAITING || outgoing == null) {
            return;
        }
        // The new login may be for another place.
        if (!isThere || found == null || !found.isStill(front.destination(), request, worker)) {
            refuse(new Refusal(UNAUTHORIZED, "the vendor refuses the login of " + record.at(), ""));
            return;
        }
        try {
            secretsOf = worker.logins().changes();
            filters.handleSecrets(worker.secrets().now(), outgoing);
            reused = false;
            open();
        } catch (SecretRefusedException e) {
            refuse(Refusal.blocked(e.why()));
        }
    }

    @Override
    public void handleBatchEnd() {
        front.flush();
    }

    private void end() {
        state = State.ENDED;
        if (upstream != null) {
            if (answer.serverKeepsAlive() && requestComplete) {
                front.keepIdle(upstream);
            } else {
                upstream.close();
            }
            upstream = null;
        }
        // Before the client gets the end of its answer: the audit then has the entry.
        finish();
        front.flush();
        front.handleEnd(this, clientKeepsAlive && requestComplete && !answer.endsWithConnection());
    }

    @Override
    public void handleUpstreamClosed() {
        Upstream gone = upstream;
        upstream = null;
        if (gone == null || state != State.STREAMING) {
            return;
        }
        boolean repeats = reused && !answer.begun() && (wholeBody != null || Headers.hasNoBody(request));
        if (repeats) {
            // The server closed the idle connection before it read this request.
            reused = false;
            open();
        } else if (answer.begun()) {
            state = State.ENDED;
            finish();
            front.channel().close();
        } else {
            refuse(Refusal.unreachable("the server closed the connection without an answer"));
        }
    }

    void handleIdle() {
        if (state == State.DECIDING || state == State.QUEUED || state == State.WAITING) {
            // These have deadlines of their own.
            return;
        }
        if (answer.begun() || state == State.REFUSED) {
            front.channel().close();
        } else {
            refuse(new Refusal(504, "no data arrived in time", ""));
        }
    }

    /** The policy changed: checks whether the request is still allowed. */
    void recheck() {
        if (found == null || state == State.DECIDING || state == State.REFUSED || state == State.ENDED) {
            return;
        }
        policy = worker.policy();
        Verdict verdict = judge.judge(found, policy);
        if (!judge.stays(verdict)) {
            record.refuse(Refusal.blocked(verdict.rule()));
            if (answer.begun()) {
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
            closeUpstream();
            if (!told) {
                finish();
            }
        }
    }

    private void finish() {
        worker.logins().remove(this);
        wholeBody = null;
        if (collected != null) {
            collected.release();
            collected = null;
        }
        if (turn != null) {
            turn.end();
        }
        filters.handleEnd();
    }

    private void closeUpstream() {
        if (upstream != null) {
            upstream.close();
            upstream = null;
        }
    }

    /** The client is gone: aborts the exchange. */
    void abandon() {
        state = State.ENDED;
    }

    /** The request is a CONNECT to that target. */
    void connects(Target target) {
        handleTarget(target, "");
    }

    void refuse(Refusal refusal) {
        if (state == State.REFUSED || state == State.ENDED) {
            return;
        }
        state = State.REFUSED;
        record.refuse(refusal);
        closeUpstream();
        finish();
        if (answer.begun()) {
            front.channel().close();
            return;
        }
        refusedKeepsAlive = clientKeepsAlive
                && (requestComplete || Headers.hasNoBody(request))
                && !request.decoderResult().isFailure();
        if (refusal.document() == null) {
            String text =
                    Refusals.text(request, record, refusal, worker.secrets().now());
            front.writeText(refusal, "text/plain; charset=utf-8", text, refusedKeepsAlive);
        } else {
            String text = worker.secrets().now().scrub(refusal.document());
            front.writeText(refusal, "application/json", text, refusedKeepsAlive);
        }
        endRefused();
    }

    /** Keeps reading: a client that is still sending would lose the answer if the connection closed now. */
    private void endRefused() {
        boolean malformed = request.decoderResult().isFailure();
        boolean ends = requestComplete || malformed || (clientExpects && !Headers.hasNoBody(request));
        if (ends || discardedBytes > DISCARDED_BYTES_MAX) {
            state = State.ENDED;
            front.handleEnd(this, refusedKeepsAlive);
        }
    }
}
