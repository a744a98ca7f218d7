package brig.gateway.stream;

import brig.protocol.json.Fields;
import brig.protocol.wire.FrameOwner;
import org.jspecify.annotations.Nullable;

/**
 * What a reader gets that wants one agent of a session only: the frames of that agent, and how the whole fares. What it
 * does not get is no gap: it did not ask for it. Frames keep their numbers, so that it resumes as any other reader does.
 *
 * <p>Decision 0068.
 */
public final class AgentFilter {
    /** No agent has a longer id. */
    private static final int ID_CHARS_MAX = 512;

    private final String agent;

    private AgentFilter(String agent) {
        this.agent = agent;
    }

    /** @return null where no agent is named: all frames are wanted. @throws brig.protocol.BrigException {@code INVALID_FIELD} */
    public static @Nullable AgentFilter read(@Nullable String agent) {
        if (agent == null) {
            return null;
        }
        if (agent.isEmpty() || agent.length() > ID_CHARS_MAX) {
            throw Fields.invalid("agent", "must be the agent_id of a sub-agent, or \"" + FrameOwner.MAIN + "\"");
        }
        return new AgentFilter(agent);
    }

    boolean passes(byte[] line, int offset, int length) {
        return FrameOwner.read(line, offset, length).isFor(agent);
    }
}
