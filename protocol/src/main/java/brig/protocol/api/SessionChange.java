package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import java.util.List;

/** What a client that follows sessions is told. */
@Tagged("type")
@Extensible
public sealed interface SessionChange {
    /**
     * The sessions, newest first, which replace all that the client knows.
     *
     * @param sessions the first of them; any others follow in {@link SessionsChanged}
     * @param more whether older ones that ended are left out
     */
    record Sessions(List<SpawnView> sessions, @OmitEmpty boolean more) implements SessionChange {}

    /**
     * Some sessions are new, or other than before.
     *
     * @param sessions as they are now, also those that ended
     * @param removed the spawn_ids of those that are no longer known
     */
    record SessionsChanged(List<SpawnView> sessions, List<String> removed) implements SessionChange {}

    /** Its type on the wire. */
    default String type() {
        return switch (this) {
            case Sessions _ -> "sessions";
            case SessionsChanged _ -> "sessions_changed";
        };
    }
}
