package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.frame.TokenUsage;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a session, derived from its frames. Times are milliseconds since 1970, or 0 if the event has not
 * happened.
 *
 * @param agent name of the agent profile
 * @param host the remote host of its worker; null for the gateway's own
 * @param epoch the epoch of the stream, read up to {@code lastSeq}
 * @param agents the sub-agents, each after its parent
 * @param complete whether every frame was available and understood
 */
@Extensible
public record TreeView(
        String spawnId,
        String taskId,
        String agent,
        @Nullable String host,
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
     * @param sessionId its own session id
     * @param agent the program it says it is
     * @param usage its total usage; null if unknown
     * @param messages number of completed messages
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
     * A sub-agent.
     *
     * @param parentId null if its parent is the session's own agent
     * @param unknownParent whether no frame names its parent
     * @param depth 1 directly below the session's own agent
     * @param background whether its parent continues meanwhile
     * @param parentToolId the tool call that started it
     * @param subagentType the kind of agent, in its parent's words
     * @param prompt its first prompt
     * @param summary its report
     * @param usage its usage; null if unknown
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

    /** The number of sub-agents in total and by status; those only spawned count as running. */
    @Extensible
    public record Counts(int agents, long running, long completed, long failed, long killed, long lost, int maxDepth) {}

    /**
     * What the tree leaves out.
     *
     * @param frames frames not understood, or dropped for lack of room
     * @param texts texts that were cut
     */
    @Extensible
    public record LeftOut(long frames, long texts) {}
}
