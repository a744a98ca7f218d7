package brig.workeragent.worker;

import java.util.Locale;

/** Why a worker ended: the {@code reason} of its last frame. */
public enum EndReason {
    /** Somebody asked for it. */
    REQUESTED,
    /** Its agent, or its only message, came to its end. */
    COMPLETED,
    /** It had nothing to do for too long. */
    IDLE_TIMEOUT,
    /** No captain was connected for as long as the spawn's lease says. */
    CAPTAIN_GONE,
    /** The worker-agent is being stopped. */
    SHUTDOWN,
    /** Its agent could not be started. */
    FAILED;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The reason of that name; a text that is none was a request by somebody with words of his own. */
    public static EndReason named(String text) {
        for (EndReason reason : values()) {
            if (reason.wireName().equals(text)) {
                return reason;
            }
        }
        return REQUESTED;
    }
}
