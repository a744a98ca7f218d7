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
        List<LimitUse> limits) {
    static final GaugeReadings NOTHING =
            new GaugeReadings(Map.of(), Map.of(), Map.of(), 0, 0, Map.of(), 0, 0, 0, false, List.of());

    /**
     * The use of a limit.
     *
     * @param key in {@code limits} of config/brig.json
     */
    public record LimitUse(String key, long used, long max) {}
}
