package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** Whether workers are started: an operator's switch. */
public enum PoolState implements WireName {
    OPEN,
    /** Nothing is started; who wants to wait, waits. */
    PAUSED,
    /** Nothing is started and nobody waits: what runs comes to its end. */
    DRAINING,
    /** As draining, for good: the gateway stops. */
    CLOSED;

    /** The value of {@code pool} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
