package brig.gateway.tree;

import brig.protocol.api.AgentStatus;
import brig.protocol.api.TreeView;
import brig.protocol.frame.Frame;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One agent of a tree: the session's own, which has no id, or a sub-agent. */
final class AgentNode {
    /** How certain its place is. A more certain source moves it; a parent that the agent named is final. */
    enum Place {
        /** Only others name it. */
        UNKNOWN,
        /** Derived from its requests to the model. */
        READ_OFF,
        /** Reported by the agent without a parent, which it may not know yet. */
        TOLD,
        /** Reported by the agent with its parent. */
        TOLD_PARENT
    }

    private final String id;
    private @Nullable AgentNode parent;
    private Place place = Place.UNKNOWN;
    private AgentStatus status = AgentStatus.UNKNOWN;
    private boolean background;
    private long startedMs;
    private long endedMs;
    /** Texts that the agent reports about it: its type, its prompt, its report. */
    private final Map<String, String> texts = new LinkedHashMap<>();

    private final TokenCount told = new TokenCount();
    /** The usage measured by brig-egress, used if the agent reports none. */
    private final TokenCount readOff = new TokenCount();

    AgentNode(String id, @Nullable AgentNode parent) {
        this.id = id;
        this.parent = parent;
    }

    @Nullable
    AgentNode parent() {
        return parent;
    }

    Place place() {
        return place;
    }

    void move(AgentNode newParent, Place newPlace) {
        parent = newParent;
        place = newPlace;
    }

    /** Whether it is that node, or below it. */
    boolean isWithin(AgentNode other) {
        @Nullable AgentNode at = this;
        while (at != null && at != other) {
            at = at.parent;
        }
        return at == other;
    }

    AgentStatus status() {
        return status;
    }

    /** A frame gave its status. {@code SPAWNED} does not replace a later status. */
    void become(AgentStatus next, long nowMs) {
        startedMs = startedMs == 0 ? nowMs : startedMs;
        if (next == AgentStatus.SPAWNED && status != AgentStatus.UNKNOWN) {
            return;
        }
        if (next.lives()) {
            endedMs = 0;
        } else if (endedMs == 0) {
            endedMs = nowMs;
        }
        status = next;
    }

    void setBackground(boolean goesOnMeanwhile) {
        background = goesOnMeanwhile;
    }

    /** The text of that name, "" for none. */
    String text(String name) {
        return texts.getOrDefault(name, "");
    }

    void setText(String name, String text) {
        texts.put(name, text);
    }

    void addUsage(Frame.Usage usage) {
        (usage.source() == null ? told : readOff).add(usage);
    }

    /**
     * Its usage as the agent reports it, else as brig-egress measured it. An agent that reports no cost has that of
     * brig-egress.
     */
    TokenCount tokens() {
        return told.isEmpty() ? readOff : told.orAtCostOf(readOff);
    }

    /** The view of the session's own agent. */
    TreeView.Main viewOfMain(int messages) {
        return new TreeView.Main(
                status,
                startedMs,
                endedMs,
                texts.get("session_id"),
                texts.get("agent"),
                texts.get("agent_version"),
                texts.get("model"),
                tokens().usage(),
                messages);
    }

    /** The view of a sub-agent at that depth. */
    TreeView.SubAgent view(int depth) {
        return new TreeView.SubAgent(
                id,
                parent == null || parent.parent == null ? null : parent.id,
                place == Place.UNKNOWN,
                depth,
                background,
                status,
                startedMs,
                endedMs,
                texts.get("session_id"),
                texts.get("parent_tool_id"),
                texts.get("subagent_type"),
                texts.get("prompt"),
                texts.get("summary"),
                texts.get("error"),
                tokens().usage());
    }
}
