package brig.gateway.app;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * An executor that runs other threads' results on the event loop. The database and the disk finish after the loop has
 * ended; results that arrive then are dropped, since nobody waits for them.
 *
 * @param loop rejects everything once it has ended
 */
record LoopAnswers(Executor loop) implements Executor {
    @Override
    public void execute(Runnable answer) {
        try {
            loop.execute(answer);
        } catch (RejectedExecutionException ended) {
            return;
        }
    }
}
