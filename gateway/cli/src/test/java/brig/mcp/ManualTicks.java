package brig.mcp;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/** Seconds that a test lets pass. */
final class ManualTicks implements Ticks {
    private final BlockingQueue<IntConsumer> started = new LinkedBlockingQueue<>();
    private final List<IntConsumer> ended = new CopyOnWriteArrayList<>();

    @Override
    public Ticking start(IntConsumer tick) {
        started.add(tick);
        return () -> ended.add(tick);
    }

    /** The next ones that were started. */
    IntConsumer next() throws InterruptedException {
        return started.take();
    }

    int ended() {
        return ended.size();
    }

    @Override
    public void pause() {}
}
