package brig.gateway.telemetry;

import java.util.List;
import java.util.Map;

/**
 * What is looked up when somebody asks for the numbers.
 *
 * <p>Decision 0096.
 *
 * @param sessions that have not ended, by state
 * @param connections open ones that frames may be written to
 * @param full those of them whose queue has reached its bound
 * @param queueBytes what waits in all of them
 * @param workerAgentUp whether spawns can be started
 */
public record GaugeReadings(
        Map<String, Integer> sessions,
        int connections,
        int full,
        long queueBytes,
        boolean workerAgentUp,
        List<LimitUse> limits) {
    static final GaugeReadings NOTHING = new GaugeReadings(Map.of(), 0, 0, 0, false, List.of());

    /**
     * How much of a limit is taken.
     *
     * @param key in {@code limits} of config/brig.json
     */
    public record LimitUse(String key, long used, long max) {}
}
