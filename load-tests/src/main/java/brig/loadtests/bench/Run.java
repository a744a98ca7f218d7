package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.engine.EngineResult;
import brig.loadtests.peers.Server.HeapSample;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One run of one scenario against one peer.
 *
 * @param why       the fault; "" for none
 * @param figures   the measured figures; those without a value are absent
 * @param progress  rate and resident memory over time
 * @param heap      heap after collections, if the peer exposes it
 * @param latencyNs of the readers that the scenario measures
 */
public record Run(
        String scenario,
        String peer,
        int round,
        Outcome outcome,
        String why,
        Map<Figure, Double> figures,
        List<Progress> progress,
        List<HeapSample> heap,
        Histogram latencyNs) {

    /** A completed run; valid if nothing was lost and the generator was not starved. */
    static Run of(
            Plan.Step step,
            EngineResult result,
            Map<Figure, Double> figures,
            List<Progress> progress,
            List<HeapSample> heap) {
        String fault = result.fault();
        String why = fault == null ? Measured.starved(step.scenario(), result) : fault;
        Outcome outcome = fault != null ? Outcome.LOST : why.isEmpty() ? Outcome.OK : Outcome.VOID;
        return new Run(
                step.scenario().name(),
                step.peer().name(),
                step.round(),
                outcome,
                why,
                figures,
                List.copyOf(progress),
                heap,
                result.judged().latencyNs());
    }

    /** A run that could not be completed. */
    static Run broken(Plan.Step step, String why) {
        return new Run(
                step.scenario().name(),
                step.peer().name(),
                step.round(),
                Outcome.BROKEN,
                why,
                Map.of(),
                List.of(),
                List.of(),
                new Histogram(3));
    }
}
