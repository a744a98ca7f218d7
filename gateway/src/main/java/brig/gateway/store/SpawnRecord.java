package brig.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * The stored form of a spawn.
 *
 * @param sessionId the agent's own session id, shared by spawns that continued one session; null until reported
 * @param epoch of its stream
 */
public record SpawnRecord(
        String spawnId,
        String taskId,
        @Nullable String sessionId,
        String epoch,
        Origin origin,
        Hashes hashes,
        Course course,
        Times times) {
    /**
     * The request and its origin.
     *
     * @param requestId identifies repetitions of the request, null for none
     * @param project the project of the work, empty for none
     * @param provider who runs its worker
     * @param captain the requester: {@code uid:<n>} or {@code admin}
     * @param agent name of the agent profile
     * @param request the request as JSON, {@link brig.protocol.spawn.SpawnRequest#toMap()}, without its prompt
     */
    public record Origin(
            @Nullable String requestId,
            String project,
            String provider,
            String captain,
            String agent,
            String request) {}

    /** SHA-256 of its tokens, in hexadecimal. */
    public record Hashes(String captain, String watcher) {}

    /**
     * Its progress.
     *
     * @param state name of a {@code SpawnState}
     * @param workspace the agent's folder, empty until it is known
     * @param providerIds the provider's identifiers, as JSON
     * @param posture what its wall enforces, as JSON; null until known
     * @param exit how the agent's last process ended, as JSON; null for none
     * @param lastError {@code CODE: message} without secrets, null without an error
     */
    public record Course(
            String state,
            String workspace,
            String providerIds,
            @Nullable String posture,
            @Nullable String exit,
            @Nullable String lastError) {
        /** The initial state of every spawn. */
        public static Course requested(String providerIds) {
            return new Course("REQUESTED", "", providerIds, null, null, null);
        }
    }

    /**
     * Milliseconds since 1970, or 0 if the event has not happened.
     *
     * @param createdMs it was requested
     * @param runningMs its worker was first up
     * @param updatedMs this record was written
     * @param endedMs it reached a final state
     */
    public record Times(long createdMs, long runningMs, long updatedMs, long endedMs) {}
}
