package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.frame.TokenUsage;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a session, as its frames tell of them. Times in milliseconds since 1970, 0 for what has not happened.
 *
 * @param agent name of the agent profile
 * @param epoch of the stream that was read up to {@code lastSeq}
 * @param agents the sub-agents, each behind its parent
 * @param complete whether every frame was there and was understood
 */
@Extensible
public record TreeView(
        String spawnId,
        String taskId,
        String agent,
        SpawnState state,
        SpawnActivity activity,
        String epoch,
        long lastSeq,
        Main main,
        List<SubAgent> agents,
        Counts counts,
        boolean complete,
        LeftOut leftOut) {

    /**
     * The session's own agent.
     *
     * @param sessionId its own id
     * @param agent what program it says to be
     * @param usage what it cost; null where that is not known
     * @param messages how many it has worked off
     */
    @Extensible
    public record Main(
            AgentStatus status,
            @OmitEmpty long startedMs,
            @OmitEmpty long endedMs,
            @Nullable String sessionId,
            @Nullable String agent,
            @Nullable String agentVersion,
            @Nullable String model,
            @Flat @Nullable TokenUsage usage,
            int messages) {}

    /**
     * An agent that another one started.
     *
     * @param parentId null where the parent is the session's own agent
     * @param unknownParent frames name it, and none says whose it is
     * @param depth 1 below the session's own agent
     * @param background its parent goes on meanwhile
     * @param parentToolId the call of a tool that started it
     * @param subagentType the kind of agent, in its parent's words
     * @param prompt what it was told
     * @param summary what it reported
     * @param usage what it cost; null where that is not known
     */
    @Extensible
    public record SubAgent(
            String agentId,
            @Nullable String parentId,
            @OmitEmpty boolean unknownParent,
            int depth,
            boolean background,
            AgentStatus status,
            @OmitEmpty long startedMs,
            @OmitEmpty long endedMs,
            @Nullable String sessionId,
            @Nullable String parentToolId,
            @Nullable String subagentType,
            @Nullable String prompt,
            @Nullable String summary,
            @Nullable String error,
            @Flat @Nullable TokenUsage usage) {}

    /** How many sub-agents there are, in all and by how they fare; those that were only spawned run. */
    @Extensible
    public record Counts(int agents, long running, long completed, long failed, long killed, long lost, int maxDepth) {}

    /**
     * What is not in the tree.
     *
     * @param frames frames that were not understood, or for which there was no room
     * @param texts texts that were cut
     */
    @Extensible
    public record LeftOut(long frames, long texts) {}
}
