package brig.gateway.worker;

import brig.gateway.stream.Inlet;
import brig.gateway.stream.StreamLog;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.ControlAnswer;
import brig.protocol.control.ControlCall;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.Done;
import brig.protocol.control.LinkPurpose;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.LineDecoder;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control connection to the worker-agent. Requests have ids and deadlines; answers come in any order. When
 * the connection is lost, everything in flight fails, and the link reconnects. Since prompts are
 * sent over it, a peer whose uid is not trusted is sent nothing.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0106, 0138.
 */
public final class ControlLink extends RequestingAgent implements LinkedAgent, LineDecoder.Sink {
    /** Listens to changes of the link. */
    public interface Listener {
        /** A worker-agent answered; it may be a new instance. */
        void handleUp(String instance);

        /** There is no connection; another attempt follows. Called after each failed attempt. */
        void handleDown();

        /** An untrusted process listens instead; nothing was sent to it. {@link #handleDown} follows. */
        void handleUntrusted(BrigException why);

        /** The worker-agent could not write to its disk, which may be the gateway's too. */
        void handleRecordLost(BrigException why);
    }

    private static final Logger log = LoggerFactory.getLogger(ControlLink.class);
    private static final int ANSWER_BYTES_MAX = 4 * Limits.MESSAGE_BYTES_MAX;
    private static final long RECONNECT_MS = 50;
    /** How often a link without a way to its host looks for one. */
    private static final long LOOK_MS = 250;

    private static final long PING_MS = 5_000;
    private static final long DEADLINE_MS = 30_000;
    /** Where many files are made or removed. The worker-agent gives up after ten times worker.tools.timeoutMs. */
    private static final long FILES_DEADLINE_MS = 3_600_000;

    private final Vertx vertx;
    private final NetClient client;
    private final SocketAddress address;
    private final Timers timers;
    private final IntPredicate trustedUids;
    private final Reach reach;
    private final WorkerLink.Services shared;
    private final Map<Long, Pending<?>> pending = new HashMap<>();
    private Listener listener = new NoListener();
    /** Links to workers that wait until the worker-agent is in reach again. */
    private final List<WorkerLink> waiting = new ArrayList<>();

    private LineDecoder lines = new LineDecoder(ANSWER_BYTES_MAX, this);
    private @Nullable NetSocket socket;
    /** Whether the connection has sent what no worker-agent sends. */
    private boolean broken;

    private long lastId;
    private boolean closed;
    /** Why the peer is not trusted; null if it is. */
    private @Nullable BrigException untrusted;

    private record Pending<A>(Function<ControlAnswer, A> reader, CompletableFuture<A> answer, Timers.Timer deadline) {
        void giveUp() {
            deadline.cancel();
            answer.completeExceptionally(new UnansweredException());
        }

        void complete(ControlAnswer line) {
            try {
                answer.complete(reader.apply(line));
            } catch (BrigException unreadable) {
                answer.completeExceptionally(new BrigException(
                        ErrorCode.INTERNAL, "the worker-agent's answer cannot be read: " + unreadable.getMessage()));
            }
        }
    }

    /**
     * The link to the worker-agent of this host.
     *
     * @param trustedUids accepts the uids that it may have
     */
    public ControlLink(Vertx vertx, String socketPath, Timers timers, IntPredicate trustedUids) {
        this(vertx, socketPath, timers, trustedUids, Reach.HERE);
    }

    public ControlLink(Vertx vertx, String socketPath, Timers timers, IntPredicate trustedUids, Reach reach) {
        this.vertx = vertx;
        this.client = vertx.createNetClient();
        this.address = SocketAddress.domainSocketAddress(socketPath);
        this.timers = timers;
        this.trustedUids = trustedUids;
        this.reach = reach;
        this.shared = new WorkerLink.Services(
                ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop(),
                new DomainSocketAddress(socketPath),
                this::retry,
                new Inlet.Shared(),
                reach);
    }

    /** Connects, and keeps the link up. */
    public void open(Listener newListener) {
        listener = newListener;
        connect();
    }

    /** Ends the connection, if there is one; another attempt follows. */
    public void drop() {
        if (socket != null) {
            socket.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        listener = new NoListener();
        drop();
    }

    private void connect() {
        if (closed) {
            return;
        }
        if (!reach.isUp()) {
            timers.after(LOOK_MS, this::connect);
            return;
        }
        client.connect(address).onComplete(connected -> {
            if (connected.succeeded()) {
                handleConnected(connected.result());
            } else {
                retry();
            }
        });
    }

    private void retry() {
        listener.handleDown();
        timers.after(RECONNECT_MS, this::connect);
    }

    /** Only while the worker-agent is in reach: a host may be out of reach for days. */
    private void retry(WorkerLink link) {
        if (socket == null) {
            waiting.add(link);
        } else {
            timers.after(RECONNECT_MS, link::connect);
        }
    }

    private void handleConnected(NetSocket connected) {
        if (closed) {
            connected.close();
            return;
        }
        try {
            requireTrusted(connected);
        } catch (BrigException why) {
            untrusted = why;
            connected.close();
            listener.handleUntrusted(why);
            retry();
            return;
        }
        untrusted = null;
        socket = connected;
        broken = false;
        lines = new LineDecoder(ANSWER_BYTES_MAX, this);
        connected.handler(buffer -> {
            byte[] bytes = buffer.getBytes();
            lines.decode(bytes, 0, bytes.length);
        });
        connected.exceptionHandler(failure -> log.debug("control link failed: {}", failure.toString()));
        connected.closeHandler(nothing -> handleClosed(connected));
        connected.write(Buffer.buffer(Json.writeLine(new LinkPurpose.Control(reach.epoch()))));
        hello().thenAccept(hello -> listener.handleUp(hello.instance()));
        if (reach.epoch() != null) {
            ping(connected);
        }
        List.copyOf(waiting).forEach(WorkerLink::connect);
        waiting.clear();
    }

    /** Signs of life for a worker-agent that does not see when the link is lost. */
    private void ping(NetSocket alive) {
        timers.after(PING_MS, () -> {
            if (socket == alive) {
                var _ = request(new ControlRequest.Ping(), Done.class);
                ping(alive);
            }
        });
    }

    private void requireTrusted(NetSocket connected) {
        var channel = (EpollDomainSocketChannel)
                ((NetSocketInternal) connected).channelHandlerContext().channel();
        try {
            int uid = channel.peerCredentials().uid();
            if (!trustedUids.test(uid)) {
                throw new BrigException(
                        ErrorCode.UNTRUSTED_ENDPOINT,
                        "who listens at " + address.path() + " is uid " + uid
                                + ", neither Brig's own user nor root: nothing is sent there");
            }
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.UNTRUSTED_ENDPOINT,
                    "the kernel does not say who listens at " + address.path() + ": " + e.getMessage());
        }
    }

