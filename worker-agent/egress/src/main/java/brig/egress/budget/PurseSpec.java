package brig.egress.budget;

import brig.protocol.record.OmitEmpty;
import java.time.Instant;
import java.time.ZoneOffset;

/**
 * A purse that requests of a worker are charged to.
 *
 * @param name of a session its spawn id
 * @param daily whether each day, in UTC, has a purse of its own
 */
public record PurseSpec(String name, Limit limit, @OmitEmpty boolean daily) {
    private static final String CAPTAIN = "captain:";
    private static final String DAY = "day";
    private static final char AT = '@';

    public static PurseSpec ofSession(String spawnId, Limit limit) {
        return new PurseSpec(spawnId, limit, false);
    }

    /** What all sessions of a captain may use up in a day. */
    public static PurseSpec ofCaptain(String captain, Limit limit) {
        return new PurseSpec(CAPTAIN + captain, limit, true);
    }

    /** What all sessions may use up in a day. */
    public static PurseSpec ofDay(Limit limit) {
        return new PurseSpec(DAY, limit, true);
    }

    /** The name of the purse at that time. */
    String nameAt(long ms) {
        return daily
                ? name + AT + Instant.ofEpochMilli(ms).atOffset(ZoneOffset.UTC).toLocalDate()
                : name;
    }

    /** Whose purse it is, by its name. */
    public static PurseOwner ownerOf(String purse) {
        int at = purse.lastIndexOf(AT);
        String whose = at < 0 ? purse : purse.substring(0, at);
        if (at >= 0 && whose.equals(DAY)) {
            return new PurseOwner(PurseOwner.Kind.DAY, "");
        }
        return at >= 0 && whose.startsWith(CAPTAIN)
                ? new PurseOwner(PurseOwner.Kind.CAPTAIN, whose.substring(CAPTAIN.length()))
                : new PurseOwner(PurseOwner.Kind.SESSION, purse);
    }
}
