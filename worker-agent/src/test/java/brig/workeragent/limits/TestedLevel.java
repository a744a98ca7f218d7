package brig.workeragent.limits;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;

/** A level of limits that a test is for. */
public final class TestedLevel {
    private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();

    private TestedLevel() {}

    /** Skips the test where this host does not have the level, and says so once, loudly. */
    public static LimitsBackend assume(String level) {
        try {
            return LimitsBackend.require(level).backend();
        } catch (LimitsUnavailableException refused) {
            if (MISSING.add(level)) {
                LoggerFactory.getLogger(TestedLevel.class)
                        .error("LEVEL {} IS NOT TESTED ON THIS HOST: {}", level, refused.getMessage());
            }
            return abort(level + ": " + refused.getMessage());
        }
    }
}
