package brig.gateway.session;

import brig.gateway.spawn.SpawnState;
import brig.protocol.json.Fields;
import java.util.Arrays;
import java.util.Locale;

/** What a state of a spawn means for who wants to talk to it. */
public enum SessionStatus {
    /** It cannot be talked to yet, or nobody knows whether it can. */
    PENDING,
    /** Its worker takes messages. */
    ACTIVE,
    /** It is over. */
    INACTIVE;

    public static SessionStatus of(SpawnState state) {
        return switch (state) {
            case REQUESTED, SPAWNING, UNKNOWN -> PENDING;
            case RUNNING -> ACTIVE;
            case TERMINATED, FAILED -> INACTIVE;
        };
    }

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} for another word */
    public static SessionStatus read(String text) {
        return Arrays.stream(values())
                .filter(status -> status.wireName().equals(text))
                .findFirst()
                .orElseThrow(() -> Fields.invalid("status", "must be pending, active or inactive"));
    }

    /** The value of {@code status} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
