package brig.acp;

import brig.acp.message.CallFields;
import brig.acp.message.CallFields.Status;
import brig.acp.message.PermissionRequest;
import brig.acp.message.PermissionRequest.Option;
import brig.acp.message.SessionUpdate;
import brig.protocol.BrigException;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent's network requests that wait for a person: the editor asks its user. If another client answers first, the
 * question is withdrawn. Owned by the thread that reads the session, except for answers.
 */
final class Asks {
    /** An option for the user. */
    private record Choice(Option option, EgressDecision decision) {
        Choice(String id, String name, PermissionRequest.Kind kind, EgressDecision decision) {
            this(new Option(id, name, kind), decision);
        }
    }

    private static final List<Choice> CHOICES = List.of(
            new Choice("once", "Allow once", PermissionRequest.Kind.ALLOW_ONCE, EgressDecision.ONCE),
            new Choice("allow", "Allow for this session", PermissionRequest.Kind.ALLOW_ALWAYS, EgressDecision.ALLOW),
            new Choice("deny", "Deny", PermissionRequest.Kind.REJECT_ONCE, EgressDecision.DENY));

    private static final List<Option> OPTIONS =
            CHOICES.stream().map(Choice::option).toList();

    /**
     * A waiting request.
     *
     * @param seq the number of its frame
     * @param deadlineMs when it stops waiting, in milliseconds since 1970
     * @param call the tool call that shows it; null if the user was not asked yet
     * @param question the id of the question to the editor
     */
    private record Waiting(
            EgressEvent.Ask ask,
            long seq,
            long deadlineMs,
            @Nullable String call,
            long question) {}

    private final String id;
    private final String spawnId;
    private final AcpContext context;
    private final Consumer<SessionUpdate> sink;
    private final Consumer<String> note;
    private final Map<String, Waiting> open = new LinkedHashMap<>();

    /**
     * @param id the editor's id of the session
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
     * @param live whether to ask the user now; otherwise {@link #askAgain} does if nobody has answered by then
     */
    void handle(Frame.Egress frame, long seq, long ts, boolean live) {
        switch (frame.event()) {
            case EgressEvent.Ask ask -> {
                String host = host(ask.host(), ask.port());
                if (!open.containsKey(host)) {
                    Waiting waiting = new Waiting(ask, seq, ts + ask.deadlineMs(), null, 0);
                    open.put(host, live ? ask(host, waiting) : waiting);
                }
            }
            case EgressEvent.Answered answered -> {
                Waiting waiting = open.remove(host(answered.host(), answered.port()));
                if (waiting != null && waiting.call() != null) {
                    context.rpc().withdraw(waiting.question());
                    sink.accept(new SessionUpdate.ToolCallUpdate(
                            CallFields.status(waiting.call(), answered.allowed() ? Status.COMPLETED : Status.FAILED)));
                }
            }
            case null, default -> {
                // Other events concern no question.
            }
        }
    }

    /** Asks the questions from before the editor's connection that are still open. */
    void askAgain(long nowMs) {
        open.values().removeIf(waiting -> waiting.deadlineMs() <= nowMs);
        open.replaceAll((host, waiting) -> waiting.call() == null ? ask(host, waiting) : waiting);
    }

    private Waiting ask(String host, Waiting waiting) {
        String call = "brig-egress-" + waiting.seq();
        CallFields shown = new CallFields(
                call,
                "Reach " + host,
                CallFields.Kind.FETCH,
                Status.PENDING,
                JsonObject.EMPTY
                        .with("host", host)
                        .with("method", waiting.ask().method())
                        .with("rule", waiting.ask().rule()),
                null,
                null,
                null);
        sink.accept(new SessionUpdate.ToolCall(shown));
        long question = context.rpc()
                .request(new PermissionRequest(id, shown, OPTIONS), answer -> handleAnswer(host, answer.chosen()));
        return new Waiting(waiting.ask(), waiting.seq(), waiting.deadlineMs(), call, question);
    }

    /** Without a choice nothing is decided: the request waits for another client or its end. */
    private void handleAnswer(String host, @Nullable String chosen) {
        for (Choice choice : CHOICES) {
            if (choice.option().optionId().equals(chosen)) {
                context.threads().execute(() -> decide(host, choice.decision()));
            }
        }
    }

    private void decide(String host, EgressDecision decision) {
        try {
            context.gateway().request(new SpawnerRequest.Egress(spawnId, decision, host, null), Answers.Done.class);
        } catch (BrigException refusal) {
            note.accept("the answer for " + host + " was refused: " + refusal.getMessage());
        }
    }

    /** With its port, so that exactly the requested place is allowed. */
    private static String host(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
