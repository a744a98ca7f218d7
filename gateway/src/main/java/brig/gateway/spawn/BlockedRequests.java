package brig.gateway.spawn;

import brig.gateway.telemetry.LogEvents;
import brig.gateway.time.Clock;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs each network request that a policy refused. Agents may cause any number of them, so the lines per second are
 * limited; the next line tells how many were left out. Owned by the event loop.
 */
final class BlockedRequests {
    static final int LINES_PER_SECOND_MAX = 100;
    private static final Logger logger = LoggerFactory.getLogger(BlockedRequests.class);
    private static final long SECOND_MS = 1_000;

    private final Clock clock;
    private long secondMs;
    private int lines;
    private long leftOut;

    BlockedRequests(Clock clock) {
        this.clock = clock;
    }

    void handle(String spawnId, EgressEvent.Request request) {
        long nowMs = clock.nowMs();
        if (nowMs - secondMs >= SECOND_MS) {
            secondMs = nowMs;
            lines = 0;
        }
        if (++lines > LINES_PER_SECOND_MAX) {
            leftOut++;
            return;
        }
        if (leftOut > 0) {
            logger.warn("BLOCKED: {} more requests, which are not named here: see brig audit", leftOut);
            leftOut = 0;
        }
        JsonObject fields = JsonObject.builder()
                .put("spawn_id", spawnId)
                .put("rule", request.rule())
                .build();
        LogEvents.log(logger, Level.WARN, line(request), fields);
    }

    /** Requests not logged since the last line. */
    long leftOut() {
        return leftOut;
    }

    /** {@code BLOCKED: POST https://evil.example/x}; brig-egress has escaped all of it for logs. */
    static String line(EgressEvent.Request request) {
        String scheme = request.scheme();
        int port = request.port();
        boolean usual = port == 0 || (scheme.equals("https") && port == 443) || (scheme.equals("http") && port == 80);
        return "BLOCKED: " + request.method() + " " + (scheme.isEmpty() ? "" : scheme + "://") + request.host()
                + (usual ? "" : ":" + port) + request.path();
    }
}
