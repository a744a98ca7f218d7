package brig.acp.view;

import brig.acp.message.BrigMeta;
import brig.acp.message.CallFields;
import brig.acp.message.CallFields.Status;
import brig.acp.message.ContentBlock;
import brig.acp.message.Meta;
import brig.acp.message.SessionUpdate;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tool calls of a session. A sub-agent is shown as one too: as the call that started it if the agent waits for it,
 * else as a call of its own. An update replaces a call's whole output, so only the end of the output is kept, and
 * updates are sent when no more frames are available. Owned by the thread that reads the session.
 *
 * <p>Decision 0082.
 */
final class ToolCalls {
    /** Number of last characters of a call's output that the editor gets. */
    private static final int WRITTEN_CHARACTERS_MAX = 16_384;

    private static final int TITLE_CHARACTERS_MAX = 100;
    /** Kinds of tools with special handling. */
    private static final String EDIT = "edit";

    private static final String AGENT = "agent";

    private static final class Call {
        final StringBuilder written = new StringBuilder();
        /** The output is a piece of the call's result, and more will come. */
        boolean unfinished;

        boolean told;
        /** Null for a call of the agent itself. */
        BrigMeta.@Nullable Call meta;

        /** The call has returned: frees its output, as sessions have many calls. */
        void forget() {
            written.setLength(0);
            written.trimToSize();
        }

        void write(String text) {
            written.append(text);
            if (written.length() > WRITTEN_CHARACTERS_MAX) {
                int cut = written.length() - WRITTEN_CHARACTERS_MAX;
                written.delete(0, Character.isLowSurrogate(written.charAt(cut)) ? cut + 1 : cut);
            }
        }

        /** Its output, for the editor. */
        List<CallFields.Content> content() {
            return written.isEmpty()
                    ? List.of()
                    : List.of(new CallFields.Written(new ContentBlock.Text(written.toString())));
        }
    }

    /** A change of a call; null means unchanged. */
    private record News(
            @Nullable String title,
            CallFields.@Nullable Kind kind,
            @Nullable Status status,
            @Nullable JsonObject input,
            @Nullable Path file,
            @Nullable List<CallFields.Content> content) {}

    private final PathMapping places;
    private final Consumer<SessionUpdate> sink;
    private final Map<String, Call> calls = new HashMap<>();
    /** The call that represents a sub-agent, by its agent_id. */
    private final Map<String, String> agents = new HashMap<>();

    private final Set<String> dirty = new LinkedHashSet<>();

    ToolCalls(PathMapping places, Consumer<SessionUpdate> sink) {
        this.places = places;
        this.sink = sink;
    }

    void handleTool(Frame.Tool frame) {
        String id = frame.id();
        Call call = call(id, frame.agent());
        if (frame.output() != null) {
            if (!call.unfinished) {
                call.written.setLength(0);
            }
            call.write(frame.output());
            call.unfinished = frame.more();
        }
        if (frame.more()) {
            return;
        }
        dirty.remove(id);
        String title = frame.title() == null ? frame.name() : frame.title();
        JsonObject input = frame.input() instanceof JsonObject object ? object : null;
        CallFields.Diff diff = input != null && EDIT.equals(frame.kind()) ? places.diff(input) : null;
        tell(
                id,
                call,
                new News(
                        title == null || title.isEmpty() ? null : title,
                        frame.kind() == null ? null : kind(frame.kind()),
                        status(frame.status()),
                        input,
                        input == null ? null : places.file(input),
                        frame.output() != null ? call.content() : diff == null ? null : List.of(diff)));
        if (frame.output() != null) {
            call.forget();
        }
    }

    private static CallFields.Kind kind(String name) {
        return name.equals(AGENT) ? CallFields.Kind.THINK : CallFields.Kind.of(name);
    }

    private static Status status(Frame.Tool.@Nullable Progress status) {
        return switch (status) {
            case COMPLETED -> Status.COMPLETED;
            case FAILED -> Status.FAILED;
            case RUNNING -> Status.IN_PROGRESS;
            case PENDING -> Status.PENDING;
            case null -> Status.PENDING;
        };
    }

