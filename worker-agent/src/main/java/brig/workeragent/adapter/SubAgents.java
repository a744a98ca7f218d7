package brig.workeragent.adapter;

import brig.protocol.FrameType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sub-agents of one process, from its own words, and the frames that tell them. Each frame repeats where the
 * sub-agent belongs, so that a tree can be drawn from what is left of a long stream. Owned by the thread that reads
 * standard output.
 */
public final class SubAgents {
    public enum Status { SPAWNED, RUNNING, COMPLETED, FAILED, KILLED }

    /**
     * Where a sub-agent comes from.
     *
     * @param id the agent's own, as chunks and tool calls name it in {@code agent}
     * @param session the session that it has, or that it is part of
     * @param parent the sub-agent that started it; null for the agent itself
     * @param parentTool the tool call that started it
     * @param depth 1 for one that the agent itself started
     * @param background whether its parent goes on meanwhile
     */
    public record Origin(String id, @Nullable String session, @Nullable String parent, @Nullable String parentTool,
            @Nullable String type, @Nullable String prompt, long depth, boolean background) {}

    private static final int KNOWN_MAX = 4096;
    private static final int PROMPT_BYTES_MAX = 16 * 1024;
    private static final int SUMMARY_BYTES_MAX = 8 * 1024;

    private record Known(Origin origin, Status status) {
        boolean lives() {
            return status == Status.SPAWNED || status == Status.RUNNING;
        }
    }

    private final AgentFrames frames;
    /** By id; an agent that starts sub-agents without end is not remembered without end. */
    private final Map<String, Known> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > KNOWN_MAX;
        }
    };

    public SubAgents(AgentFrames frames) {
        this.frames = frames;
    }

    /** There is a new one. What is known already is told once only. */
    public void spawned(Origin origin) throws InterruptedException {
        if (!known.containsKey(origin.id())) {
            known.put(origin.id(), new Known(origin, Status.SPAWNED));
            tell(origin, Status.SPAWNED, null, null);
        }
    }

    public boolean knows(@Nullable String id) {
        return id != null && known.containsKey(id);
    }

    /** It does something. */
    public void active(String id) throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && agent.status() == Status.SPAWNED) {
            become(agent, Status.RUNNING, null, null);
        }
    }

    /** It was at its end, and goes on. */
    public void resumed(String id) throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && !agent.lives()) {
            become(agent, Status.RUNNING, null, null);
        }
    }

    /**
     * It is at its end. Told again only where there is more to tell.
     *
     * @param summary what it reported to its parent
     */
    public void ended(String id, Status status, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && (agent.lives() || summary != null)) {
            become(agent, agent.lives() ? status : agent.status(), summary, error);
        }
    }

    /** The process is going down, and nobody can say more of those that live. */
    public void allKilled() throws InterruptedException {
        for (Known agent : List.copyOf(known.values())) {
            if (agent.lives()) {
                become(agent, Status.KILLED, null, null);
            }
        }
    }

    /** Those that live. */
    public List<Origin> living() {
        return known.values().stream().filter(Known::lives).map(Known::origin).toList();
    }

    /** The id of the one that a tool call started, null where none did. */
    public @Nullable String ofTool(@Nullable String tool) {
        if (tool == null) {
            return null;
        }
        for (Known agent : known.values()) {
            if (tool.equals(agent.origin().parentTool())) {
                return agent.origin().id();
            }
        }
        return null;
    }

    /** Its depth, 0 for the agent itself. */
    public long depth(@Nullable String id) {
        Known agent = id == null ? null : known.get(id);
        return agent == null ? 0 : agent.origin().depth();
    }

    private void become(Known agent, Status status, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        known.put(agent.origin().id(), new Known(agent.origin(), status));
        tell(agent.origin(), status, summary, error);
    }

    private void tell(Origin origin, Status status, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        String prompt = status == Status.SPAWNED ? origin.prompt() : null;
        frames.put(FrameType.SUBAGENT, AgentFrames.fields("agent_id", origin.id(), "session_id", origin.session(),
                "parent_id", origin.parent(), "parent_tool_id", origin.parentTool(),
                "prompt", prompt == null ? null : Text.cut(prompt, PROMPT_BYTES_MAX), "subagent_type", origin.type(),
                "depth", origin.depth(), "status", status.name().toLowerCase(Locale.ROOT), "background", origin.background(),
                "summary", summary == null ? null : Text.cut(summary, SUMMARY_BYTES_MAX),
                "error", error == null ? null : Text.cut(error, SUMMARY_BYTES_MAX)));
    }
}
