package brig.gateway.worker;

import brig.gateway.stream.Inlet;
import brig.gateway.stream.StreamLog;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.message.SpawnRequest;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to the worker-agent's control socket: requests with numbers, answers in any order, each with a deadline. When
 * the connection is lost everything in flight fails and the link connects again, for as long as it is open. Prompts go
 * over it: a peer whose uid, by the kernel's word, is not trusted hears nothing.
 *
 * <p>State owned by the event loop.
 *
 * <p>Decisions 0106, 0138.
 */
public final class ControlLink implements WorkerAgent, LineDecoder.Sink {
    /** Told of the link's life. */
    public interface Listener {
        /** A worker-agent answered; it may be another one than before. */
        void handleUp(String instance);

        /** There is no connection; another try follows. Called after each failed try. */
        void handleDown();

        /** Somebody else listens where the worker-agent should; nothing was said to it. {@link #handleDown} follows. */
        void handleUntrusted(BrigException why);

        /** The worker-agent could not write what it has to; its disk may be the gateway's too. */
        void handleRecordLost(BrigException why);
    }

    private static final Logger log = LoggerFactory.getLogger(ControlLink.class);
    private static final int ANSWER_BYTES_MAX = 4 * Limits.MESSAGE_BYTES_MAX;
    private static final long RECONNECT_MS = 50;
    private static final long DEADLINE_MS = 30_000;

    private final Vertx vertx;
    private final NetClient client;
    private final SocketAddress address;
    private final Timers timers;
    private final IntPredicate trustedUids;
    private final WorkerLink.Services shared;
    private final Map<Long, Pending> pending = new HashMap<>();
    private Listener listener = new NoListener();
    private LineDecoder lines = new LineDecoder(ANSWER_BYTES_MAX, this);
    private @Nullable NetSocket socket;
    private long lastId;
    private boolean closed;
    /** Why what listens there is not spoken to; null where nothing is known against it. */
    private @Nullable BrigException untrusted;

    private record Pending(CompletableFuture<Map<String, @Nullable Object>> answer, Timers.Timer deadline) {
        void giveUp() {
            deadline.cancel();
            answer.completeExceptionally(new UnansweredException());
        }
    }

    /** @param trustedUids who the worker-agent may be */
    public ControlLink(Vertx vertx, String socketPath, Timers timers, IntPredicate trustedUids) {
        this.vertx = vertx;
        this.client = vertx.createNetClient();
        this.address = SocketAddress.domainSocketAddress(socketPath);
        this.timers = timers;
        this.trustedUids = trustedUids;
        this.shared = new WorkerLink.Services(
                ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop(), timers, new Inlet.Shared());
    }

    /** Begins to connect, and keeps the link up until {@link #close}. */
    public void open(Listener newListener) {
        listener = newListener;
        connect();
    }

    public void close() {
        closed = true;
        if (socket != null) {
            socket.close();
        }
    }