    private void handleClosed(NetSocket gone) {
        if (socket != gone) {
            return;
        }
        socket = null;
        List<Pending<?>> lost = new ArrayList<>(pending.values());
        pending.clear();
        lost.forEach(Pending::giveUp);
        retry();
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        if (broken) {
            return;
        }
        ControlAnswer line;
        try {
            line = Json.read(bytes, offset, length, ControlAnswer.class);
        } catch (BrigException unreadable) {
            breakOff("a line that cannot be read: " + unreadable.getMessage());
            return;
        }
        Pending<?> request = line.id() instanceof Long id ? pending.remove(id) : null;
        if (request == null) {
            return;
        }
        request.deadline().cancel();
        if (line.refusal() != null) {
            BrigException refusal = line.refusal().toException();
            if (refusal.code() == ErrorCode.RECORD_LOST) {
                listener.handleRecordLost(refusal);
            }
            request.answer().completeExceptionally(refusal);
        } else {
            request.complete(line);
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        if (code == ErrorCode.LINE_TOO_LONG) {
            log.error("the worker-agent sent a line that is refused with {}", code);
        } else {
            breakOff("a line that is refused with " + code);
        }
    }

    /** Who sends that is no worker-agent of ours, or ill: nothing more of this connection is read. */
    private void breakOff(String why) {
        if (!broken) {
            broken = true;
            log.error("the worker-agent sent {}; the connection is closed", why);
            drop();
        }
    }

    private BrigException unavailable() {
        return untrusted != null
                ? untrusted
                : new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent does not answer", 1);
    }

    @Override
    protected <A extends Record> CompletionStage<A> request(ControlRequest request, Class<A> type) {
        return ask(request, type)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof UnansweredException ? unavailable() : failure));
    }

    @Override
    protected <A extends Record> CompletionStage<A> ask(ControlRequest request, Class<A> type) {
        return send(request, line -> line.as(type));
    }

    @Override
    public CompletionStage<JsonObject> pass(ControlRequest request) {
        return send(request, line -> JsonObject.element(line.ok()));
    }

    private <A> CompletionStage<A> send(ControlRequest request, Function<ControlAnswer, A> reader) {
        if (socket == null) {
            return CompletableFuture.failedFuture(unavailable());
        }
        long id = ++lastId;
        CompletableFuture<A> answer = new CompletableFuture<>();
        long deadlineMs = switch (request) {
            case ControlRequest.PullImage _, ControlRequest.RemoveImage _, ControlRequest.DiscardRoot _ ->
                FILES_DEADLINE_MS;
            default -> DEADLINE_MS;
        };
        Timers.Timer deadline = timers.after(deadlineMs, () -> {
            Pending<?> late = pending.remove(id);
            if (late != null) {
                late.giveUp();
            }
        });
        pending.put(id, new Pending<>(reader, answer, deadline));
        socket.write(Buffer.buffer(Json.writeLine(new ControlCall(id, request))));
        return answer;
    }

    @Override
    public CompletionStage<Transfer> transfer() {
        return socket == null
                ? CompletableFuture.failedFuture(unavailable())
                : TransferLink.open(shared.loop(), shared.address(), timers, reach.epoch());
    }

    @Override
    public CompletionStage<Channel> dial(String workerId, int port) {
        return dial(new LinkPurpose.Port(workerId, port, reach.epoch()));
    }

    @Override
    public CompletionStage<Channel> shell(String workerId, CallerTerminal terminal) {
        return dial(new LinkPurpose.Shell(workerId, terminal, reach.epoch()));
    }

    private CompletionStage<Channel> dial(LinkPurpose purpose) {
        return untrusted == null
                ? PortLink.dial(shared.loop(), shared.address(), purpose)
                : CompletableFuture.failedFuture(untrusted);
    }

    @Override
    public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
        WorkerLink link = new WorkerLink(shared, workerId, log, frames);
        vertx.runOnContext(nothing -> link.connect());
        return link;
    }

    /** Before {@link #open} there is no listener. */
    private static final class NoListener implements Listener {
        @Override
        public void handleUp(String instance) {}

        @Override
        public void handleDown() {}

        @Override
        public void handleUntrusted(BrigException why) {}

        @Override
        public void handleRecordLost(BrigException why) {}
    }
}
