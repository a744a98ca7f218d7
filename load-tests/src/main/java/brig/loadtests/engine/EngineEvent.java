package brig.loadtests.engine;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code brig-load} tells, a line of JSON each. Lists have a number for each process of the server. */
@Tagged("event")
public sealed interface EngineEvent {
    /** It waits to be told what there is to read. */
    @Extensible
    record Ready() implements EngineEvent {}

    /**
     * All readers are connected.
     *
     * @param ms since it was told to go
     */
    @Extensible
    record Connected(double ms) implements EngineEvent {}

    /**
     * Once a second while frames flow.
     *
     * @param perSecond frames since the one before
     */
    @Extensible
    record Progress(long delivered, double perSecond, List<Long> rssBytes) implements EngineEvent {}

    /** All readers are connected, and no frame flows any more. */
    @Extensible
    record Idle() implements EngineEvent {}

    /**
     * The end.
     *
     * @param fault what was lost, damaged or did not work
     * @param seconds of the measured time
     * @param sendLagNsP99 how late frames were sent, in nanoseconds
     * @param all every reader
     * @param quiet those that neither stall nor flood, where some do
     */
    @Extensible
    record Result(
            boolean ok,
            @Nullable String fault,
            double seconds,
            List<Double> cpuSeconds,
            List<Long> rssPeakGrowthBytes,
            double generatorCpuShare,
            double sendLagNsP99,
            @Flat Figures all,
            @Nullable Figures quiet)
            implements EngineEvent {}

    /**
     * What readers counted.
     *
     * @param gaps how many were told
     * @param latencyNs an upper bound in nanoseconds, and how many frames took so long
     */
    @Extensible
    record Figures(double delivered, long gaps, List<List<Long>> latencyNs) {}
}
