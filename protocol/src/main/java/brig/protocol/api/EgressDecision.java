package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** What a person says to a network request. */
public enum EgressDecision implements WireName {
    /** From now on, in this session. */
    ALLOW,
    /** This request only. */
    ONCE,
    /** From now on, in the policy. */
    SAVE,
    DENY,
    /** A secret is not put in any more. */
    REVOKE;

    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
