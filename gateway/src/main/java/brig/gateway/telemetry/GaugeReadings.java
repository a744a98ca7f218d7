package brig.gateway.telemetry;

import java.util.List;
import java.util.Map;

/**
 * Values that are read when the metrics are scraped.
 *
 * <p>Decision 0096.
 *
 * @param sessions sessions that have not ended, by state
 * @param asks open asks, by kind
 * @param budgets live sessions with a budget, by how much of it is used up
 * @param throttled sessions whose requests wait because a provider of models limits their rate
 * @param throttling these providers
 * @param hosts other hosts, by the state of their link
 * @param connections open connections that frames may be written to
 * @param full the number of these whose queue is full
 * @param queueBytes bytes queued in all of them
 * @param workerAgentUp whether spawns can be started
 * @param cluster what this gateway does among others
 */
public record GaugeReadings(
        Map<String, Integer> sessions,
        Map<String, Integer> asks,
        Map<String, Integer> budgets,
        int throttled,
        int throttling,
        Map<String, Integer> hosts,
        int connections,
        int full,
        long queueBytes,
        boolean workerAgentUp,
        ClusterUse cluster,
        List<LimitUse> limits) {
    static final GaugeReadings NOTHING =
            new GaugeReadings(Map.of(), Map.of(), Map.of(), 0, 0, Map.of(), 0, 0, 0, false, ClusterUse.NONE, List.of());

    /**
     * This gateway among others.
     *
     * @param hosts shared hosts, by what this gateway does with them
     * @param connected whether there is a connection to what gateways share
     * @param taken shared hosts that this gateway took, again and again
     * @param lost those that it lost or gave up
     */
    public record ClusterUse(Map<String, Integer> hosts, boolean connected, long taken, long lost) {
        /** Of a gateway alone. */
        public static final ClusterUse NONE = new ClusterUse(Map.of(), false, 0, 0);
    }

    /**
     * The use of a limit.
     *
     * @param key in {@code limits} of config/brig.json
     */
    public record LimitUse(String key, long used, long max) {}
}
