package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.peers.Server.HeapSample;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One run of one scenario against one peer.
 *
 * @param why       what was wrong; "" where nothing was
 * @param figures   what was measured; one that has no value is not in it
 * @param progress  rate and resident memory over time
 * @param heap      heap behind collections, where the peer has one that can be seen
 * @param latencyNs of the readers whom the scenario is about
 */
public record Run(
        String scenario, String peer, int round, Outcome outcome, String why, Map<Figure, Double> figures,
        List<Progress> progress, List<HeapSample> heap, Histogram latencyNs) {

    /** A run that could not be run to its end. */
    static Run broken(String scenario, String peer, int round, String why) {
        return new Run(scenario, peer, round, Outcome.BROKEN, why, Map.of(), List.of(), List.of(), new Histogram(3));
    }
}
