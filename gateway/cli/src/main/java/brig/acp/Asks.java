package brig.acp;

import brig.acp.message.CallFields;
import brig.acp.message.CallFields.Status;
import brig.acp.message.PermissionRequest;
import brig.acp.message.PermissionRequest.Kind;
import brig.acp.message.PermissionRequest.Option;
import brig.acp.message.SessionUpdate;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the agent asks: the editor asks its user. If somebody else answers first, the question is withdrawn. Without a
 * usable answer of the editor nothing is decided: the ask waits for another client or its deadline. Owned by the thread
 * that reads the session, except for answers.
 *
 * <p>Decision 0149.
 */
final class Asks {
    private static final String CLIENT = "acp";
    /** Options of asks that do not do what is asked for. */
    private static final Set<String> REJECTIONS = Set.of("deny", "decline");

    private static final String ALWAYS = "allow_session";

    /**
     * An option for the user.
     *
     * @param order what the gateway is told if it is chosen
     */
    private record Choice(Option option, SpawnerRequest order) {
        Choice(String id, String name, Kind kind, SpawnerRequest order) {
            this(new Option(id, name, kind), order);
        }
    }

    /**
     * What waits for an answer.
     *
     * @param name names it in notes
     * @param shown the tool call that shows it
     * @param deadlineMs when it stops waiting, in milliseconds since 1970
     * @param done what the gateway answers to an order
     */
    private record Waiting(
            String name, CallFields shown, List<Choice> choices, long deadlineMs, Class<? extends Record> done) {}

    private final String id;
    private final String spawnId;
    private final AcpContext context;
    private final Consumer<SessionUpdate> sink;
    private final Consumer<String> note;
    /** By the id of the ask, or by the host with its port. */
    private final Map<String, Waiting> open = new LinkedHashMap<>();
    /** The ids of the questions to the editor, for those of {@link #open} that it was asked. */
    private final Map<String, Long> questions = new LinkedHashMap<>();

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
     * @param live whether to ask the user now; otherwise {@link #askAgain} does if nobody has answered by then
     */
    void handle(Frame.Ask frame, long seq, boolean live) {
        open(frame.askId(), waiting(frame, seq), live);
    }

    void handle(Frame.Answered frame) {
        boolean refused = frame.option() == null ? frame.text() == null : REJECTIONS.contains(frame.option());
        settle(frame.askId(), !refused);
    }

    /**
     * @param seq the number of the frame
     * @param ts when it was written, in milliseconds since 1970
     * @param live as above
     */
    void handle(Frame.Egress frame, long seq, long ts, boolean live) {
        switch (frame.event()) {
            case EgressEvent.Ask ask -> {
                String host = host(ask.host(), ask.port());
                open(host, waiting(ask, host, seq, ts), live);
            }
            case EgressEvent.Answered answered -> settle(host(answered.host(), answered.port()), answered.allowed());
            case null, default -> {
                // Other events concern no question.
            }
        }
    }

    /** Asks the questions from before the editor's connection that are still open. */
    void askAgain(long nowMs) {
        open.values().removeIf(waiting -> waiting.deadlineMs() <= nowMs);
        open.forEach((key, waiting) -> {
            if (!questions.containsKey(key)) {
                ask(key, waiting);
            }
        });
    }

    /** No answer can arrive any more: withdraws all questions. */
    void end() {
        List.copyOf(open.keySet()).forEach(key -> settle(key, false));
    }

    private Waiting waiting(Frame.Ask ask, long seq) {
        List<Choice> choices =
                ask.options().stream().map(option -> choice(ask, option)).toList();
        String title = ask.agent() == null ? ask.title() : "Sub-agent " + ask.agent() + ": " + ask.title();
        CallFields shown = new CallFields(
                "brig-ask-" + seq,
                title,
                ask.kind() == Frame.Ask.Kind.EGRESS ? CallFields.Kind.FETCH : CallFields.Kind.OTHER,
                Status.PENDING,
                ask.detail() == null || ask.detail() instanceof JsonObject
                        ? (JsonObject) ask.detail()
                        : JsonObject.EMPTY.with("detail", ask.detail()),
                null,
                null,
                null);
        return new Waiting(ask.askId(), shown, choices, ask.deadline(), AskAnswer.class);
    }

    private static Choice choice(Frame.Ask ask, Frame.Ask.Option option) {
        Kind kind = REJECTIONS.contains(option.id())
                ? Kind.REJECT_ONCE
                : option.id().equals(ALWAYS) ? Kind.ALLOW_ALWAYS : Kind.ALLOW_ONCE;
        return new Choice(
                option.id(), option.name(), kind, new SpawnerRequest.AnswerAsk(ask.askId(), option.id(), null, CLIENT));
    }

    private Waiting waiting(EgressEvent.Ask ask, String host, long seq, long ts) {
        CallFields shown = new CallFields(
                "brig-egress-" + seq,
                "Reach " + host,
                CallFields.Kind.FETCH,
                Status.PENDING,
                JsonObject.EMPTY.with("host", host).with("method", ask.method()).with("rule", ask.rule()),
                null,
                null,
                null);
        List<Choice> choices = List.of(
                new Choice("once", "Allow once", Kind.ALLOW_ONCE, order(EgressDecision.ONCE, host)),
                new Choice("allow", "Allow for this session", Kind.ALLOW_ALWAYS, order(EgressDecision.ALLOW, host)),
                new Choice("deny", "Deny", Kind.REJECT_ONCE, order(EgressDecision.DENY, host)));
        return new Waiting(host, shown, choices, ts + ask.deadlineMs(), Answers.Done.class);
    }

    private SpawnerRequest order(EgressDecision decision, String host) {
        return new SpawnerRequest.Egress(spawnId, decision, host, null);
    }

    private void open(String key, Waiting waiting, boolean live) {
        if (open.putIfAbsent(key, waiting) == null && live) {
            ask(key, waiting);
        }
    }

    private void ask(String key, Waiting waiting) {
        sink.accept(new SessionUpdate.ToolCall(waiting.shown()));
        List<Option> options = waiting.choices().stream().map(Choice::option).toList();
        questions.put(
                key,
                context.rpc()
                        .request(
                                new PermissionRequest(id, waiting.shown(), options),
                                answer -> handleAnswer(waiting, answer.chosen())));
    }

    private void settle(String key, boolean allowed) {
        Waiting waiting = open.remove(key);
        Long question = questions.remove(key);
        if (waiting != null && question != null) {
            context.rpc().withdraw(question);
            sink.accept(new SessionUpdate.ToolCallUpdate(
                    CallFields.status(waiting.shown().toolCallId(), allowed ? Status.COMPLETED : Status.FAILED)));
        }
    }

    private void handleAnswer(Waiting waiting, @Nullable String chosen) {
        for (Choice choice : waiting.choices()) {
            if (choice.option().optionId().equals(chosen)) {
                context.threads().execute(() -> give(waiting, choice));
            }
        }
    }

    private void give(Waiting waiting, Choice choice) {
        try {
            context.gateway().request(choice.order(), waiting.done());
        } catch (BrigException refusal) {
            // Somebody else was first: the frame that says so withdraws the question.
            if (refusal.code() != ErrorCode.ASK_SETTLED) {
                note.accept("the answer for " + waiting.name() + " was refused: " + refusal.getMessage());
            }
        }
    }

    /** With its port, so that exactly the requested place is allowed. */
    private static String host(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
