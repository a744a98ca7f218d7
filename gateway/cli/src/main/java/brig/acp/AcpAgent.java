package brig.acp;

import brig.acp.message.BrigMeta;
import brig.acp.message.EditorNotification;
import brig.acp.message.EditorRequest;
import brig.acp.message.Empty;
import brig.acp.message.Initialized;
import brig.acp.message.Meta;
import brig.acp.message.SessionBegun;
import brig.acp.message.SessionFolder;
import brig.acp.view.PathMapping;
import brig.captain.CaptainGateway;
import brig.captain.RpcException;
import brig.captain.RpcReader;
import brig.protocol.BrigException;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.RpcError;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brig as an editor's agent: reads JSON-RPC lines, answers them, and ends with its input. Calls to the gateway run on
 * threads of their own, so that a cancel is never delayed.
 *
 * <p>Decision 0079.
 */
public final class AcpAgent implements RpcReader.Handler, AutoCloseable {
    private static final long FINISH_SECONDS = 20;

    private final AcpOptions options;
    private final CaptainGateway gateway;
    private final Consumer<String> log;
    private final EditorRpc rpc;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Conversation> conversations = new ConcurrentHashMap<>();

    /** Guarded by this. */
    private boolean closed;

    // Owned by the reading thread.
    private AcpContext context;
    private boolean initialized;

    /** @param log takes sentences for the editor's log */
    public AcpAgent(AcpOptions options, CaptainGateway gateway, OutputStream out, Consumer<String> log) {
        this.options = options;
        this.gateway = gateway;
        this.log = log;
        this.rpc = new EditorRpc(out, log);
        this.context = new AcpContext(gateway, rpc, threads, false);
    }

    /** Serves the editor until its input ends. */
    public void run(InputStream in) {
        new RpcReader(this).run(in, log);
    }

    @Override
    public void handle(RpcReader.Call call, boolean request, @Nullable Object id) {
        guarded(request, id, () -> handleCall(call, request, id));
    }

    @Override
    public void handleAnswer(JsonObject message) {
        guarded(false, null, () -> rpc.handleAnswer(message));
    }

    @Override
    public void handleFault(@Nullable Object id, RpcException fault) {
        rpc.fail(id, fault);
    }

    /** Runs the work; a failure of a request becomes its answer, that of a notification is not reported. */
    private void guarded(boolean request, @Nullable Object id, Runnable work) {
        RpcException failure;
        try {
            work.run();
            return;
        } catch (RpcException e) {
            failure = e;
        } catch (BrigException e) {
            failure = RpcException.of(e);
        } catch (RuntimeException e) {
            log.accept("a fault of Brig: " + e);
            failure = new RpcException(RpcError.INTERNAL_ERROR, "a fault of Brig; its log has more");
        }
        if (request) {
            rpc.fail(id, failure);
        } else {
            log.accept("passed over: " + failure.getMessage());
        }
    }

    private void beside(@Nullable Object id, Runnable work) {
        threads.execute(() -> guarded(true, id, work));
    }

    private void handleCall(RpcReader.Call call, boolean request, @Nullable Object id) {
        if (request) {
            handleRequest(call, id);
            return;
        }
        switch (EditorNotification.read(call.method(), call.given())) {
            case EditorNotification.CancelSession(String session) ->
                conversation(session).cancel();
            case EditorNotification.CancelRequest(Object cancelled) -> {
                if (cancelled != null) {
                    conversations.values().forEach(one -> one.cancel(cancelled));
                }
            }
            case null -> {}
        }
    }

