package brig.loadtests.bench;

import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.peers.Server;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Records the progress of a run once a second. For scenarios about heap growth the heap is collected periodically, as
 * its live size is only known after a collection.
 */
final class Recording implements Consumer<Progress> {
    private static final int COLLECTIONS = 12;

    private final Server server;
    private final Consumer<Progress> listener;
    private final long collectEverySamples;
    private final List<Progress> samples = new ArrayList<>();

    Recording(Scenario scenario, Server server, Consumer<Progress> listener) {
        this.server = server;
        this.listener = listener;
        collectEverySamples = scenario.figures().contains(Figure.HEAP_DRIFT_BYTES)
                ? Math.max(1, scenario.durationMs() / 1000 / COLLECTIONS)
                : Long.MAX_VALUE;
    }

    @Override
    public void accept(Progress progress) {
        samples.add(progress);
        listener.accept(progress);
        if (samples.size() % collectEverySamples == 0) {
            try {
                server.collect();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    List<Progress> samples() {
        return samples;
    }
}
