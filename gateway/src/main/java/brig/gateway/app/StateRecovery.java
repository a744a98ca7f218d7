package brig.gateway.app;

import brig.gateway.config.Paths;
import brig.gateway.store.Recovery;
import brig.protocol.SpawnState;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the database of a gateway that does not run anew, where it is damaged.
 *
 * <p>Decision 0130.
 */
public final class StateRecovery {
    private StateRecovery() {}

    /**
     * Does it, and says what came of it: {@code damaged}, and where it was {@code aside}, {@code kept} and {@code
     * rebuilt} as {@link Recovery.Outcome} has them.
     *
     * @throws brig.protocol.BrigException {@code ALREADY_RUNNING} while a gateway works there, {@code RECORD_LOST}
     */
    public static Map<String, @Nullable Object> run(Paths paths) {
        StateLock lock = StateLock.take(Paths.makePassable(paths.state()));
        try {
            Recovery.Outcome outcome = new Recovery(
                            paths.database(),
                            paths.streams(),
                            name -> Arrays.stream(SpawnState.values())
                                    .anyMatch(state -> state.name().equals(name)))
                    .run(System.currentTimeMillis());
            Map<String, @Nullable Object> said = new LinkedHashMap<>();
            said.put("database", paths.database().toString());
            said.put("damaged", outcome.aside() != null);
            if (outcome.aside() != null) {
                said.put("aside", outcome.aside().toString());
                said.put("kept", outcome.kept());
                said.put("rebuilt", outcome.rebuilt());
            }
            return said;
        } finally {
            lock.close();
        }
    }
}