    private void handleRequest(RpcReader.Call call, @Nullable Object id) {
        AcpContext shared = context;
        if (!initialized && !call.method().equals(EditorRequest.Initialize.METHOD)) {
            throw new RpcException(RpcError.INVALID_REQUEST, "initialize comes first");
        }
        switch (EditorRequest.read(call.method(), call.given())) {
            case EditorRequest.Initialize request -> {
                context = new AcpContext(gateway, rpc, threads, request.wantsFrames());
                initialized = true;
                rpc.answer(id, Initialized.as(options.agent(), options.version()));
            }
            case EditorRequest.NewSession(SessionFolder folder) -> beside(id, () -> begin(folder, id, shared));
            case EditorRequest.LoadSession(SessionFolder folder, String name) ->
                beside(id, () -> find(name, folder, id, true, shared));
            case EditorRequest.ResumeSession(SessionFolder folder, String name) ->
                beside(id, () -> find(name, folder, id, false, shared));
            case EditorRequest.ListSessions request ->
                beside(
                        id,
                        () -> rpc.answer(
                                id,
                                SessionList.of(
                                        gateway.request(new SpawnerRequest.ListAll(), SpawnList.class)
                                                .spawns(),
                                        options.agent(),
                                        request)));
            case EditorRequest.Prompt request ->
                conversation(request.sessionId()).prompt(id, request);
            case EditorRequest.CloseSession(String name) -> beside(id, () -> leave(name, id));
            case null -> throw new RpcException(RpcError.METHOD_NOT_FOUND, "no such method: " + call.method());
        }
    }

    private Conversation conversation(String name) {
        Conversation found = conversations.get(name);
        if (found == null) {
            throw new RpcException(RpcException.RESOURCE_NOT_FOUND, "the session " + name + " is not open here");
        }
        return found;
    }

    private void begin(SessionFolder folder, @Nullable Object id, AcpContext shared) {
        Path path = folder.path();
        SpawnAnswer spawned = gateway.request(options.spawn(path.toString()), SpawnAnswer.class);
        String spawnId = spawned.spawnId();
        Path workspace = spawned.workspace() == null ? path : Path.of(spawned.workspace());
        Conversation begun = new Conversation(spawnId, spawnId, true, new PathMapping(path, workspace), shared);
        conversations.put(spawnId, begun);
        noteServers(folder, begun);
        SessionBegun answer =
                new SessionBegun(spawnId, new Meta(new BrigMeta.NewSession(spawned.taskId(), workspace.toString())));
        try {
            begun.open(new SessionReader.History(1, 0, () -> rpc.answer(id, answer)));
        } catch (BrigException refusal) {
            conversations.remove(spawnId);
            begun.terminate();
            throw refusal;
        }
    }

    private void find(String name, SessionFolder folder, @Nullable Object id, boolean replay, AcpContext shared) {
        SpawnView view = gateway.request(new SpawnerRequest.Status(name), SpawnView.class);
        Conversation before = conversations.get(name);
        if (before != null && before.isBusy()) {
            throw new RpcException(RpcError.INVALID_REQUEST, "a prompt of this session waits for its answer");
        }
        Path path = folder.path();
        Conversation found = new Conversation(
                name,
                view.spawnId(),
                before != null && before.isOwn(),
                new PathMapping(path, view.workspace().isEmpty() ? path : Path.of(view.workspace())),
                shared);
        if (view.endedMs() > 0) {
            found.noteEnded();
        }
        noteServers(folder, found);
        long last = view.lastSeq();
        if (before != null) {
            before.close();
        }
        found.open(
                new SessionReader.History(replay ? 1 : last + 1, replay ? last : 0, () -> rpc.answer(id, Empty.EMPTY)));
        conversations.put(name, found);
    }

    /** Tool servers run on the host or its network, where agents have no access. */
    private void noteServers(SessionFolder folder, Conversation about) {
        List<String> names = folder.serverNames();
        if (!names.isEmpty()) {
            String sentence =
                    "these MCP servers are not passed on, for the agent is behind a wall: " + String.join(", ", names);
            log.accept(sentence);
            about.noteLater(sentence);
        }
    }

    private void leave(String name, @Nullable Object id) {
        Conversation left = conversation(name);
        conversations.values().remove(left);
        leave(left);
        rpc.answer(id, Empty.EMPTY);
    }

    private void leave(Conversation left) {
        try {
            if (left.isOwn() && !options.keep()) {
                left.terminate();
            } else if (left.isBusy()) {
                left.cancel();
            }
        } catch (BrigException refusal) {
            log.accept("the session " + left.id() + " could not be ended: " + refusal.getMessage());
        }
        left.close();
    }

    /**
     * The editor has gone: ends the sessions that it began, unless they are to be kept. An editor closes its end and
     * also sends a signal; the second call waits for the first, and the JVM ends after it.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(FINISH_SECONDS, TimeUnit.SECONDS)) {
                log.accept("a request to the gateway takes too long; what it starts goes on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        conversations.values().forEach(this::leave);
        gateway.close();
    }
}
