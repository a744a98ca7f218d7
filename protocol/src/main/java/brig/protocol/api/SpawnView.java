package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.control.Posture;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.frame.TokenUsage;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as lists and answers show it: {@code view} in PROTOCOL.md, section 4.1. Times are milliseconds since 1970, or
 * 0 if the event has not happened.
 *
 * @param taskId the captain's name for it, or the spawn_id
 * @param sessionId the agent's own session id; null until it is known
 * @param requestId identifies repetitions of its request
 * @param project the project of the work, empty for none
 * @param parent the spawn_id of the session that it works for
 * @param forkedFrom where it began, if it is a fork; null otherwise
 * @param provider who runs its worker
 * @param host the name of the remote host that its worker is on; null for the gateway's own
 * @param agent name of the agent profile
 * @param percent how much of its repository is on its host, while that is brought there
 * @param asks how many asks of it wait for an answer
 * @param throttled whether its worker is paused because a tethered subscriber is slow
 * @param tty whether its agent is on a terminal
 * @param workspace its folder; empty until that is known
 * @param exit how the agent's last process ended
 * @param epoch the epoch of its stream; frames {@code firstSeq} to {@code lastSeq} are available
 * @param readers number of subscribers of the stream
 * @param lastError {@code CODE: message}
 * @param givenUp present if its worker may still be alive unnoticed
 * @param status whether it accepts messages; in lists only
 * @param usage the total usage of its agents; in lists only, if known
 * @param budget its own budget, if it has one and that is known
 * @param posture what its wall enforces; in the view of one spawn only
 */
@Extensible
public record SpawnView(
        String spawnId,
        String taskId,
        @WriteNull @Nullable String sessionId,
        @Nullable String requestId,
        @Nullable String project,
        @Nullable String parent,
        @Nullable ForkedFrom forkedFrom,
        String provider,
        @Nullable String host,
        String agent,
        SpawnState state,
        SpawnActivity activity,
        @Nullable Integer percent,
        @OmitEmpty int asks,
        @OmitEmpty boolean throttled,
        @OmitEmpty boolean tty,
        String workspace,
        String captain,
        long createdMs,
        @OmitEmpty long runningMs,
        @OmitEmpty long endedMs,
        @Nullable Exit exit,
        String epoch,
        long firstSeq,
        long lastSeq,
        int readers,
        @Nullable String lastError,
        @Flat @Nullable GivenUp givenUp,
        @Nullable SessionStatus status,
        @Nullable TokenUsage usage,
        @Nullable BudgetView budget,
        @Nullable Posture posture) {

    /**
     * How a process of the agent ended.
     *
     * @param signal the name of the signal that ended it
     * @param reason why Brig ended it; null if it ended by itself
     */
    @Extensible
    public record Exit(
            int exitCode, @Nullable String signal, @Nullable String reason) {}

    /** @param providerRuntimeAlive whether the provider still has the worker; null if it does not say */
    public record GivenUp(@WriteNull @Nullable Boolean providerRuntimeAlive) {}

    /** A copy for lists. */
    public SpawnView listed(SessionStatus newStatus, @Nullable TokenUsage newUsage) {
        return with(newStatus, newUsage, posture);
    }

    /** A copy with the posture of its wall, if known. */
    public SpawnView whole(@Nullable Posture newPosture) {
        return with(status, usage, newPosture);
    }

    private SpawnView with(
            @Nullable SessionStatus newStatus, @Nullable TokenUsage newUsage, @Nullable Posture newPosture) {
        return new SpawnView(
                spawnId,
                taskId,
                sessionId,
                requestId,
                project,
                parent,
                forkedFrom,
                provider,
                host,
                agent,
                state,
                activity,
                percent,
                asks,
                throttled,
                tty,
                workspace,
                captain,
                createdMs,
                runningMs,
                endedMs,
                exit,
                epoch,
                firstSeq,
                lastSeq,
                readers,
                lastError,
                givenUp,
                newStatus,
                newUsage,
                budget,
                newPosture);
    }
}
