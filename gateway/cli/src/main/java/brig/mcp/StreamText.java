package brig.mcp;

import brig.protocol.VisibleText;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Frames as text for a model: the agent's words as they are, everything else on lines of its own in brackets. Control
 * characters are escaped. Bounded: it says when it is full, and cuts one frame that is too long.
 */
final class StreamText {
    /** Input fields of a call that describe its subject; the first one present is used. */
    private static final List<String> SUBJECTS =
            List.of("command", "path", "file_path", "filePath", "pattern", "url", "description");

    private static final int LINE_CHARACTERS_MAX = 200;

    private final boolean whole;
    private final int charactersMax;
    private final StringBuilder text = new StringBuilder();
    private final Set<String> calls = new HashSet<>();
    private String newest = "";

    /**
     * @param whole also reasoning, output of tools and what sub-agents say
     * @param charactersMax when it is full
     */
    StreamText(boolean whole, int charactersMax) {
        this.whole = whole;
        this.charactersMax = charactersMax;
    }

    boolean isFull() {
        return text.length() >= charactersMax;
    }

    /** The last thing that happened, on one line. */
    String newest() {
        return newest;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    void add(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Chunk chunk -> {
                if (whole || chunk.isOwnWords() || (chunk.tool() == null && chunk.stream() == Channel.STDERR)) {
                    words(chunk.content());
                }
            }
            case Frame.Tool tool -> add(tool);
            case Frame.Message message ->
                line("message from " + (message.by() == null ? "a captain" : message.by()) + ": " + message.content());
            case Frame.SubAgent agent -> {
                if (agent.status() != null) {
                    line("sub-agent " + agent.agentId() + " "
                            + agent.status().name().toLowerCase(Locale.ROOT)
                            + (agent.summary() == null ? "" : ": " + agent.summary()));
                }
            }
            case Frame.Failure failure ->
                line("error " + failure.code() + ": " + failure.error() + (failure.retrying() ? " (retried)" : ""));
            case Frame.Done done ->
                line("turn ended, exit code " + done.exitCode() + (done.reason() == null ? "" : ", " + done.reason()));
            case Frame.State state -> {
                if (state.isTerminated()) {
                    line("session ended" + (state.reason() == null ? "" : ": " + state.reason()));
                }
            }
            case Frame.Ask ask ->
                line("ask " + ask.askId() + ", options: " + ask.choices() + ": " + ask.title() + ": "
                        + AskDetail.brief(ask.detail()));
            case Frame.Answered answered ->
                line("ask " + answered.askId() + " settled: "
                        + Objects.requireNonNullElse(answered.option(), answered.text() == null ? "" : "by a text"));
            case Frame.Egress egress -> {
                if (egress.event() instanceof EgressEvent.Blocked(EgressEvent.Request request)) {
                    line("blocked " + request.method() + " " + request.host() + ":" + request.port() + ": "
                            + request.rule());
                }
            }
            case Frame.Budget budget -> {
                String refused = budget.use().refused();
                if (refused != null || budget.use().percent() > 0) {
                    line(refused == null ? budget.use().words() : "refused: " + refused);
                }
            }
            case Frame.Accepted _,
                    Frame.Usage _,
                    Frame.Session _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Raw _,
                    Frame.Tty _,
                    Frame.Screen _,
                    Frame.Activity _,
                    Frame.Checkpoint _,
                    Frame.Forked _ -> {}
            case null -> {}
        }
    }

    void add(ConnectionLine.Gap gap) {
        line("frames " + gap.from() + " to " + gap.to() + " are missing: " + gap.reason());
    }

    /** A sentence of Brig's own. */
    void note(String sentence) {
        line(sentence);
    }

    private void add(Frame.Tool tool) {
        boolean named = tool.name() != null || tool.title() != null;
        if (named && tool.status() != Frame.Tool.Progress.PENDING && calls.add(tool.id())) {
            JsonObject input = JsonObject.element(tool.input());
            String about = SUBJECTS.stream()
                    .map(input::text)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(tool.title() == null ? "" : tool.title());
            line("tool " + (tool.name() == null ? "" : tool.name() + " ") + about);
        }
        if (tool.status() == Frame.Tool.Progress.FAILED) {
            line("tool call failed");
        }
        if (whole && tool.output() != null) {
            words(tool.output());
        }
    }

    private void words(String content) {
        if (!content.isEmpty()) {
            String visible = VisibleText.lines(content);
            int room = charactersMax;
            text.append(visible.length() <= room ? visible : visible.substring(0, room) + "[… cut]");
            newest = visible.strip();
        }
    }

    private void line(String content) {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
            text.append('\n');
        }
        String visible = VisibleText.of(content);
        newest = visible.length() <= LINE_CHARACTERS_MAX ? visible : visible.substring(0, LINE_CHARACTERS_MAX) + "…";
        text.append('[').append(newest).append("]\n");
    }
}
