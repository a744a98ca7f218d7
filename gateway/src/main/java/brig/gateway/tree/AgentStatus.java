package brig.gateway.tree;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How an agent fares, as its frames said last. */
enum AgentStatus {
    /** Frames name it, and none says how it fares. */
    UNKNOWN,
    SPAWNED,
    RUNNING,
    COMPLETED,
    FAILED,
    KILLED,
    /** It ran when the stream ended, and no frame says what became of it. */
    LOST;

    /** The status of that name in a frame; null for what no frame may say. */
    static @Nullable AgentStatus read(String name) {
        return Arrays.stream(values())
                .filter(status ->
                        status != UNKNOWN && status != LOST && status.wireName().equals(name))
                .findFirst()
                .orElse(null);
    }

    boolean lives() {
        return this == SPAWNED || this == RUNNING;
    }

    boolean isOver() {
        return !lives() && this != UNKNOWN;
    }

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
