package brig.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a spawn.
 *
 * @param request the request as JSON, {@link brig.protocol.SpawnRequest#toMap()}, without its prompt
 * @param captain who asked: {@code uid:<n>} or {@code admin}
 * @param workspace the folder that the agent works in, empty until it is known
 * @param state name of a {@code SpawnState}
 * @param captainHash SHA-256 of the captain token, in hexadecimal
 * @param watcherHash SHA-256 of the watcher token, in hexadecimal
 * @param createdMs when it was asked for, milliseconds since 1970
 * @param endedMs when it reached a final state, 0 before
 * @param lastError why it failed, null where it did not
 * @param posture what its wall was found to enforce, as JSON; null until that is known
 */
public record SpawnRecord(
        String spawnId,
        String taskId,
        String epoch,
        String request,
        String captain,
        String workspace,
        String state,
        String captainHash,
        String watcherHash,
        long createdMs,
        long endedMs,
        @Nullable String lastError,
        @Nullable String posture) {}
