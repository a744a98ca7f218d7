package brig.acp;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brig as an editor's agent: reads JSON-RPC lines, answers them, and ends with its input. What waits for the gateway runs
 * on threads of its own, so that a cancel is heard at any time.
 *
 * <p>Decision 0079.
 */
public final class AcpAgent implements LineDecoder.Sink, AutoCloseable {
    private static final long VERSION = 1;
    private static final int READ_BYTES = 64 * 1024;
    /** A prompt in its envelope, with all that an editor may say besides. */
    private static final int LINE_BYTES_MAX = 4 * 1024 * 1024;

    private static final long FINISH_SECONDS = 20;

    private final AcpOptions options;
    private final AcpGateway gateway;
    private final Consumer<String> log;
    private final EditorRpc rpc;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Conversation> conversations = new ConcurrentHashMap<>();

    /** Guarded by this. */
    private boolean closed;

    /** Null before {@code initialize}. Owned by the thread that reads. */
    private Conversation.@Nullable Context context;

    /** @param log takes sentences for whoever reads the log of the editor */
    public AcpAgent(AcpOptions options, AcpGateway gateway, OutputStream out, Consumer<String> log) {
        this.options = options;
        this.gateway = gateway;
        this.log = log;
        this.rpc = new EditorRpc(out, log);
    }

