package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.WriteNull;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of the gateway.
 *
 * @param startedMs milliseconds since 1970
 * @param uptimeMs milliseconds
 * @param notReady why no spawn can be started now, in a word; null if one can
 * @param connectionsUnauthenticated connections that have not authenticated yet
 * @param spawns the number of spawns by state; empty states are left out
 * @param hosts the other hosts, by name
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
        Queue queue,
        @OmitEmpty List<Host> hosts) {
    /**
     * Another host.
     *
     * @param reason why it is not up; null for nothing, and for captains
     */
    @Extensible
    public record Host(
            String name, HostState state, @Nullable String reason) {}

    /**
     * The queue for places.
     *
     * @param captains the number of waiting requests by captain
     * @param estimateSeconds the expected wait of a new request
     */
    @Extensible
    public record Queue(int waiting, int max, Map<String, Integer> captains, long estimateSeconds) {}
}
