package brig.gateway.telemetry;

import java.util.Locale;

/** How a reader is reached. */
public enum Transport {
    UNIX,
    WEBSOCKET,
    SSE,
    /** An answer in the form of a model's. */
    MODEL,
    /** One of Brig's own, such as the recorder: no subscriber. */
    NONE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
