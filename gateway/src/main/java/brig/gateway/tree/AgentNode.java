package brig.gateway.tree;

import brig.protocol.api.AgentStatus;
import brig.protocol.api.TreeView;
import brig.protocol.frame.Frame;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One agent of a tree: the session's own, which has no id, or a sub-agent. */
final class AgentNode {
    /** How sure it is where it belongs. A surer word moves it; that it has this parent is never taken back. */
    enum Place {
        /** Only others name it. */
        UNKNOWN,
        /** Its requests to the model say so. */
        READ_OFF,
        /** The agent says so, and names no parent: it may not know it yet. */
        TOLD,
        /** The agent names its parent. */
        TOLD_PARENT
    }

    private final String id;
    private @Nullable AgentNode parent;
    private Place place = Place.UNKNOWN;
    private AgentStatus status = AgentStatus.UNKNOWN;
    private boolean background;
    private long startedMs;
    private long endedMs;
    /** What the agent says of it, in the words of its frames: its type, its prompt, what it reported. */
    private final Map<String, String> texts = new LinkedHashMap<>();

    private final TokenCount told = new TokenCount();
    /** The same as brig-egress saw it, which counts where the agent says nothing. */
    private final TokenCount readOff = new TokenCount();

    AgentNode(String id, @Nullable AgentNode parent) {
        this.id = id;
        this.parent = parent;
    }

    String id() {
        return id;
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

    /** Whether it is that one, or below it. */
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

    /** A frame says how it fares. That it was spawned is old news of one that was seen at work. */
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

    /** The text of that name that it has, "" for none. */
    String text(String name) {
        return texts.getOrDefault(name, "");
    }

    void setText(String name, String text) {
        texts.put(name, text);
    }

    void addUsage(Frame.Usage usage) {
        (usage.source() == null ? told : readOff).add(usage);
    }

    /** What it cost: by its own word, or else as read off its requests. */
    TokenCount tokens() {
        return told.isEmpty() ? readOff : told;
    }

    /** What is known of the agent itself. */
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

    /** What is known of a sub-agent, so far below the agent itself. */
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