    private void connect() {
        if (closed) {
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
        if (!closed) {
            listener.handleDown();
            timers.after(RECONNECT_MS, this::connect);
        }
    }

    private void handleConnected(NetSocket connected) {
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
        lines = new LineDecoder(ANSWER_BYTES_MAX, this);
        connected.handler(buffer -> {
            byte[] bytes = buffer.getBytes();
            lines.decode(bytes, 0, bytes.length);
        });
        connected.exceptionHandler(failure -> log.debug("control link failed: {}", failure.toString()));
        connected.closeHandler(nothing -> handleClosed(connected));
        hello().thenAccept(hello -> listener.handleUp(new Fields(hello).requiredText("instance")));
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
        List<Pending> lost = new ArrayList<>(pending.values());
        pending.clear();
        lost.forEach(Pending::giveUp);
        retry();
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        Fields message = new Fields(Json.parseObject(bytes, offset, length));
        Pending request = pending.remove(message.number("id", 1, Long.MAX_VALUE, 0));
        if (request == null) {
            return;
        }
        request.deadline().cancel();
        if (message.has("error")) {
            BrigException refusal = refusal(message);
            if (refusal.code() == ErrorCode.RECORD_LOST) {
                listener.handleRecordLost(refusal);
            }
            request.answer().completeExceptionally(refusal);
        } else {
            request.answer().complete(message.object("ok").asMap());
        }
    }

    /** The refusal that a line of the worker-agent says. */
    static BrigException refusal(Fields line) {
        return new BrigException(code(line.text("code", "INTERNAL")), line.text("error", ""), (int)
                line.number("retry_after_seconds", 0, Integer.MAX_VALUE, 0));
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        log.error("the worker-agent sent a line that is refused with {}", code);
    }

    private static ErrorCode code(String name) {
        try {
            return ErrorCode.valueOf(name);
        } catch (IllegalArgumentException e) {
            return ErrorCode.INTERNAL;
        }
    }

    private BrigException unavailable() {
        return untrusted != null
                ? untrusted
                : new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent does not answer", 1);
    }

    /** A request that does no harm if it is asked again, so that it does not matter whether it was carried out. */
    private CompletionStage<Map<String, @Nullable Object>> request(String op, Map<String, ?> fields) {
        return ask(op, fields)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof UnansweredException ? unavailable() : failure));
    }

    private CompletableFuture<Map<String, @Nullable Object>> ask(String op, Map<String, ?> fields) {
        if (socket == null) {
            return CompletableFuture.failedFuture(unavailable());
        }
        long id = ++lastId;
        Map<String, @Nullable Object> message = new LinkedHashMap<>();
        message.put("id", id);
        message.put("op", op);
        message.putAll(fields);
        CompletableFuture<Map<String, @Nullable Object>> answer = new CompletableFuture<>();
        Timers.Timer deadline = timers.after(DEADLINE_MS, () -> {
            Pending late = pending.remove(id);
            if (late != null) {
                late.giveUp();
            }
        });
        pending.put(id, new Pending(answer, deadline));
        socket.write(Buffer.buffer(Json.writeLine(message)));
        return answer;
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return request("check", Map.of("request", request.toMap(), "captain", asker.captain(), "admin", asker.admin()))
                .thenApply(ok -> null);
    }

    @Override
    public CompletionStage<Started> spawn(String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(Map.of(
                "spawn_id", spawnId, "request", request.toMap(), "captain", asker.captain(), "admin", asker.admin()));
        fields.put("via", asker.via());
        return ask("spawn", fields).thenApply(ok -> {
            Fields answer = new Fields(ok);
            return new Started(
                    answer.requiredText("socket"),
                    answer.requiredText("workspace"),
                    answer.object("posture").asMap());
        });
    }

    @Override
    public CompletionStage<Void> terminate(String spawnId, String reason) {
        return request("terminate", Map.of("spawn_id", spawnId, "reason", reason))
                .thenApply(ok -> null);
    }

    @Override
    public CompletionStage<Void> abandon(String spawnId) {
        return request("terminate", Map.of("spawn_id", spawnId, "reason", "requested", "forget", true))
                .thenApply(ok -> null);
    }

    @Override
    public CompletionStage<Listing> list() {
        return request("list", Map.of()).thenApply(ok -> {
            List<Alive> alive = new ArrayList<>();
            for (Fields worker : new Fields(ok).objects("workers")) {
                alive.add(new Alive(
                        worker.requiredText("spawn_id"),
                        worker.requiredText("socket"),
                        worker.requiredText("workspace"),
                        worker.object("posture").asMap(),
                        worker.number("last_seq", 0, Limits.SEQ_MAX, 0),
                        worker.flag("working")));
            }
            return new Listing(alive, Set.copyOf(new Fields(ok).texts("starting")));
        });
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> hello() {
        return request("hello", Map.of());
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> diff(String spawnId) {
        return request("diff", Map.of("spawn_id", spawnId));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> apply(String spawnId, boolean check, List<String> allow) {
        return request("apply", Map.of("spawn_id", spawnId, "check", check, "allow", allow));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> workspaces() {
        return request("workspaces", Map.of());
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> discard(String spawnId) {
        return request("discard", Map.of("spawn_id", spawnId));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> egress(String workerId) {
        return request("egress", Map.of("spawn_id", workerId));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> decideEgress(
            String workerId, String decision, Map<String, String> about) {
        Map<String, String> fields = new HashMap<>(about);
        fields.put("spawn_id", workerId);
        fields.put("decision", decision);
        return request("egress", fields);
    }

    @Override
    public CompletionStage<Channel> dial(String workerId, int port) {
        if (untrusted != null) {
            return CompletableFuture.failedFuture(untrusted);
        }
        Path ports = Path.of(address.path()).resolveSibling("ports.sock");
        return PortLink.dial(shared.loop(), new DomainSocketAddress(ports.toString()), workerId, port);
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> audit(String from) {
        return request("audit", Map.of("from", from));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> testRoute(String route) {
        return request("test_route", Map.of("route", route));
    }

    @Override
    public CompletionStage<Map<String, @Nullable Object>> doctor() {
        return request("doctor", Map.of());
    }

    @Override
    public CompletionStage<Void> shutdown() {
        return request("shutdown", Map.of()).thenApply(ok -> null);
    }

    @Override
    public WorkerStream open(String socketPath, StreamLog log, FrameDecoder.Sink frames) {
        WorkerLink link = new WorkerLink(shared, socketPath, log, frames);
        vertx.runOnContext(nothing -> link.connect());
        return link;
    }

    /** Before {@link #open} nobody listens. */
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
