package brig.gateway.app;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Takes the answers of other threads to the event loop. The database and the disk finish their work after the loop has
 * ended; nobody waits for their answers then, so these are dropped.
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
