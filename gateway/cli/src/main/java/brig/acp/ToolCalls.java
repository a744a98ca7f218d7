package brig.acp;

import brig.protocol.json.Fields;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tool calls of a session. A sub-agent is one too: the call that started it where the agent waits for it, one of its
 * own otherwise. An update replaces all that a call has written, so only its end is kept and it is sent when nothing
 * else is there to be read. Owned by the thread that reads the session.
 *
 * <p>Decision 0082.
 */
final class ToolCalls {
    /** Of what a call has written, the editor has the last so many characters. */
    private static final int WRITTEN_CHARACTERS_MAX = 16_384;

    private static final int TITLE_CHARACTERS_MAX = 100;
    private static final Set<String> KINDS =
            Set.of("read", "edit", "delete", "move", "search", "execute", "think", "fetch");

    private static final class Call {
        final StringBuilder written = new StringBuilder();
        /** What is written is a piece of all that the call returned, and more of that comes. */
        boolean unfinished;

        boolean told;
        Map<String, Object> meta = Map.of();

        /** It has returned: a session of many calls does not keep what each of them wrote. */
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
    }

    private final PathMapping places;
    private final SessionUpdates.Sink sink;
    private final Map<String, Call> calls = new HashMap<>();
    /** The call that stands for a sub-agent, by its agent_id. */
    private final Map<String, String> agents = new HashMap<>();

    private final Set<String> dirty = new LinkedHashSet<>();

    ToolCalls(PathMapping places, SessionUpdates.Sink sink) {
        this.places = places;
        this.sink = sink;
    }

    void handleTool(Fields frame) {
        String id = frame.requiredText("id");
        Call call = call(id, frame);
        String output = frame.text("output");
        if (output != null) {
            if (!call.unfinished) {
                call.written.setLength(0);
            }
            call.write(output);
            call.unfinished = frame.flag("more");
        }
        if (frame.flag("more")) {
            return;
        }
        dirty.remove(id);
        Map<String, Object> fields = new LinkedHashMap<>();
        String title = frame.text("title", frame.text("name", ""));
        if (!title.isEmpty()) {
            fields.put("title", title);
        }
        String kind = frame.text("kind");
        if (kind != null) {
            fields.put("kind", kind.equals("agent") ? "think" : KINDS.contains(kind) ? kind : "other");
        }
        fields.put(
                "status",
                switch (frame.text("status", "")) {
                    case "completed" -> "completed";
                    case "failed" -> "failed";
                    case "running" -> "in_progress";
                    default -> "pending";
                });
        if (frame.asMap().get("input") instanceof Map) {
            putInput(fields, frame.object("input"), "edit".equals(kind));
        }
        if (output != null) {
            fields.put("content", content(call));
        }
        tell(id, call, fields);
        if (output != null) {
            call.forget();
        }
    }

    private void putInput(Map<String, Object> fields, Fields input, boolean edits) {
        fields.put("rawInput", input.asMap());
        Path file = places.file(input);
        if (file != null) {
            fields.put("locations", List.of(Map.of("path", file.toString())));
        }
        Map<String, ?> diff = edits ? places.diff(input) : null;
        if (diff != null) {
            fields.put("content", List.of(diff));
        }
    }

    /** What a tool writes while it runs. */
    void handleOutput(String id, String content) {
        calls.computeIfAbsent(id, unknown -> new Call()).write(content);
        dirty.add(id);
    }

    /** What a sub-agent says or thinks. */
    void handleSaid(String agent, String content) {
        String id = agents.get(agent);
        if (id == null) {
            id = begin(agent, "sub-agent " + agent, Map.of(), Map.of("agent", agent));
        }
        handleOutput(id, content);
    }

    void handleSubAgent(Fields frame) {
        if (frame.has("source")) {
            return;
        }
        String agent = frame.requiredText("agent_id");
        String status = frame.text("status", "");
        String id = agents.get(agent);
        if (id == null) {
            id = begin(agent, frame);
        } else if (id.equals(own(agent)) && !status.equals("spawned")) {
            Call call = calls.computeIfAbsent(id, unknown -> new Call());
            String word = frame.text("summary", frame.text("error", ""));
            if (!word.isEmpty()) {
                call.write("\n" + word);
            }
            dirty.remove(id);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put(
                    "status",
                    switch (status) {
                        case "completed" -> "completed";
                        case "failed", "killed" -> "failed";
                        default -> "in_progress";
                    });
            fields.put("content", content(call));
            tell(id, call, fields);
        }
    }

    private String begin(String agent, Fields frame) {
        String parent = frame.text("parent_tool_id");
        if (parent != null && !frame.flag("background") && calls.containsKey(parent)) {
            agents.put(agent, parent);
            return parent;
        }
        String prompt = frame.text("prompt", "");
        String type = frame.text("subagent_type", "sub-agent");
        Map<String, Object> meta = new LinkedHashMap<>(Map.of("agent", agent));
        for (String name : List.of("parent_id", "parent_tool_id", "session_id")) {
            String value = frame.text(name);
            if (value != null) {
                meta.put(name, value);
            }
        }
        return begin(
                agent,
                prompt.isEmpty() ? type : type + ": " + firstLine(prompt),
                prompt.isEmpty() ? Map.of() : Map.of("prompt", prompt),
                meta);
    }

    private String begin(String agent, String title, Map<String, ?> input, Map<String, Object> meta) {
        String id = own(agent);
        agents.put(agent, id);
        Call call = calls.computeIfAbsent(id, unknown -> new Call());
        call.meta = meta;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("title", title);
        fields.put("kind", "think");
        fields.put("status", "in_progress");
        if (!input.isEmpty()) {
            fields.put("rawInput", input);
        }
        tell(id, call, fields);
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

    private Call call(String id, Fields frame) {
        Call call = calls.computeIfAbsent(id, unknown -> new Call());
        String agent = frame.text("agent");
        if (agent != null) {
            Map<String, Object> meta = new LinkedHashMap<>(Map.of("agent", agent));
            String above = agents.get(agent);
            if (above != null) {
                meta.put("parent_tool_id", above);
            }
            call.meta = meta;
        }
        return call;
    }

    private void tell(String id, Call call, Map<String, Object> fields) {
        Map<String, Object> update = new LinkedHashMap<>();
        update.put("sessionUpdate", call.told ? "tool_call_update" : "tool_call");
        update.put("toolCallId", id);
        if (!call.told) {
            fields.putIfAbsent("title", id);
        }
        update.putAll(fields);
        if (!call.meta.isEmpty()) {
            update.put("_meta", SessionUpdates.meta(call.meta));
        }
        call.told = true;
        sink.update(update);
    }

    private static List<Map<String, ?>> content(Call call) {
        List<Map<String, ?>> content = new ArrayList<>();
        if (!call.written.isEmpty()) {
            content.add(Map.of("type", "content", "content", SessionUpdates.text(call.written.toString())));
        }
        return content;
    }

    void flush() {
        for (String id : dirty) {
            Call call = calls.computeIfAbsent(id, unknown -> new Call());
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("content", content(call));
            tell(id, call, fields);
        }
        dirty.clear();
    }
}