    /** Serves the editor until its input ends. */
    public void run(InputStream in) {
        LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, this);
        byte[] buffer = new byte[READ_BYTES];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                lines.decode(buffer, 0, count);
            }
        } catch (IOException e) {
            log.accept("the editor's end broke: " + e.getMessage());
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        rpc.fail(
                null,
                new RpcException(
                        RpcException.PARSE_ERROR,
                        switch (code) {
                            case LINE_TOO_LONG -> "a line has at most " + LINE_BYTES_MAX + " bytes";
                            case NUL_BYTE -> "a line has no NUL byte";
                            default -> "a line is UTF-8";
                        }));
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        Fields message;
        try {
            message = new Fields(Json.parseObject(bytes, offset, length));
        } catch (BrigException malformed) {
            int code = bytes[offset] == '[' ? RpcException.INVALID_REQUEST : RpcException.PARSE_ERROR;
            rpc.fail(null, new RpcException(code, malformed.getMessage()));
            return;
        }
        Object id = message.asMap().get("id");
        if (id != null && !(id instanceof String || id instanceof Long)) {
            rpc.fail(null, new RpcException(RpcException.INVALID_REQUEST, "an id is a string, a whole number or null"));
        } else if (!"2.0".equals(message.asMap().get("jsonrpc"))) {
            rpc.fail(id, new RpcException(RpcException.INVALID_REQUEST, "jsonrpc must be \"2.0\""));
        } else if (message.has("method")) {
            boolean request = message.asMap().containsKey("id");
            guarded(request, id, () -> handle(message, request, id));
        } else if (message.has("result") || message.has("error")) {
            guarded(false, null, () -> rpc.handleAnswer(message));
        } else {
            rpc.fail(id, new RpcException(RpcException.INVALID_REQUEST, "neither a method nor an answer"));
        }
    }

    /** Whatever goes wrong with a request is its answer; with a notification there is nobody to be told. */
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
            failure = new RpcException(RpcException.INTERNAL_ERROR, "a fault of Brig; its log has more");
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

    private void handle(Fields message, boolean request, @Nullable Object id) {
        String method = message.requiredText("method");
        Fields params = message.object("params");
        if (request) {
            handleRequest(method, params, id);
        } else if (method.equals("session/cancel")) {
            conversation(params).cancel();
        } else if (method.equals("$/cancel_request")) {
            Object cancelled = params.asMap().get("requestId");
            if (cancelled != null) {
                conversations.values().forEach(one -> one.cancel(cancelled));
            }
        }
    }

    private void handleRequest(String method, Fields params, @Nullable Object id) {
        if (method.equals("initialize")) {
            initialize(params, id);
            return;
        }
        Conversation.Context shared = context;
        if (shared == null) {
            throw new RpcException(RpcException.INVALID_REQUEST, "initialize comes first");
        }
        switch (method) {
            case "session/new" -> beside(id, () -> begin(params, id, shared));
            case "session/load" -> beside(id, () -> find(params, id, true, shared));
            case "session/resume" -> beside(id, () -> find(params, id, false, shared));
            case "session/list" ->
                beside(
                        id,
                        () -> rpc.answer(
                                id,
                                SessionList.of(
                                        gateway.request(Map.of("action", "list"))
                                                .objects("spawns"),
                                        options.agent(),
                                        params)));
            case "session/prompt" -> conversation(params).prompt(id, params);
            case "session/close" -> beside(id, () -> leave(params, id));
            default -> throw new RpcException(RpcException.METHOD_NOT_FOUND, "no such method: " + method);
        }
    }

    private Conversation conversation(Fields params) {
        String id = params.requiredText("sessionId");
        Conversation found = conversations.get(id);
        if (found == null) {
            throw new RpcException(RpcException.RESOURCE_NOT_FOUND, "the session " + id + " is not open here");
        }
        return found;
    }

    private void initialize(Fields params, @Nullable Object id) {
        boolean frames = params.object("clientCapabilities")
                .object("_meta")
                .object("brig")
                .flag("frames");
        context = new Conversation.Context(gateway, rpc, threads, frames);
        Map<String, Object> can = new LinkedHashMap<>();
        can.put("loadSession", true);
        can.put("promptCapabilities", Map.of("image", false, "audio", false, "embeddedContext", true));
        can.put("mcpCapabilities", Map.of("http", false, "sse", false));
        can.put("sessionCapabilities", Map.of("list", Map.of(), "resume", Map.of(), "close", Map.of()));
        can.put("_meta", SessionUpdates.meta(Map.of("frames", true, "takeControl", true)));
        Map<String, Object> result = new LinkedHashMap<>();
        // The only version that there is here; an editor that has no use for it says so.
        result.put("protocolVersion", VERSION);
        result.put("agentCapabilities", can);
        result.put(
                "agentInfo", Map.of("name", "brig", "title", "Brig: " + options.agent(), "version", options.version()));
        result.put("authMethods", List.of());
        rpc.answer(id, result);
    }

    private void begin(Fields params, @Nullable Object id, Conversation.Context shared) {
        Path folder = folder(params);
        Fields spawned = gateway.request(options.spawn(folder.toString()));
        String spawnId = spawned.requiredText("spawn_id");
        Path workspace = Path.of(spawned.requiredText("workspace"));
        Conversation begun = new Conversation(spawnId, spawnId, true, new PathMapping(folder, workspace), shared);
        conversations.put(spawnId, begun);
        noteServers(params, begun);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("sessionId", spawnId);
        result.put(
                "_meta",
                SessionUpdates.meta(
                        Map.of("taskId", spawned.text("task_id", spawnId), "workspace", workspace.toString())));
        try {
            begun.open(1, 0, () -> rpc.answer(id, result));
        } catch (BrigException refusal) {
            conversations.remove(spawnId);
            begun.terminate();
            throw refusal;
        }
    }

    private void find(Fields params, @Nullable Object id, boolean replay, Conversation.Context shared) {
        Path folder = folder(params);
        String name = params.requiredText("sessionId");
        Fields view = gateway.request(Map.of("action", "status", "id", name));
        Conversation before = conversations.get(name);
        if (before != null && before.isBusy()) {
            throw new RpcException(RpcException.INVALID_REQUEST, "a prompt of this session waits for its answer");
        }
        Conversation found = new Conversation(
                name,
                view.requiredText("spawn_id"),
                before != null && before.isOwn(),
                new PathMapping(folder, Path.of(view.text("workspace", folder.toString()))),
                shared);
        if (view.has("ended_ms")) {
            found.noteEnded();
        }
        noteServers(params, found);
        long last = view.number("last_seq", 0, Long.MAX_VALUE, 0);
        if (before != null) {
            before.close();
        }
        found.open(replay ? 1 : last + 1, replay ? last : 0, () -> rpc.answer(id, Map.of()));
        conversations.put(name, found);
    }

    private static Path folder(Fields params) {
        String folder = params.requiredText("cwd");
        if (!folder.startsWith("/") || folder.indexOf('\0') >= 0) {
            throw Fields.invalid("cwd", "must be an absolute path");
        }
        if (!params.texts("additionalDirectories").isEmpty()) {
            throw Fields.invalid("additionalDirectories", "is not offered: the wall lets one folder in");
        }
        return Path.of(folder).normalize();
    }

    /** They run on the host, or on its network, where nothing of an agent belongs. */
    private void noteServers(Fields params, Conversation about) {
        List<String> names = params.objects("mcpServers").stream()
                .map(server -> server.text("name", "?"))
                .toList();
        if (!names.isEmpty()) {
            String sentence =
                    "these MCP servers are not passed on, for the agent is behind a wall: " + String.join(", ", names);
            log.accept(sentence);
            about.noteLater(sentence);
        }
    }

    private void leave(Fields params, @Nullable Object id) {
        Conversation left = conversation(params);
        conversations.values().remove(left);
        leave(left);
        rpc.answer(id, Map.of());
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
     * The editor has gone: the sessions that it began end, unless they are to be kept. It closes its end and sends a signal
     * as well, so who comes second waits for the first: the JVM ends behind it.
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
