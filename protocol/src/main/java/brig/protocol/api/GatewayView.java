package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.WriteNull;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the gateway is.
 *
 * @param startedMs milliseconds since 1970
 * @param uptimeMs milliseconds
 * @param notReady why no spawn can be started now, in a word; null where one can
 * @param connectionsUnauthenticated those of the connections that have shown nothing yet
 * @param spawns how many spawns are in each state that any is in
 */
@Extensible
public record GatewayView(
        String version,
        long startedMs,
        long uptimeMs,
        PoolState pool,
        @WriteNull @Nullable String notReady,
        int workers,
        int workersMax,
        int connections,
        int connectionsMax,
        int connectionsUnauthenticated,
        Map<String, Integer> spawns,
        Queue queue) {
    /**
     * Who waits for a place.
     *
     * @param captains how many requests of each captain wait
     * @param estimateSeconds how long one that comes now would wait
     */
    @Extensible
    public record Queue(int waiting, int max, Map<String, Integer> captains, long estimateSeconds) {}
}
