package brig.loadtests.engine;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events of {@code brig-load}, a line of JSON each. Lists have a number for each process of the server. */
@Tagged("event")
public sealed interface EngineEvent {
    /** It waits for the description of what to read. */
    @Extensible
    record Ready() implements EngineEvent {}

    /**
     * All readers are connected.
     *
     * @param ms since the command to go
     */
    @Extensible
    record Connected(double ms) implements EngineEvent {}

    /**
     * Once a second while frames flow.
     *
     * @param perSecond frames since the previous event
     */
    @Extensible
    record Progress(long delivered, double perSecond, List<Long> rssBytes) implements EngineEvent {}

    /** All readers are connected, and frames have stopped. */
    @Extensible
    record Idle() implements EngineEvent {}

    /**
     * The end.
     *
     * @param fault what was lost, damaged or did not work
     * @param seconds the measured time
     * @param published frames that the server took from all workers in that time
     * @param sendLagNsP99 delay of sent frames, in nanoseconds
     * @param all every reader
     * @param quiet readers that neither stall nor flood, if some do
     */
    @Extensible
    record Result(
            boolean ok,
            @Nullable String fault,
            double seconds,
            double published,
            List<Double> cpuSeconds,
            List<Long> rssPeakGrowthBytes,
            double generatorCpuShare,
            double sendLagNsP99,
            @Flat Figures all,
            @Nullable Figures quiet)
            implements EngineEvent {}

    /**
     * Counts of readers.
     *
     * @param gaps number of reported gaps
     * @param latencyNs pairs of an upper bound in nanoseconds and a number of frames
     */
    @Extensible
    record Figures(double delivered, long gaps, List<List<Long>> latencyNs) {}
}
