package brig.gateway.tree;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.api.AgentStatus;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a session, from its frames alone. Frames may come in any order: a sub-agent that only others name has a
 * node of its own, below the agent itself and marked {@code unknown_parent}, until a frame says where it belongs. What
 * an agent writes cannot bend the tree: a place that would close a circle is not taken, and one that the agent told
 * stays. It cannot grow it without end either: what is beyond a bound is left out and counted.
 *
 * <p>State owned by the event loop.
 *
 * <p>Decisions 0066, 0067.
 */
public final class AgentTree {
    static final int NODES_MAX = 2_048;
    static final int ID_CHARS_MAX = 200;
    static final int TEXT_CHARS_MAX = 1_000;
    /** Of all ids and texts together. */
    static final int CHARS_MAX = 512 * 1024;

    private static final List<String> TEXTS =
            List.of("session_id", "parent_tool_id", "subagent_type", "prompt", "summary", "error");

    private final AgentNode main = new AgentNode("", null);
    private final Map<String, AgentNode> nodes = new LinkedHashMap<>();
    private long lastSeq;
    private long chars;
    private long framesLeftOut;
    private long textsCut;
    /** Whether every frame came so far. */
    private boolean complete = true;

    private int messages;
    private @Nullable Long exitCode;

    /** Whether frames of that type say something about the tree. Chunks, of which a stream consists, do not. */
    static boolean concerns(FrameType type) {
        return switch (type) {
            case SUBAGENT, USAGE, SESSION, DONE, STATE -> true;
            default -> false;
        };
    }

    /** Takes a frame. One that was taken already changes nothing; one that cannot be understood is counted. */
    void handle(FrameType type, long seq, byte[] bytes, int offset, int length) {
        if (seq <= lastSeq || !concerns(type)) {
            return;
        }
        lastSeq = seq;
        try {
            handle(type, new Fields(Json.parseObject(bytes, offset, length)));
        } catch (BrigException notUnderstood) {
            framesLeftOut++;
        }
    }

    private void handle(FrameType type, Fields frame) {
        long nowMs = frame.number("ts", 0, Limits.SEQ_MAX, 0);
        if (main.status() == AgentStatus.UNKNOWN) {
            main.become(AgentStatus.RUNNING, nowMs);
        }
        switch (type) {
            case SUBAGENT -> handleSubAgent(frame, nowMs);
            case USAGE -> handleUsage(frame);
            case SESSION -> handleSession(frame);
            case DONE -> {
                messages++;
                exitCode = frame.number("exitCode", Integer.MIN_VALUE, Integer.MAX_VALUE, 0);
            }
            case STATE -> {
                if (frame.text("state", "").equals("terminated")) {
                    handleEnd(nowMs);
                }
            }
            default -> throw new IllegalStateException(type + " does not concern the tree");
        }
    }

    /** Frames up to that one will not come. */
    void handleGap(long seq) {
        lastSeq = Math.max(lastSeq, seq);
        complete = false;
    }

    private void handleSubAgent(Fields frame, long nowMs) {
        AgentNode node = node(frame.requiredText("agent_id"));
        if (node == null || node == main) {
            framesLeftOut++;
            return;
        }
        boolean fromEgress = frame.has("source");
        String parentId = frame.text("parent_id");
        place(
                node,
                parentId,
                fromEgress
                        ? AgentNode.Place.READ_OFF
                        : parentId == null ? AgentNode.Place.TOLD : AgentNode.Place.TOLD_PARENT);
        AgentStatus status = toldStatus(frame.text("status", ""));
        if (status != null) {
            node.become(status, nowMs);
        }
        if (!fromEgress) {
            node.setBackground(frame.flag("background"));
        }
        for (String name : TEXTS) {
            String text = frame.text(name);
            if (text != null) {
                keep(node, name, text);
            }
        }
    }

    /** The status of that name in a frame; null for what no frame may say. */
    private static @Nullable AgentStatus toldStatus(String name) {
        return Arrays.stream(AgentStatus.values())
                .filter(status -> status != AgentStatus.UNKNOWN && status != AgentStatus.LOST)
                .filter(status -> status.wireName().equals(name))
                .findFirst()
                .orElse(null);
    }

    private void place(AgentNode node, @Nullable String parentId, AgentNode.Place place) {
        if (place.compareTo(node.place()) <= 0) {
            return;
        }
        AgentNode parent = parentId == null ? main : node(parentId);
        if (parent == null || parent.isWithin(node)) {
            framesLeftOut++;
            return;
        }
        node.move(parent, place);
    }

    private void handleUsage(Fields frame) {
        String agent = frame.text("agent");
        AgentNode node = agent == null ? main : node(agent);
        if (node == null) {
            framesLeftOut++;
        } else {
            node.addUsage(frame, frame.has("source"));
        }
    }

