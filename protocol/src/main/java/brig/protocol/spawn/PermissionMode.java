package brig.protocol.spawn;

import brig.protocol.BrigException;
import brig.protocol.WireName;
import java.util.Locale;
import java.util.stream.Stream;

/** What happens to an agent's requests to use tools, the widest first. */
public enum PermissionMode implements WireName {
    ALLOW,
    /** A person decides. */
    ASK,
    DENY;

    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The mode with that wire name. @throws BrigException {@code INVALID_FIELD} */
    public static PermissionMode of(String field, String name) {
        return Stream.of(values())
                .filter(mode -> mode.wireName().equals(name))
                .findFirst()
                .orElseThrow(() -> BrigException.invalid(field, "must be allow, ask or deny"));
    }

    /** Whether it lets an agent do more than the other. */
    public boolean isWiderThan(PermissionMode other) {
        return compareTo(other) < 0;
    }
}
