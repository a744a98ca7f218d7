package brig.loadtests.conformance;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The limits of a mini server, by the names that they have in brig.json; what is not named has none. */
final class MiniLimits {
    private final Defect defect;
    private final Map<String, Long> limits;
    private long spawnedNanos;
    private long spawnedEver;

    MiniLimits(Defect defect, Map<String, Long> limits) {
        this.defect = defect;
        this.limits = limits;
    }

    /** After which a reader that takes nothing is cut. */
    long slowReaderMs() {
        return limits.getOrDefault("slowReaderMs", TimeUnit.HOURS.toMillis(1));
    }

    /** @param open connections, this one among them. @return the refusal of one that is too many, else null */
    BrigException connection(int open) {
        boolean full = open > limits.getOrDefault("connectionsMax", Long.MAX_VALUE);
        return full && defect != Defect.TAKES_ANY_NUMBER_OF_CONNECTIONS
                ? new BrigException(ErrorCode.MAX_CONNECTIONS, "too many connections", 1)
                : null;
    }

    /** @throws BrigException where there may be no other spawn now */
    synchronized void spawn(int live) {
        long busy = defect == Defect.COUNTS_ENDED_WORKERS ? spawnedEver : live;
        if (busy >= limits.getOrDefault("workersMax", Long.MAX_VALUE) && defect != Defect.TAKES_ANY_NUMBER_OF_SPAWNS) {
            throw new BrigException(ErrorCode.MAX_WORKERS, "all workers are in use", 1);
        }
        long leftMs = limits.getOrDefault("spawnCooldownMs", 0L) - (System.nanoTime() - spawnedNanos) / 1_000_000;
        if (spawnedEver > 0 && leftMs > 0 && defect != Defect.FORGETS_THE_COOLDOWN) {
            throw new BrigException(
                    ErrorCode.COOLDOWN,
                    "too soon",
                    defect == Defect.GUESSES_THE_COOLDOWN ? 1 : (int) (leftMs + 999) / 1000);
        }
        spawnedNanos = System.nanoTime();
        spawnedEver++;
    }
}
