package brig.gateway.app;

import brig.gateway.config.Paths;
import brig.gateway.store.Recovery;
import brig.protocol.SpawnState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds the damaged database of a gateway that is not running.
 *
 * <p>Decision 0130.
 */
public final class StateRecovery {
    private StateRecovery() {}

    /**
     * The result of a recovery.
     *
     * @param damaged whether it was damaged; if not, the following are null
     * @param aside the new place of the damaged database
     * @param kept number of spawns recovered from its rows
     * @param rebuilt number of spawns recovered from their streams alone
     */
    public record Done(
            String database,
            boolean damaged,
            @Nullable String aside,
            @Nullable Integer kept,
            @Nullable Integer rebuilt) {}

    /**
     * Runs the recovery.
     *
     * @throws brig.protocol.BrigException {@code ALREADY_RUNNING} while a gateway works there, {@code RECORD_LOST}
     */
    public static Done run(Paths paths) {
        StateLock lock = StateLock.take(Paths.makePassable(paths.state()));
        try {
            Recovery.Outcome outcome = new Recovery(
                            paths.database(),
                            paths.streams(),
                            name -> Arrays.stream(SpawnState.values())
                                    .anyMatch(state -> state.name().equals(name)))
                    .run(System.currentTimeMillis());
            String database = paths.database().toString();
            return outcome.aside() == null
                    ? new Done(database, false, null, null, null)
                    : new Done(database, true, outcome.aside().toString(), outcome.kept(), outcome.rebuilt());
        } finally {
            lock.close();
        }
    }
}