    /** Adds output of a running tool. */
    void handleOutput(String id, String content) {
        calls.computeIfAbsent(id, unknown -> new Call()).write(content);
        dirty.add(id);
    }

    /** Adds a sub-agent's answer or reasoning. */
    void handleSaid(String agent, String content) {
        String id = agents.get(agent);
        if (id == null) {
            id = begin("sub-agent " + agent, null, new BrigMeta.Call(agent, null, null, null));
        }
        handleOutput(id, content);
    }

    void handleSubAgent(Frame.SubAgent frame) {
        if (frame.source() != null) {
            return;
        }
        String id = agents.get(frame.agentId());
        if (id == null) {
            begin(frame);
        } else if (id.equals(own(frame.agentId())) && frame.status() != Frame.SubAgent.Status.SPAWNED) {
            Call call = calls.computeIfAbsent(id, unknown -> new Call());
            String word = frame.summary() == null ? frame.error() : frame.summary();
            if (word != null && !word.isEmpty()) {
                call.write("\n" + word);
            }
            dirty.remove(id);
            tell(id, call, new News(null, null, status(frame.status()), null, null, call.content()));
        }
    }

    private static Status status(Frame.SubAgent.@Nullable Status status) {
        return switch (status) {
            case COMPLETED -> Status.COMPLETED;
            case FAILED, KILLED -> Status.FAILED;
            case SPAWNED, RUNNING -> Status.IN_PROGRESS;
            case null -> Status.IN_PROGRESS;
        };
    }

    private void begin(Frame.SubAgent frame) {
        String parent = frame.parentToolId();
        if (parent != null && !Boolean.TRUE.equals(frame.background()) && calls.containsKey(parent)) {
            agents.put(frame.agentId(), parent);
            return;
        }
        String prompt = frame.prompt() == null ? "" : frame.prompt();
        String type = frame.subagentType() == null ? "sub-agent" : frame.subagentType();
        begin(
                prompt.isEmpty() ? type : type + ": " + firstLine(prompt),
                prompt.isEmpty() ? null : JsonObject.EMPTY.with("prompt", prompt),
                new BrigMeta.Call(frame.agentId(), frame.parentId(), parent, frame.sessionId()));
    }

    private String begin(String title, @Nullable JsonObject input, BrigMeta.Call meta) {
        String id = own(meta.agent());
        agents.put(meta.agent(), id);
        Call call = calls.computeIfAbsent(id, unknown -> new Call());
        call.meta = meta;
        tell(id, call, new News(title, CallFields.Kind.THINK, Status.IN_PROGRESS, input, null, null));
        return id;
    }

    private static String own(String agent) {
        return "brig-agent-" + agent;
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.codePointCount(0, line.length()) <= TITLE_CHARACTERS_MAX
                ? line
                : line.substring(0, line.offsetByCodePoints(0, TITLE_CHARACTERS_MAX)) + "…";
    }

    private Call call(String id, @Nullable String agent) {
        Call call = calls.computeIfAbsent(id, unknown -> new Call());
        if (agent != null) {
            call.meta = new BrigMeta.Call(agent, null, agents.get(agent), null);
        }
        return call;
    }

    private void tell(String id, Call call, News news) {
        CallFields fields = new CallFields(
                id,
                news.title() == null && !call.told ? id : news.title(),
                news.kind(),
                news.status(),
                news.input(),
                news.file() == null
                        ? null
                        : List.of(new CallFields.Location(news.file().toString())),
                news.content(),
                call.meta == null ? null : new Meta(call.meta));
        sink.accept(call.told ? new SessionUpdate.ToolCallUpdate(fields) : new SessionUpdate.ToolCall(fields));
        call.told = true;
    }

    void flush() {
        for (String id : dirty) {
            Call call = calls.computeIfAbsent(id, unknown -> new Call());
            tell(id, call, new News(null, null, null, null, null, call.content()));
        }
        dirty.clear();
    }
}
