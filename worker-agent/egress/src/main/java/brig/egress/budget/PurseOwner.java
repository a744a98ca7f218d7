package brig.egress.budget;

/** @param name a spawn id, or a captain; empty for a day */
public record PurseOwner(Kind kind, String name) {
    /** Whose purse it is. */
    public enum Kind {
        SESSION,
        CAPTAIN,
        DAY
    }
}
