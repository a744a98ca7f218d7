package brig.gateway.app;

import brig.gateway.config.Paths;
import brig.gateway.store.Recovery;
import brig.protocol.SpawnState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes the database of a gateway that does not run anew, where it is damaged.
 *
 * <p>Decision 0130.
 */
public final class StateRecovery {
    private StateRecovery() {}

    /**
     * What came of it.
     *
     * @param damaged whether it was; what follows is null where not
     * @param aside where the damaged one is now
     * @param kept how many spawns were taken over from its rows
     * @param rebuilt how many were made of their streams alone
     */
    public record Done(
            String database,
            boolean damaged,
            @Nullable String aside,
            @Nullable Integer kept,
            @Nullable Integer rebuilt) {}

    /**
     * Does it.
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
