package brig.gateway.telemetry;

import java.util.Locale;

/** The transport of a subscriber. */
public enum Transport {
    UNIX,
    WEBSOCKET,
    SSE,
    /** An answer in the form of a model's. */
    MODEL,
    /** Internal, such as the recorder: not a subscriber. */
    NONE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
