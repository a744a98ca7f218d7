package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.control.Posture;
import brig.protocol.frame.TokenUsage;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as lists and answers show it: {@code view} in PROTOCOL.md, section 4.1. Times in milliseconds since 1970, 0 for
 * what has not happened.
 *
 * @param taskId the captain's name for it, or the spawn_id
 * @param sessionId the agent's own id; null until it is known
 * @param requestId what repetitions of its request are known by
 * @param project what the work belongs to, empty for none
 * @param provider who runs its worker
 * @param agent name of the agent profile
 * @param throttled its worker is held back, for a tethered reader is slow
 * @param workspace the folder that it works in, empty until that is known
 * @param exit how a process of the agent ended last
 * @param epoch of its stream, whose frames from {@code firstSeq} to {@code lastSeq} are there
 * @param readers how many follow the stream
 * @param lastError {@code CODE: message}
 * @param givenUp where its worker may live although nobody knows
 * @param status whether it can be talked to; in lists only
 * @param usage what its agents cost together; in lists only, and where it is known
 * @param posture what its wall enforces; in the view of one spawn only
 */
@Extensible
public record SpawnView(
        String spawnId,
        String taskId,
        @WriteNull @Nullable String sessionId,
        @Nullable String requestId,
        @Nullable String project,
        String provider,
        String agent,
        SpawnState state,
        SpawnActivity activity,
        @OmitEmpty boolean throttled,
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
        @Nullable Posture posture) {

    /**
     * How a process of an agent ended.
     *
     * @param signal the name of the signal that ended it
     * @param reason why it was ended, where it did not end by itself
     */
    @Extensible
    public record Exit(
            int exitCode, @Nullable String signal, @Nullable String reason) {}

    /** @param providerRuntimeAlive whether the provider has the worker; null where it does not say */
    public record GivenUp(@WriteNull @Nullable Boolean providerRuntimeAlive) {}

    /** The same as a list shows it. */
    public SpawnView listed(SessionStatus newStatus, @Nullable TokenUsage newUsage) {
        return with(newStatus, newUsage, posture);
    }

    /** The same with what its wall enforces, where that is known. */
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
                provider,
                agent,
                state,
                activity,
                throttled,
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
                newPosture);
    }
}
