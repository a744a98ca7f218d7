package brig.loadtests.suite;

import brig.protocol.record.Settings;
import java.util.List;

/**
 * A load for a server. Its components are the keys of {@code suite.json}; 0 and "" mean "unused".
 *
 * @param transports  {@code sse}, {@code ws} or {@code ndjson}: a peer is read over the first that it supports
 * @param streams     workers, each with a stream of its own
 * @param readers     readers of each stream
 * @param window      closed loop: frames that a publisher may be ahead of its slowest reader
 * @param rateHz      open loop: frames a second and stream; with {@code flood} both are given
 * @param stall       readers of the first stream that stop reading
 * @param flood       streams that are driven by the window while the others keep the rate
 * @param idleFrames  frames of each stream before it becomes idle
 * @param stormMs     how often all readers drop their connections and resume
 * @param role        the role of Brig's readers: a captain pauses the worker, a watcher never does
 * @param warmupMs    time before the measured one if it differs from the profile's
 * @param jitWarmupMs the same for peers with a JIT compiler
 * @param durationMs  measured time if it differs from the profile's
 * @param shows       the figures in its tables, the first one in its chart too
 * @param memoryChart whether memory over time is drawn
 * @param peers       the possible participants
 */
@Settings
public record Scenario(
        String name,
        String says,
        List<String> transports,
        int streams,
        int readers,
        int contentBytes,
        int window,
        int rateHz,
        int stall,
        int flood,
        int idleFrames,
        int stormMs,
        String role,
        int warmupMs,
        int jitWarmupMs,
        int durationMs,
        List<String> shows,
        boolean memoryChart,
        List<String> peers) {

    public Scenario {
        if (window == 0 && rateHz == 0 && idleFrames == 0) {
            throw new IllegalArgumentException("name '" + name + "': one of window, rateHz, idleFrames is needed");
        }
        if (flood > 0 && (window == 0 || rateHz == 0)) {
            throw new IllegalArgumentException("flood of '" + name + "' needs window and rateHz");
        }
        if (!List.of("captain", "watcher").contains(role)) {
            throw new IllegalArgumentException("role of '" + name + "' must be captain or watcher");
        }
        shows.forEach(Figure::of);
    }

    /** A copy for other peers. */
    public Scenario among(List<String> newPeers) {
        return copy(warmupMs, jitWarmupMs, durationMs, newPeers);
    }

    /** A copy with other times. */
    public Scenario lasting(int newWarmupMs, int newJitWarmupMs, int newDurationMs) {
        return copy(newWarmupMs, newJitWarmupMs, newDurationMs, peers);
    }

    private Scenario copy(int newWarmupMs, int newJitWarmupMs, int newDurationMs, List<String> newPeers) {
        return new Scenario(
                name,
                says,
                transports,
                streams,
                readers,
                contentBytes,
                window,
                rateHz,
                stall,
                flood,
                idleFrames,
                stormMs,
                role,
                newWarmupMs,
                newJitWarmupMs,
                newDurationMs,
                shows,
                memoryChart,
                newPeers);
    }

    /** Whether frames are sent at fixed times, not when the previous ones have arrived. */
    public boolean paced() {
        return rateHz > 0;
    }

    public List<Figure> figures() {
        return shows.stream().map(Figure::of).toList();
    }

    /** The number of all subscribers. */
    public int subscribers() {
        return streams * readers;
    }
}
