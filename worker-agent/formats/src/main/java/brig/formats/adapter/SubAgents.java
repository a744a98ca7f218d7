package brig.formats.adapter;

import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sub-agents of one process, from its own words, and the frames that tell them. Each frame repeats where the
 * sub-agent belongs, so that a tree can be drawn from what is left of a long stream. Agents may announce a sub-agent
 * before they say who started it: it is told at once, below the agent itself, and again when its parent is known.
 * Owned by the thread that reads standard output.
 */
public final class SubAgents {
    /**
     * Where a sub-agent comes from.
     *
     * @param id the agent's own, as chunks and tool calls name it in {@code agent}
     * @param session the session that it has, or that it is part of
     * @param parent the sub-agent that started it; null for the agent itself
     * @param parentTool the tool call that started it
     * @param depth 1 for one that the agent itself started; counts only while its parent is not known
     * @param background whether its parent goes on meanwhile
     */
    public record Origin(
            String id,
            @Nullable String session,
            @Nullable String parent,
            @Nullable String parentTool,
            @Nullable String type,
            @Nullable String prompt,
            long depth,
            boolean background) {
        /** The same, with what a later word about it adds. What was said before stays. */
        Origin with(Origin later) {
            return new Origin(
                    id,
                    session == null ? later.session : session,
                    parent == null ? later.parent : parent,
                    parentTool == null ? later.parentTool : parentTool,
                    type == null ? later.type : type,
                    prompt == null ? later.prompt : prompt,
                    Math.max(depth, later.depth),
                    background || later.background);
        }

        Origin below(@Nullable String newParent) {
            return new Origin(id, session, newParent, parentTool, type, prompt, depth, background);
        }
    }

    private static final int KNOWN_MAX = 4096;
    private static final int PROMPT_BYTES_MAX = 16 * 1024;
    private static final int SUMMARY_BYTES_MAX = 8 * 1024;

    private record Known(Origin origin, Status status) {
        boolean lives() {
            return status.lives();
        }
    }

    private final AgentFrames frames;
    /** By id. */
    private final Map<String, Known> known = new Newest<>();
    /** The sub-agents that made tool calls, by call. */
    private final Map<String, String> callers = new Newest<>();

    /** An agent that starts sub-agents without end is not remembered without end. */
    private static final class Newest<T> extends LinkedHashMap<String, T> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
            return size() > KNOWN_MAX;
        }
    }

    public SubAgents(AgentFrames frames) {
        this.frames = frames;
    }

    /** There is a new one, or more is known of one: it is told again only where that says more of its place. */
    public void spawned(Origin origin) throws InterruptedException {
        Known before = known.get(origin.id());
        Origin merged = before == null ? origin : before.origin().with(origin);
        if (merged.parent() == null && merged.parentTool() != null) {
            merged = merged.below(callers.get(merged.parentTool()));
        }
        if (merged.parent() != null && isWithin(merged.parent(), origin.id())) {
            merged = merged.below(null);
        }
        if (before == null || !merged.equals(before.origin())) {
            Status status = before == null ? Status.SPAWNED : before.status();
            known.put(origin.id(), new Known(merged, status));
            boolean prompted = before != null && before.origin().prompt() != null;
            tell(merged, status, prompted ? null : merged.prompt(), null, null);
        }
    }

    /** A sub-agent made that tool call: what the call starts, or has started, is below it. */
    public void called(@Nullable String agent, String tool) throws InterruptedException {
        if (agent != null) {
            callers.put(tool, agent);
            String id = ofTool(tool);
            Known started = id == null ? null : known.get(id);
            if (started != null) {
                spawned(started.origin());
            }
        }
    }

    /** Whether that one is the other, or below it. No circle is ever known. */
    private boolean isWithin(String id, String other) {
        @Nullable String at = id;
        while (at != null && !at.equals(other)) {
            Known agent = known.get(at);
            at = agent == null ? null : agent.origin().parent();
        }
        return at != null;
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

    /** The same where one that was never seen at work is left as it is: nobody can say what became of it. */
    public void runningKilled() throws InterruptedException {
        for (Known agent : List.copyOf(known.values())) {
            if (agent.status() == Status.RUNNING) {
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

    /** Its depth, 0 for the agent itself: one more than that of its parent, as far up as they are known. */
    public long depth(@Nullable String id) {
        long above = 0;
        for (Known agent = id == null ? null : known.get(id); agent != null; above++) {
            String parent = agent.origin().parent();
            Known next = parent == null ? null : known.get(parent);
            if (next == null) {
                return above + agent.origin().depth();
            }
            agent = next;
        }
        return 0;
    }

    private void become(Known agent, Status status, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        known.put(agent.origin().id(), new Known(agent.origin(), status));
        tell(agent.origin(), status, null, summary, error);
    }

    private void tell(
            Origin origin, Status status, @Nullable String prompt, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        frames.put(new Frame.SubAgent(
                null,
                origin.id(),
                origin.session(),
                origin.parent(),
                origin.parentTool(),
                prompt == null ? null : FrameText.cut(prompt, PROMPT_BYTES_MAX),
                origin.type(),
                depth(origin.id()),
                status,
                origin.background(),
                summary == null ? null : FrameText.cut(summary, SUMMARY_BYTES_MAX),
                error == null ? null : FrameText.cut(error, SUMMARY_BYTES_MAX),
                0));
    }
}
