package brig.workeragent.worker;

import java.util.Locale;

/** Why a worker ended: the {@code reason} of its last frame. */
public enum EndReason {
    /** Its end was requested. */
    REQUESTED,
    /** Its agent, or its only message, completed. */
    COMPLETED,
    /** It was idle for too long. */
    IDLE_TIMEOUT,
    /** No captain was connected for the duration of the spawn's lease. */
    CAPTAIN_GONE,
    /** It used too much of a disk. */
    DISK_FULL,
    /** Its budget is used up. */
    BUDGET,
    /** The worker-agent is stopping. */
    SHUTDOWN,
    /** Its agent could not be started. */
    FAILED;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The reason of that name; any other text counts as {@code REQUESTED}. */
    public static EndReason named(String text) {
        for (EndReason reason : values()) {
            if (reason.wireName().equals(text)) {
                return reason;
            }
        }
        return REQUESTED;
    }
}
