package brig.workeragent.pump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Reads an outbox on a thread of its own, which waits. */
public final class WaitingReader implements Outbox.Follower, AutoCloseable {
    private final Semaphore news = new Semaphore(0);
    private final Runnable ended;
    private final Outbox.Reader reader;
    private volatile boolean over;

    private WaitingReader(Outbox outbox, long seq, Runnable ended) {
        this.ended = ended;
        reader = outbox.open(seq, this);
    }

    public static WaitingReader open(Outbox outbox, long seq) {
        return new WaitingReader(outbox, seq, () -> {});
    }

    /** @param ended runs when it ends before it closes itself */
    public static WaitingReader open(Outbox outbox, long seq, Runnable ended) {
        return new WaitingReader(outbox, seq, ended);
    }

    /** Waits for frames; an empty list at the end. */
    public List<ByteBuffer> take() throws InterruptedException, IOException {
        List<ByteBuffer> taken = reader.poll();
        while (taken.isEmpty() && !over) {
            news.acquire();
            taken = reader.poll();
        }
        return taken;
    }

    @Override
    public void handleNews(Outbox.Reader of) {
        news.release();
    }

    @Override
    public void handleEnd() {
        over = true;
        news.release();
        ended.run();
    }

    @Override
    public void close() {
        reader.close();
        over = true;
        news.release();
    }
}
