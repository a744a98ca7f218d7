package brig.acp;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A session that the editor has open. A thread of its own reads the frames; prompts and cancels come from the thread
 * that reads the editor. Each prompt is a message with a name: the frame of that name says that its turn has come, and
 * the next {@code done} answers it, whoever else talks to the session.
 *
 * <p>Decisions 0081, 0083.
 */
final class Conversation {
    /** How long a gateway may be gone: it is restarted, and its workers live on. */
    private static final Duration GONE_MAX = Duration.ofSeconds(60);

    private static final long LOOK_AGAIN_MS = 250;

    /** What all sessions of an editor share; {@code wholeFrames} where it asked for them. */
    record Context(AcpGateway gateway, EditorRpc rpc, Executor threads, boolean wholeFrames) {}

    private final String id;
    private final String spawnId;
    private final boolean own;
    private final PathMapping places;
    private final Context context;
    private final SessionUpdates updates;
    private final Asks asks;

    // Owned by the reading thread.
    private final StringBuilder message = new StringBuilder();
    private long lastSeq;
    private long replayUntil;
    private String lastError = "";
    private Runnable whenReplayed = () -> {};
    private boolean replaying = true;

    // Guarded by this.
    private final Map<String, PendingPrompt> prompts = new LinkedHashMap<>();
    private AcpGateway.@Nullable Attached stream;
    /** The name of the message that is being worked off, where it has one. */
    private @Nullable String current;

    private @Nullable String notice;
    private boolean ended;
    private boolean closed;

    /**
     * @param id as the editor names it
     * @param own the editor began it, rather than finding it
     */
    Conversation(String id, String spawnId, boolean own, PathMapping places, Context context) {
        this.id = id;
        this.spawnId = spawnId;
        this.own = own;
        this.places = places;
        this.context = context;
        this.updates = new SessionUpdates(places, this::update);
        this.asks = new Asks(this, context.threads());
    }

    String id() {
        return id;
    }

    String spawnId() {
        return spawnId;
    }

    boolean isOwn() {
        return own;
    }

    EditorRpc rpc() {
        return context.rpc();
    }

    AcpGateway gateway() {
        return context.gateway();
    }

    void update(Map<String, ?> update) {
        rpc().notify("session/update", Map.of("sessionId", id, "update", update));
    }

    void note(String sentence) {
        updates.note(sentence);
    }

    /** A sentence that the user sees with the first prompt. */
    synchronized void noteLater(String sentence) {
        notice = sentence;
    }

    /**
     * Connects, and begins to read.
     *
     * @param replayUntil the last frame that counts as history
     * @param whenReplayed called once behind it, on the reading thread
     */
    void open(long from, long replayUntil, Runnable whenReplayed) {
        AcpGateway.Attached attached = attach(from);
        synchronized (this) {
            stream = attached;
        }
        this.lastSeq = from - 1;
        this.replayUntil = replayUntil;
        this.whenReplayed = whenReplayed;
        Thread.ofVirtual().name("acp-" + id).start(() -> read(attached));
    }

