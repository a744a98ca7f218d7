package brig.formats.adapter;

import brig.protocol.NewestMap;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sub-agents of one process, as it reports them, and their frames. Each frame repeats the sub-agent's place, so
 * that a tree can be drawn from the rest of a truncated stream. Agents may announce a sub-agent before they name its
 * parent: its first frame then places it below the agent itself, and another follows once the parent is known. Owned by
 * the thread that reads standard output.
 */
public final class SubAgents {
    /**
     * The origin of a sub-agent.
     *
     * @param id the agent's own id, as in the field {@code agent} of chunks and tool calls
     * @param session its own session, or the one that it is part of
     * @param parent the sub-agent that started it; null for the agent itself
     * @param parentTool the tool call that started it
     * @param depth 1 if the agent itself started it; used only while its parent is unknown
     * @param background whether its parent continues meanwhile
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
        /** Adds the fields of a later report. Known fields stay unchanged. */
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
    /** Sub-agents by id. */
    private final Map<String, Known> known = new NewestMap<>(KNOWN_MAX);
    /** The calling sub-agent of each tool call, by call. */
    private final Map<String, String> callers = new NewestMap<>(KNOWN_MAX);

    public SubAgents(AgentFrames frames) {
        this.frames = frames;
    }

    /** Reports a new sub-agent, or one of which more is known; the latter only if its place changes. */
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

    /** A sub-agent made that tool call: whatever the call starts or has started is below it. */
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

    /** Whether the first is the second, or below it. Used to keep the tree free of cycles. */
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

    /** The sub-agent is active. */
    public void active(String id) throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && agent.status() == Status.SPAWNED) {
            become(agent, Status.RUNNING, null, null);
        }
    }

    /** An ended sub-agent continues. */
    public void resumed(String id) throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && !agent.lives()) {
            become(agent, Status.RUNNING, null, null);
        }
    }

    /**
     * The sub-agent ended. A repeated end is reported only if it says more.
     *
     * @param summary its report to its parent
     */
    public void ended(String id, Status status, @Nullable String summary, @Nullable String error)
            throws InterruptedException {
        Known agent = known.get(id);
        if (agent != null && (agent.lives() || summary != null)) {
            become(agent, agent.lives() ? status : agent.status(), summary, error);
        }
    }

    /** The process ends: all living sub-agents count as killed. */
    public void allKilled() throws InterruptedException {
        for (Known agent : List.copyOf(known.values())) {
            if (agent.lives()) {
                become(agent, Status.KILLED, null, null);
            }
        }
    }

    /** The same, except for sub-agents that were never seen active: their fate is unknown. */
    public void runningKilled() throws InterruptedException {
        for (Known agent : List.copyOf(known.values())) {
            if (agent.status() == Status.RUNNING) {
                become(agent, Status.KILLED, null, null);
            }
        }
    }

    /** The living sub-agents. */
    public List<Origin> living() {
        return known.values().stream().filter(Known::lives).map(Known::origin).toList();
    }

    /** The id of the sub-agent that a tool call started; null if there is none. */
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

    /** Its depth: 0 for the agent itself, else one more than its parent's, as far as parents are known. */
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
