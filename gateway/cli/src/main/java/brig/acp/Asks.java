package brig.acp;

import brig.acp.message.CallFields;
import brig.acp.message.CallFields.Status;
import brig.acp.message.PermissionRequest;
import brig.acp.message.PermissionRequest.Option;
import brig.acp.message.SessionUpdate;
import brig.protocol.BrigException;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the agent to the outside that wait for a person: the editor asks its user. Where another client was faster,
 * the question is withdrawn. Owned by the thread that reads the session, but for answers.
 */
final class Asks {
    private static final List<Option> CHOICES = List.of(
            new Option("once", "Allow once", PermissionRequest.Kind.ALLOW_ONCE),
            new Option("allow", "Allow for this session", PermissionRequest.Kind.ALLOW_ALWAYS),
            new Option("deny", "Deny", PermissionRequest.Kind.REJECT_ONCE));

    /**
     * A request that waits.
     *
     * @param seq the number of its frame
     * @param deadlineMs until when it waits, in milliseconds since 1970
     * @param call the tool call that shows it; null where the user was not asked yet
     * @param request the id of the question to the editor
     */
    private record Ask(
            Frame.Egress frame, long seq, long deadlineMs, @Nullable String call, long request) {}

    private final String id;
    private final String spawnId;
    private final AcpContext context;
    private final Consumer<SessionUpdate> sink;
    private final Consumer<String> note;
    private final Map<String, Ask> open = new LinkedHashMap<>();

    /**
     * @param id of the session as the editor names it
     * @param note takes sentences for the user
     */
    Asks(String id, String spawnId, AcpContext context, Consumer<SessionUpdate> sink, Consumer<String> note) {
        this.id = id;
        this.spawnId = spawnId;
        this.context = context;
        this.sink = sink;
        this.note = note;
    }

    /**
     * @param seq the number of the frame
     * @param ts when it was written, in milliseconds since 1970
     * @param live whether the user is asked now; otherwise {@link #askAgain} does where nobody has answered by then
     */
    void handle(Frame.Egress frame, long seq, long ts, boolean live) {
        String host = host(frame);
        switch (frame.kind()) {
            case "ask" -> {
                if (!open.containsKey(host)) {
                    long waitsMs = frame.deadlineMs() == null ? 0 : frame.deadlineMs();
                    Ask ask = new Ask(frame, seq, ts + waitsMs, null, 0);
                    open.put(host, live ? ask(host, ask) : ask);
                }
            }
            case "answered" -> {
                Ask ask = open.remove(host);
                if (ask != null && ask.call() != null) {
                    context.rpc().withdraw(ask.request());
                    boolean allowed = Boolean.TRUE.equals(frame.allowed());
                    sink.accept(new SessionUpdate.ToolCallUpdate(
                            CallFields.status(ask.call(), allowed ? Status.COMPLETED : Status.FAILED)));
                }
            }
            default -> {}
        }
    }

    /** Asks what was asked before the editor came and still waits. */
    void askAgain(long nowMs) {
        open.values().removeIf(ask -> ask.deadlineMs() <= nowMs);
        open.replaceAll((host, ask) -> ask.call() == null ? ask(host, ask) : ask);
    }

    private Ask ask(String host, Ask ask) {
        String call = "brig-egress-" + ask.seq();
        CallFields shown = new CallFields(
                call,
                "Reach " + host,
                CallFields.Kind.FETCH,
                Status.PENDING,
                JsonObject.EMPTY
                        .with("host", host)
                        .with("method", orEmpty(ask.frame().method()))
                        .with("rule", orEmpty(ask.frame().rule())),
                null,
                null,
                null);
        sink.accept(new SessionUpdate.ToolCall(shown));
        long request = context.rpc()
                .request(new PermissionRequest(id, shown, CHOICES), answer -> handleAnswer(host, answer.chosen()));
        return new Ask(ask.frame(), ask.seq(), ask.deadlineMs(), call, request);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Without a choice nobody has decided: the request waits on, for another client or its end. */
    private void handleAnswer(String host, @Nullable String choice) {
        if (CHOICES.stream().anyMatch(known -> known.optionId().equals(choice))) {
            context.threads().execute(() -> decide(host, choice));
        }
    }

    private void decide(String host, String decision) {
        try {
            context.gateway().decide(spawnId, decision, host);
        } catch (BrigException refusal) {
            note.accept("the answer for " + host + " was refused: " + refusal.getMessage());
        }
    }

    /** With its port: what is allowed is what was asked for, and no more. */
    private static String host(Frame.Egress frame) {
        String host = orEmpty(frame.host());
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + (frame.port() == null ? 0 : frame.port());
    }
}
