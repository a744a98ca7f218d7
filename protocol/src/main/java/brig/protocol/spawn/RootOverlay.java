package brig.protocol.spawn;

import brig.protocol.BrigException;
import brig.protocol.WireName;
import java.util.Locale;

/** What becomes of what a session writes into its root, the strictest first. */
public enum RootOverlay implements WireName {
    /** The root is read-only. */
    NONE,
    /** It can be written, and what was written goes with the session. */
    DISCARD,
    /** It can be written, and the next session of the captain's project finds it. */
    KEEP;

    /** @throws BrigException {@code INVALID_FIELD} */
    public static RootOverlay of(String field, String text) {
        for (RootOverlay one : values()) {
            if (one.wireName().equals(text)) {
                return one;
            }
        }
        throw BrigException.invalid(field, "must be none, discard or keep");
    }

    /** What a person should know of such a root. */
    public String words() {
        return switch (this) {
            case NONE -> "read-only";
            case DISCARD -> "writable: what is written goes with the session";
            case KEEP -> "writable: kept from earlier sessions of the project, and for later ones";
        };
    }

    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
