package brig.gateway.tree;

import brig.protocol.BrigException;
import brig.protocol.SpawnState;
import brig.protocol.api.AgentStatus;
import brig.protocol.api.BudgetView;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.TreeView;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a session, derived from its frames alone. Frames may come in any order: a sub-agent named only by
 * others has a node directly below the agent itself, marked {@code unknown_parent}, until a frame gives its place.
 * Untrusted frames cannot corrupt the tree: a place that would form a cycle is ignored, and one that the agent itself
 * reported is final. They cannot grow it without limit either: the excess is left out and counted.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0066, 0067.
 */
public final class AgentTree {
    static final int NODES_MAX = 2_048;
    static final int ID_CHARS_MAX = 200;
    static final int TEXT_CHARS_MAX = 1_000;
    /** Total length of all ids and texts. */
    static final int CHARS_MAX = 512 * 1024;

    private final AgentNode main = new AgentNode("", null);
    private final Map<String, AgentNode> nodes = new LinkedHashMap<>();
    private long lastSeq;
    private long chars;
    private long framesLeftOut;
    private long textsCut;
    /** Whether no frame was missed so far. */
    private boolean complete = true;

    private int messages;
    private @Nullable Integer exitCode;
    private @Nullable BudgetView budget;
    /** What the requests to models came to at the route, in US dollars. */
    private double spent;

    /** Whether frames of that type affect the tree. Chunks, the bulk of a stream, do not. */
    static boolean concerns(FrameType type) {
        return switch (type) {
            case SUBAGENT, USAGE, BUDGET, SESSION, DONE, STATE -> true;
            default -> false;
        };
    }

    /** Processes a frame. A repeated one is ignored; an invalid one is counted. */
    void handle(FrameType type, long seq, byte[] bytes, int offset, int length) {
        if (seq <= lastSeq || !concerns(type)) {
            return;
        }
        lastSeq = seq;
        try {
            handle(Json.read(bytes, offset, length, NumberedFrame.class));
        } catch (BrigException notUnderstood) {
            framesLeftOut++;
        }
    }

    private void handle(NumberedFrame numbered) {
        long nowMs = numbered.ts();
        if (main.status() == AgentStatus.UNKNOWN) {
            main.become(AgentStatus.RUNNING, nowMs);
        }
        switch (numbered.frame()) {
            case Frame.SubAgent frame -> handleSubAgent(frame, nowMs);
            case Frame.Usage frame -> handleUsage(frame);
            case Frame.Budget frame -> budget = BudgetView.after(budget, frame.use());
            case Frame.Session frame -> handleSession(frame);
            case Frame.Done frame -> {
                messages++;
                exitCode = frame.exitCode();
            }
            case Frame.State frame -> {
                if (frame.isTerminated()) {
                    handleEnd(nowMs);
                }
            }
            case null, default -> throw new IllegalStateException(numbered.type() + " does not concern the tree");
        }
    }

    /** Frames up to that one will not come. */
    void handleGap(long seq) {
        lastSeq = Math.max(lastSeq, seq);
        complete = false;
    }

    private void handleSubAgent(Frame.SubAgent frame, long nowMs) {
        AgentNode node = node(frame.agentId());
        if (node == null || node == main) {
            framesLeftOut++;
            return;
        }
        boolean fromEgress = frame.source() != null;
        String parentId = frame.parentId();
        place(
                node,
                parentId,
                fromEgress
                        ? AgentNode.Place.READ_OFF
                        : parentId == null ? AgentNode.Place.TOLD : AgentNode.Place.TOLD_PARENT);
        if (frame.status() != null) {
            node.become(AgentStatus.valueOf(frame.status().name()), nowMs);
        }
        if (!fromEgress) {
            node.setBackground(frame.background() != null && frame.background());
        }
        keep(node, "session_id", frame.sessionId());
        keep(node, "parent_tool_id", frame.parentToolId());
        keep(node, "subagent_type", frame.subagentType());
        keep(node, "prompt", frame.prompt());
        keep(node, "summary", frame.summary());
        keep(node, "error", frame.error());
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

    private void handleUsage(Frame.Usage frame) {
        AgentNode node = frame.agent() == null ? main : node(frame.agent());
        if (node == null) {
            framesLeftOut++;
        } else {
            node.addUsage(frame);
        }
        if (frame.source() != null && frame.cost() != null && frame.cost() > 0) {
            spent += frame.cost();
        }
    }

    private void handleSession(Frame.Session frame) {
        keep(main, "session_id", frame.sessionId());
        keep(main, "agent", frame.agent());
        keep(main, "agent_version", frame.agentVersion());
        keep(main, "model", frame.model());
    }

    /** The stream ended: agents without a final status are lost. */
    private void handleEnd(long nowMs) {
        main.become(
                exitCode == null ? AgentStatus.LOST : exitCode == 0 ? AgentStatus.COMPLETED : AgentStatus.FAILED,
                nowMs);
        nodes.values().stream()
                .filter(node -> node.status().lives())
                .forEach(node -> node.become(AgentStatus.LOST, nowMs));
    }

    /** The node of that id, created if needed; null if there is no room. The session's id names the agent itself. */
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

    /** Sets or replaces a text of a node, as far as there is room. */
    private void keep(AgentNode node, String name, @Nullable String text) {
        if (text == null) {
            return;
        }
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

    /** What is used up of the session's own budget; null without one. */
    @Nullable
    BudgetView budget() {
        return budget == null ? null : budget.atLeast(spent);
    }

    /** The total usage; null if unknown. */
    @Nullable
    TokenUsage usage() {
        TokenCount all = new TokenCount();
        all.add(main.tokens());
        nodes.values().forEach(node -> all.add(node.tokens()));
        return all.usage();
    }

    /**
     * The identity of the tree, for its view.
     *
     * @param agent name of the agent profile
     * @param lastSeq up to which the stream was read
     */
    public record Owner(
            String spawnId,
            String taskId,
            String agent,
            @Nullable String host,
            SpawnState state,
            SpawnActivity activity,
            String epoch,
            long lastSeq) {}

    /** The client's view: the agent itself, its sub-agents below their parents, and what is left out. */
    public TreeView view(Owner owner) {
        List<Placed> placed = inOrder();
        int deepest = placed.stream().mapToInt(Placed::depth).max().orElse(0);
        return new TreeView(
                owner.spawnId(),
                owner.taskId(),
                owner.agent(),
                owner.host(),
                owner.state(),
                owner.activity(),
                owner.epoch(),
                owner.lastSeq(),
                main.viewOfMain(messages),
                placed.stream().map(one -> one.node().view(one.depth())).toList(),
                new TreeView.Counts(
                        nodes.size(),
                        count(AgentStatus.SPAWNED) + count(AgentStatus.RUNNING),
                        count(AgentStatus.COMPLETED),
                        count(AgentStatus.FAILED),
                        count(AgentStatus.KILLED),
                        count(AgentStatus.LOST),
                        deepest),
                complete && framesLeftOut == 0,
                new TreeView.LeftOut(framesLeftOut, textsCut));
    }

    private long count(AgentStatus status) {
        return nodes.values().stream().filter(node -> node.status() == status).count();
    }

    /** A sub-agent and its depth, 1 below the agent itself. */
    private record Placed(AgentNode node, int depth) {}

    /** Every sub-agent after its parent, siblings by first mention. A tree may be as deep as it has nodes. */
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
