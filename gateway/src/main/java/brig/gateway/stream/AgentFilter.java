package brig.gateway.stream;

import brig.protocol.BrigException;
import brig.protocol.wire.FrameOwner;
import org.jspecify.annotations.Nullable;

/**
 * Selects the frames for a subscriber to one agent: that agent's frames, and those about the whole session. Filtered
 * frames are not reported as a gap. Frames keep their numbers, so that resuming works as for any subscriber.
 *
 * <p>Decision 0068.
 */
public final class AgentFilter {
    /** Maximum length of an agent id. */
    private static final int ID_CHARS_MAX = 512;

    private final String agent;

    private AgentFilter(String agent) {
        this.agent = agent;
    }

    /** @return null if no agent is named: all frames. @throws brig.protocol.BrigException {@code INVALID_FIELD} */
    public static @Nullable AgentFilter read(@Nullable String agent) {
        if (agent == null) {
            return null;
        }
        if (agent.isEmpty() || agent.length() > ID_CHARS_MAX) {
            throw BrigException.invalid("agent", "must be the agent_id of a sub-agent, or \"" + FrameOwner.MAIN + "\"");
        }
        return new AgentFilter(agent);
    }

    boolean passes(byte[] line, int offset, int length) {
        return FrameOwner.read(line, offset, length).isFor(agent);
    }
}
