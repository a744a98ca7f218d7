package brig.protocol.spawn;

import brig.protocol.WireName;
import java.util.Locale;

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

    /** Whether it lets an agent do more than the other. */
    public boolean isWiderThan(PermissionMode other) {
        return compareTo(other) < 0;
    }
}