    private void handleSession(Fields frame) {
        keep(main, "session_id", frame.text("session_id", ""));
        for (String name : List.of("agent", "agent_version", "model")) {
            if (frame.has(name)) {
                keep(main, name, frame.requiredText(name));
            }
        }
    }

    /** The stream is over: what lived until now and did not say farewell is lost. */
    private void handleEnd(long nowMs) {
        main.become(
                exitCode == null ? AgentStatus.LOST : exitCode == 0 ? AgentStatus.COMPLETED : AgentStatus.FAILED,
                nowMs);
        nodes.values().stream()
                .filter(node -> node.status().lives())
                .forEach(node -> node.become(AgentStatus.LOST, nowMs));
    }

    /** The node of that id, made where there is none; null where there is no room for it. The agent itself has its session's. */
    private @Nullable AgentNode node(String id) {
        if (id.equals(main.text("session_id"))) {
            return main;
        }
        AgentNode known = nodes.get(id);
        if (known != null) {
            return known;
        }
        if (nodes.size() >= NODES_MAX
                || id.isEmpty()
                || id.length() > ID_CHARS_MAX
                || chars + id.length() > CHARS_MAX) {
            return null;
        }
        chars += id.length();
        AgentNode made = new AgentNode(id, main);
        nodes.put(id, made);
        return made;
    }

    /** Keeps a text of a node in place of an earlier one, as far as there is room. */
    private void keep(AgentNode node, String name, String text) {
        String before = node.text(name);
        int room = (int) Math.min(TEXT_CHARS_MAX, CHARS_MAX - chars + before.length());
        int end = Math.min(text.length(), room);
        if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) && end < text.length()) {
            end--;
        }
        textsCut += end < text.length() ? 1 : 0;
        if (end > 0) {
            node.setText(name, text.substring(0, end));
            chars += end - before.length();
        }
    }

    /** Adds what all of them cost together, where anything is known. */
    void putUsage(Map<String, @Nullable Object> view) {
        TokenCount all = new TokenCount();
        all.add(main.tokens());
        nodes.values().forEach(node -> all.add(node.tokens()));
        if (!all.isEmpty()) {
            Map<String, @Nullable Object> usage = new LinkedHashMap<>();
            all.putInto(usage);
            view.put("usage", usage);
        }
    }

    /** What a client gets: the agent itself, its sub-agents with each below its parent's, and what is not there. */
    public Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        Map<String, @Nullable Object> itself = new LinkedHashMap<>();
        main.putInto(itself, 0);
        itself.put("messages", messages);
        view.put("main", itself);
        List<Map<String, @Nullable Object>> agents = new ArrayList<>();
        int deepest = 0;
        for (Placed placed : inOrder()) {
            Map<String, @Nullable Object> agent = new LinkedHashMap<>();
            placed.node().putInto(agent, placed.depth());
            agents.add(agent);
            deepest = Math.max(deepest, placed.depth());
        }
        view.put("agents", agents);
        view.put("counts", counts(deepest));
        view.put("complete", complete && framesLeftOut == 0);
        view.put("left_out", Map.of("frames", framesLeftOut, "texts", textsCut));
        return view;
    }

    private Map<String, Object> counts(int deepest) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("agents", nodes.size());
        counts.put("running", count(AgentStatus.SPAWNED) + count(AgentStatus.RUNNING));
        counts.put("completed", count(AgentStatus.COMPLETED));
        counts.put("failed", count(AgentStatus.FAILED));
        counts.put("killed", count(AgentStatus.KILLED));
        counts.put("lost", count(AgentStatus.LOST));
        counts.put("max_depth", deepest);
        return counts;
    }

    private long count(AgentStatus status) {
        return nodes.values().stream().filter(node -> node.status() == status).count();
    }

    /** A sub-agent, and how many are above it with the agent itself. */
    private record Placed(AgentNode node, int depth) {}

    /** Every sub-agent behind its parent, siblings as they were named first. A tree may be as deep as it has nodes. */
    private List<Placed> inOrder() {
        Map<AgentNode, List<AgentNode>> below = new HashMap<>();
        for (AgentNode node : nodes.values()) {
            below.computeIfAbsent(node.parent() == null ? main : node.parent(), parent -> new ArrayList<>())
                    .add(node);
        }
        List<Placed> ordered = new ArrayList<>();
        ArrayDeque<Placed> open = new ArrayDeque<>();
        open.push(new Placed(main, 0));
        while (!open.isEmpty()) {
            Placed next = open.pop();
            if (next.node() != main) {
                ordered.add(next);
            }
            List<AgentNode> children = below.getOrDefault(next.node(), List.of());
            children.reversed().forEach(child -> open.push(new Placed(child, next.depth() + 1)));
        }
        return ordered;
    }
}
