package brig.acp;

import brig.acp.message.CallFields;
import brig.acp.message.CallFields.Status;
import brig.acp.message.ContentBlock;
import brig.acp.message.PermissionRequest;
import brig.acp.message.PermissionRequest.Kind;
import brig.acp.message.PermissionRequest.Option;
import brig.acp.message.SessionUpdate;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AskAnswer;
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
 * <p>Decisions 0149, 0151.
 */
final class Asks {
    private static final String CLIENT = "acp";
    /** Options of asks that do not do what is asked for. */
    private static final Set<String> REJECTIONS = Set.of("deny", "decline");

    /** An option that concerns other sessions too; the editor shows those of its own session. */
    private static final String SAVE = "save";

    /** @param shown the tool call that shows it */
    private record Waiting(Frame.Ask ask, CallFields shown) {}

    private final String id;
    private final AcpContext context;
    private final Consumer<SessionUpdate> sink;
    private final Consumer<String> note;
    /** By the id of the ask. */
    private final Map<String, Waiting> open = new LinkedHashMap<>();
    /** The ids of the questions to the editor, for those of {@link #open} that it was asked. */
    private final Map<String, Long> questions = new LinkedHashMap<>();

    /**
     * @param id the editor's id of the session
     * @param note takes sentences for the user
     */
    Asks(String id, AcpContext context, Consumer<SessionUpdate> sink, Consumer<String> note) {
        this.id = id;
        this.context = context;
        this.sink = sink;
        this.note = note;
    }

    /**
     * @param live whether to ask the user now; otherwise {@link #askAgain} does if nobody has answered by then
     */
    void handle(Frame.Ask frame, long seq, boolean live) {
        Waiting waiting = new Waiting(frame, shown(frame, seq));
        if (open.putIfAbsent(frame.askId(), waiting) == null && live) {
            ask(waiting);
        }
    }

    void handle(Frame.Answered frame) {
        boolean refused = frame.option() == null ? frame.text() == null : REJECTIONS.contains(frame.option());
        settle(frame.askId(), !refused);
    }

    /** Asks the questions from before the editor's connection that are still open. */
    void askAgain(long nowMs) {
        open.values().removeIf(waiting -> waiting.ask().deadline() <= nowMs);
        open.forEach((key, waiting) -> {
            if (!questions.containsKey(key)) {
                ask(waiting);
            }
        });
    }

    /** No answer can arrive any more: withdraws all questions. */
    void end() {
        List.copyOf(open.keySet()).forEach(key -> settle(key, false));
    }

    private static CallFields shown(Frame.Ask ask, long seq) {
        String title = ask.agent() == null ? ask.title() : "Sub-agent " + ask.agent() + ": " + ask.title();
        return new CallFields(
                "brig-ask-" + seq,
                title,
                ask.kind() == Frame.Ask.Kind.EGRESS ? CallFields.Kind.FETCH : CallFields.Kind.OTHER,
                Status.PENDING,
                ask.detail() == null || ask.detail() instanceof JsonObject
                        ? (JsonObject) ask.detail()
                        : JsonObject.EMPTY.with("detail", ask.detail()),
                null,
                ask.text() ? List.of(new CallFields.Written(new ContentBlock.Text(choices(ask)))) : null,
                null);
    }

    /** What a request for permission has no place for: the options' descriptions, and an answer in own words. */
    private static String choices(Frame.Ask ask) {
        StringBuilder choices = new StringBuilder();
        for (Frame.Ask.Option option : ask.options()) {
            if (option.description() != null) {
                choices.append(option.name())
                        .append(": ")
                        .append(option.description())
                        .append('\n');
            }
        }
        return choices + "In your own words, on a terminal: brig answer " + ask.askId() + " --text TEXT";
    }

    private void ask(Waiting waiting) {
        sink.accept(new SessionUpdate.ToolCall(waiting.shown()));
        Frame.Ask ask = waiting.ask();
        List<Option> options = ask.options().stream()
                .filter(option -> !option.id().equals(SAVE))
                .map(option -> new Option(option.id(), option.name(), kind(ask, option.id())))
                .toList();
        questions.put(
                ask.askId(),
                context.rpc()
                        .request(
                                new PermissionRequest(id, waiting.shown(), options),
                                answer -> handleAnswer(ask, answer.chosen())));
    }

    private static Kind kind(Frame.Ask ask, String option) {
        boolean ends = ask.kind() == Frame.Ask.Kind.SPEND && option.equals("end");
        if (ends || REJECTIONS.contains(option)) {
            return Kind.REJECT_ONCE;
        }
        return lasts(ask, option) ? Kind.ALLOW_ALWAYS : Kind.ALLOW_ONCE;
    }

    /** Whether the option is for more than this request. */
    private static boolean lasts(Frame.Ask ask, String option) {
        return option.equals(ask.kind() == Frame.Ask.Kind.EGRESS ? "allow" : "allow_session");
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

    private void handleAnswer(Frame.Ask ask, @Nullable String chosen) {
        if (chosen != null && !chosen.equals(SAVE) && ask.offers(chosen)) {
            context.threads().execute(() -> give(ask, chosen));
        }
    }

    private void give(Frame.Ask ask, String option) {
        try {
            context.gateway().request(new SpawnerRequest.AnswerAsk(ask.askId(), option, null, CLIENT), AskAnswer.class);
        } catch (BrigException refusal) {
            // Somebody else was first: the frame that says so withdraws the question.
            if (refusal.code() != ErrorCode.ASK_SETTLED) {
                note.accept("the answer for " + ask.askId() + " was refused: " + refusal.getMessage());
            }
        }
    }
}