    /** Connects; one that is being started is waited for. */
    private AcpGateway.Attached attach(long from) {
        long end = System.nanoTime() + GONE_MAX.toNanos();
        while (true) {
            try {
                return gateway().attach(spawnId, from);
            } catch (BrigException refusal) {
                if (refusal.code() != ErrorCode.SESSION_NOT_READY || System.nanoTime() > end || !pause()) {
                    throw refusal;
                }
            }
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(LOOK_AGAIN_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void read(AcpGateway.Attached first) {
        AcpGateway.Attached from = first;
        endReplayIfDue();
        while (from != null) {
            for (Fields line = from.next(); line != null; line = from.next()) {
                handle(line);
                if (from.isDrained()) {
                    updates.flush();
                }
            }
            updates.flush();
            from = reconnect(from);
        }
        replayUntil = 0;
        endReplayIfDue();
    }

    private void handle(Fields line) {
        try {
            long seq = line.number("seq", 1, Long.MAX_VALUE, 0);
            if (seq == 0) {
                handleConnection(line);
            } else {
                lastSeq = seq;
                handleFrame(line);
            }
        } catch (BrigException e) {
            note("a frame could not be shown: " + e.getMessage());
        }
        endReplayIfDue();
    }

    private void endReplayIfDue() {
        if (replaying && lastSeq >= replayUntil) {
            replaying = false;
            updates.flush();
            whenReplayed.run();
            asks.askAgain(System.currentTimeMillis());
        }
    }

    /** What concerns this connection: refusals of what was sent on it, and frames that it will not get. */
    private void handleConnection(Fields line) {
        switch (line.text("type", "")) {
            case "gap" -> {
                lastSeq = Math.max(lastSeq, line.number("to", 0, Long.MAX_VALUE, 0));
                note("frames " + line.number("from", 0, Long.MAX_VALUE, 0) + " to " + lastSeq + " are lost: "
                        + line.text("reason", ""));
            }
            case "error" -> {
                boolean lastWord = line.has("from");
                if (!lastWord && !refuse(line)) {
                    note(line.text("error", ""));
                }
            }
            default -> {}
        }
    }

    /** Answers the prompt that a refusal names; false where it names none that waits here. */
    private boolean refuse(Fields refusal) {
        PendingPrompt prompt;
        synchronized (this) {
            prompt = prompts.remove(refusal.text("message_id", ""));
        }
        if (prompt == null) {
            return false;
        }
        fail(prompt, RpcException.failed(refusal.text("error", ""), Map.of("code", refusal.text("code", ""))));
        return true;
    }

    private void handleFrame(Fields frame) {
        if (context.wholeFrames()) {
            rpc().notify("_brig/frame", Map.of("sessionId", id, "frame", frame.asMap()));
        }
        switch (frame.text("type", "")) {
            case "message" -> handleMessage(frame);
            case "done" -> handleDone(frame);
            case "state" -> {
                if (frame.text("state", "").equals("terminated")) {
                    end("the session has ended: " + frame.text("reason", ""));
                }
            }
            case "egress" -> {
                asks.handle(frame, !replaying);
                updates.handle(frame);
            }
            case "error" -> {
                if (!frame.flag("retrying") && !frame.has("agent")) {
                    lastError = frame.text("error", "");
                }
                if (!refuse(frame)) {
                    updates.handle(frame);
                }
            }
            default -> updates.handle(frame);
        }
    }

    /** The turn of a message has come. What this editor asked itself it shows already. */
    private void handleMessage(Fields frame) {
        message.append(frame.text("content", ""));
        if (frame.flag("more")) {
            return;
        }
        String content = message.toString();
        message.setLength(0);
        lastError = "";
        String name = frame.requiredText("message_id");
        boolean others;
        boolean cancelled;
        synchronized (this) {
            current = name;
            PendingPrompt prompt = prompts.get(name);
            others = prompt == null;
            cancelled = prompt != null && prompt.cancelled;
        }
        if (others) {
            updates.user(name, content);
        } else if (cancelled) {
            send(Map.of("action", "cancel"));
        }
    }

    private void handleDone(Fields frame) {
        updates.flush();
        PendingPrompt prompt;
        synchronized (this) {
            prompt = current == null ? null : prompts.remove(current);
            current = null;
        }
        long exitCode = frame.number("exitCode", Integer.MIN_VALUE, Integer.MAX_VALUE, 0);
        String reason = frame.text("reason", "");
        if (exitCode != 0 && reason.isEmpty()) {
            note("exit code " + exitCode);
        }
        if (prompt == null) {
            return;
        }
        Map<String, Object> told = new LinkedHashMap<>();
        for (String name : List.of("exitCode", "signal", "reason", "usage")) {
            Object value = frame.asMap().get(name);
            if (value != null) {
                told.put(name, value);
            }
        }
        if (prompt.cancelled || reason.equals("cancelled")) {
            stop(prompt, "cancelled", told);
        } else if (exitCode == 0 || reason.isEmpty()) {
            stop(prompt, "end_turn", told);
        } else {
            fail(prompt, RpcException.failed(lastError.isEmpty() ? "the turn ended: " + reason : lastError, told));
        }
    }

    private void stop(PendingPrompt prompt, String reason, Map<String, Object> told) {
        if (!prompt.answered) {
            Map<String, Object> result = new LinkedHashMap<>(Map.of("stopReason", reason));
            if (!told.isEmpty()) {
                result.put("_meta", SessionUpdates.meta(told));
            }
            rpc().answer(prompt.request, result);
        }
    }

    /** One that the editor has cancelled did not fail. */
    private void fail(PendingPrompt prompt, RpcException failure) {
        if (prompt.cancelled) {
            stop(prompt, "cancelled", Map.of());
        } else {
            rpc().fail(prompt.request, failure);
        }
    }

    /** Nothing follows. */
    private void end(String why) {
        synchronized (this) {
            ended = true;
        }
        failAll(why);
    }

    private void failAll(String why) {
        List<PendingPrompt> open;
        synchronized (this) {
            open = new ArrayList<>(prompts.values());
            prompts.clear();
            current = null;
        }
        open.forEach(prompt -> fail(prompt, RpcException.failed(why, Map.of())));
    }

    /** The connection is gone: whether messages that wait have arrived nobody knows; the one that is worked off goes on. */
    private AcpGateway.@Nullable Attached reconnect(AcpGateway.Attached lost) {
        lost.close();
        String epoch = lost.welcome().text("epoch", "");
        failWaiting();
        long end = System.nanoTime() + GONE_MAX.toNanos();
        while (!isOver() && System.nanoTime() < end) {
            try {
                AcpGateway.Attached found = gateway().attach(spawnId, lastSeq + 1);
                if (!found.welcome().text("epoch", "").equals(epoch)) {
                    failAll("the stream of the session was lost");
                }
                if (adopt(found)) {
                    return found;
                }
            } catch (BrigException gone) {
                if (gone.code() == ErrorCode.NOT_FOUND || !pause()) {
                    break;
                }
            }
        }
        if (!isOver()) {
            note("the gateway is gone");
            end("the gateway is gone");
        }
        return null;
    }

    /** Goes on with that connection, unless the session was left; a cancel that nobody heard is sent now. */
    private synchronized boolean adopt(AcpGateway.Attached found) {
        if (closed) {
            found.close();
            return false;
        }
        stream = found;
        PendingPrompt running = current == null ? null : prompts.get(current);
        if (running != null && running.unheard) {
            running.unheard = false;
            found.send(Map.of("action", "cancel"));
        }
        return true;
    }

    private synchronized boolean isOver() {
        return closed || ended;
    }

    private void failWaiting() {
        List<PendingPrompt> lost = new ArrayList<>();
        synchronized (this) {
            prompts.entrySet().removeIf(entry -> {
                boolean waits = !Objects.equals(entry.getKey(), current);
                if (waits) {
                    lost.add(entry.getValue());
                }
                return waits;
            });
        }
        lost.forEach(prompt -> fail(
                prompt,
                RpcException.failed(
                        "the connection to the gateway was lost before the turn of this message came", Map.of())));
    }

    /**
     * A prompt of the editor; it is answered when its turn is over.
     *
     * @throws RpcException where it cannot be taken
     */
    synchronized void prompt(@Nullable Object request, Fields params) {
        String content = PromptText.of(params.objects("prompt"), places);
        if (content.isEmpty()) {
            throw new RpcException(RpcException.INVALID_PARAMS, "the prompt is empty");
        }
        if (ended || closed) {
            throw RpcException.of(new BrigException(ErrorCode.SESSION_ENDED, "the session has ended; begin a new one"));
        }
        String name = UUID.randomUUID().toString();
        Map<String, String> sent = Map.of("role", "user", "content", content, "message_id", name);
        if (Json.writeLine(sent).length > Limits.MESSAGE_BYTES_MAX) {
            throw new RpcException(
                    RpcException.INVALID_PARAMS, "a prompt has at most " + Limits.MESSAGE_BYTES_MAX + " bytes");
        }
        if (notice != null) {
            note(notice);
            notice = null;
        }
        prompts.put(name, new PendingPrompt(request));
        try {
            if (params.object("_meta").object("brig").flag("takeControl")) {
                send(Map.of("action", "take_control"));
            }
            send(sent);
        } catch (BrigException lost) {
            prompts.remove(name);
            throw lost;
        }
    }

    private void send(Map<String, ?> line) {
        AcpGateway.Attached to;
        synchronized (this) {
            to = stream;
        }
        if (to != null) {
            to.send(line);
        }
    }

    /** Stops what the editor asked for, and without that, what anybody did. */
    synchronized void cancel() {
        if (prompts.isEmpty()) {
            send(Map.of("action", "cancel"));
        }
        prompts.forEach(this::cancel);
    }

    /** The same for the prompt of one request; nothing where it is none of this session. */
    synchronized void cancel(Object request) {
        prompts.forEach((name, prompt) -> {
            if (request.equals(prompt.request)) {
                cancel(name, prompt);
            }
        });
    }

    private void cancel(String name, PendingPrompt prompt) {
        prompt.cancelled = true;
        if (name.equals(current)) {
            try {
                send(Map.of("action", "cancel"));
            } catch (BrigException lost) {
                prompt.unheard = true;
            }
        } else if (!prompt.answered) {
            stop(prompt, "cancelled", Map.of());
            prompt.answered = true;
        }
    }

    synchronized boolean isBusy() {
        return !prompts.isEmpty();
    }

    /** The session is known to be over; what there is can be read. */
    synchronized void noteEnded() {
        ended = true;
    }

    /** Leaves the session; prompts that wait are answered as cancelled. */
    void close() {
        AcpGateway.Attached open;
        synchronized (this) {
            closed = true;
            prompts.values().forEach(prompt -> prompt.cancelled = true);
            open = stream;
        }
        failAll("");
        if (open != null) {
            open.close();
        }
    }

    /** Ends the session. @throws BrigException where the gateway refuses */
    void terminate() {
        gateway().request(Map.of("action", "terminate", "id", spawnId));
    }
}
