package brig.formats.adapter;

import brig.formats.adapter.Adapter.Context;
import brig.formats.permission.Permissions;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.OmitEmpty;
import brig.protocol.spawn.PermissionMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Questions of an agent to a person. The questions of one request wait side by side. The request is answered when all
 * have an answer; whoever declines one declines the request.
 *
 * <p>Decision 0151.
 */
public final class Questions {
    public static final String DECLINE = "decline";

    private static final int QUESTIONS_MAX = 8;
    private static final int CHOICES_MAX = 32;
    private static final int LABEL_BYTES_MAX = 256;
    private static final int DESCRIPTION_BYTES_MAX = 512;

    /** A suggested answer, as Claude Code, Codex and OpenCode name it. */
    @Foreign
    public record Choice(
            @Default("") String label, @Nullable String description) {
        private boolean isNamed() {
            return !label.isBlank();
        }

        private Frame.Ask.Option option(int number) {
            return new Frame.Ask.Option(
                    String.valueOf(number),
                    FrameText.cut(label, LABEL_BYTES_MAX),
                    description == null ? null : FrameText.cut(description, DESCRIPTION_BYTES_MAX));
        }
    }

    /**
     * A question.
     *
     * @param header a few words about it
     * @param choices those without a label are left out
     * @param multiple whether several choices may be the answer
     * @param free whether other words than the choices may be the answer
     */
    public record Question(@Nullable String header, String text, List<Choice> choices, boolean multiple, boolean free) {
        public Question {
            choices = choices.stream().filter(Choice::isNamed).toList();
        }

        /** The same question, to be answered in other words if it has no choices. */
        public Question freeWithoutChoices() {
            return new Question(header, text, choices, multiple, free || choices.isEmpty());
        }

        private boolean isAnswerable() {
            return !text.isBlank() && choices.size() <= CHOICES_MAX && (free || !choices.isEmpty());
        }

        private List<Frame.Ask.Option> options() {
            List<Frame.Ask.Option> options = new ArrayList<>();
            for (Choice choice : choices) {
                options.add(choice.option(options.size() + 1));
            }
            options.add(new Frame.Ask.Option(DECLINE, "Do not answer"));
            return options;
        }

        private List<String> words(Asks.Reply reply) {
            String chosen = label(reply.option());
            if (chosen != null) {
                return List.of(chosen);
            }
            String text = reply.text() == null ? "" : reply.text();
            if (multiple) {
                List<@Nullable String> labels = Arrays.stream(text.split(","))
                        .map(part -> label(part.strip()))
                        .toList();
                if (labels.stream().allMatch(Objects::nonNull)) {
                    return labels.stream().filter(Objects::nonNull).toList();
                }
            }
            return List.of(text);
        }

        /** The label of the choice with that number or label; null if there is none. */
        private @Nullable String label(@Nullable String named) {
            for (int i = 0; i < choices.size(); i++) {
                String label = choices.get(i).label();
                if (String.valueOf(i + 1).equals(named) || label.equals(named)) {
                    return label;
                }
            }
            return null;
        }
    }

    /**
     * A request with questions.
     *
     * @param id the agent's own id of the request
     * @param agent the asking sub-agent; null for the agent itself
     * @param tool the tool call that asks
     * @param name of the tool, or of the request
     */
    public record Request(
            String id,
            @Nullable String agent,
            @Nullable String tool,
            @Nullable String name,
            List<Question> questions) {
        private boolean isAnswerable() {
            return !questions.isEmpty()
                    && questions.size() <= QUESTIONS_MAX
                    && questions.stream().allMatch(Question::isAnswerable);
        }
    }

    /** What to judge a question by. */
    private record Detail(
            @Nullable String header,
            String question,
            @OmitEmpty boolean multiple) {}

    private final AgentFrames frames;
    private final Asks asks;
    private final Permissions permissions;

    public Questions(AgentFrames frames, Context context) {
        this.frames = frames;
        this.asks = context.asks();
        this.permissions = context.task().permissions();
    }

    /** Whether questions wait for a person: only where requests to use tools do. */
    public boolean areAsked() {
        return permissions.toldMode() == PermissionMode.ASK;
    }

    /**
     * Asks a person. Without one, and for questions that cannot be shown, the answer is given at once.
     *
     * @param answer called once with the answers to each question, or with null if it is declined, unless the agent no
     *     longer waits; by any thread
     */
    public void ask(Request request, Consumer<@Nullable List<List<String>>> answer) throws InterruptedException {
        if (!areAsked() || !request.isAnswerable()) {
            frames.put(new Frame.Permission(
                    request.id(), request.agent(), request.tool(), request.name(), null, Decision.DENY));
            answer.accept(null);
            return;
        }
        Answers answers = new Answers(request, answer);
        int count = request.questions().size();
        for (int index = 0; index < count && answers.areWanted(); index++) {
            int asked = index;
            asks.open(ask(request, index), reply -> answers.take(asked, reply));
        }
        if (!answers.areWanted()) {
            withdraw(request.id());
        }
    }

    private static Asks.Request ask(Request request, int index) {
        Question question = request.questions().get(index);
        return new Asks.Request(
                Frame.Ask.Kind.QUESTION,
                request.agent(),
                nativeId(request.id(), index),
                request.tool(),
                question.text(),
                JsonObject.of(new Detail(question.header(), question.text(), question.multiple())),
                question.options(),
                question.free(),
                DECLINE);
    }

    /** The agent no longer waits for an answer to its request with that id. Unknown ids are ignored. */
    public void withdraw(String id) {
        for (int index = 0; index < QUESTIONS_MAX; index++) {
            asks.withdraw(nativeId(id, index));
        }
    }

    private static String nativeId(String id, int index) {
        return index == 0 ? id : id + "#" + (index + 1);
    }

    /** The answers to one request. Thread-safe. */
    private final class Answers {
        private final Request request;
        private final Consumer<@Nullable List<List<String>>> whole;
        private final ReentrantLock lock = new ReentrantLock();

        // Guarded by the lock.
        private final List<List<String>> given;
        private int missing;
        private boolean over;

        Answers(Request request, Consumer<@Nullable List<List<String>>> whole) {
            this.request = request;
            this.whole = whole;
            this.missing = request.questions().size();
            this.given = new ArrayList<>(Collections.nCopies(missing, List.of()));
        }

        boolean areWanted() {
            lock.lock();
            try {
                return !over;
            } finally {
                lock.unlock();
            }
        }

        void take(int index, Asks.Reply reply) {
            boolean declined = DECLINE.equals(reply.option());
            lock.lock();
            try {
                if (over) {
                    return;
                }
                given.set(
                        index,
                        declined ? List.of() : request.questions().get(index).words(reply));
                missing--;
                over = declined || missing == 0;
                if (!over) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            withdraw(request.id());
            whole.accept(declined ? null : List.copyOf(given));
        }
    }
}
