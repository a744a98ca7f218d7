package brig.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a spawn.
 *
 * @param sessionId the agent's own id, of several spawns where it went on with one session; null until the agent
 * reported it
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
     * Who asked for what.
     *
     * @param requestId what repetitions of the request are known by, null where it had none
     * @param project what it belongs to, empty for none
     * @param provider who runs its worker
     * @param captain who asked: {@code uid:<n>} or {@code admin}
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
     * How far it came.
     *
     * @param state name of a {@code SpawnState}
     * @param workspace the folder that the agent works in, empty until it is known
     * @param providerIds what its provider calls it, as JSON
     * @param posture what its wall was found to enforce, as JSON; null until that is known
     * @param exit how the agent's process ended last, as JSON; null until one did
     * @param lastError {@code CODE: message} without secrets, null where nothing went wrong
     */
    public record Course(
            String state,
            String workspace,
            String providerIds,
            @Nullable String posture,
            @Nullable String exit,
            @Nullable String lastError) {
        /** Where every spawn begins. */
        public static Course requested(String providerIds) {
            return new Course("REQUESTED", "", providerIds, null, null, null);
        }
    }

    /**
     * Milliseconds since 1970; 0 for what has not happened.
     *
     * @param createdMs it was asked for
     * @param runningMs its worker was up for the first time
     * @param updatedMs this record was written
     * @param endedMs it reached a final state
     */
    public record Times(long createdMs, long runningMs, long updatedMs, long endedMs) {}
}
