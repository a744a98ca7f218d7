package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** The operator's switch that permits or stops new workers. */
public enum PoolState implements WireName {
    OPEN,
    /** No worker is started; requests may wait. */
    PAUSED,
    /** No worker is started and no request waits; running workers continue to their end. */
    DRAINING,
    /** Like {@code DRAINING}, but final: the gateway is stopping. */
    CLOSED;

    /** The value of {@code pool} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
