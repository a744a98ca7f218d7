package brig.workeragent.egress;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that owns the worker-agent's state of brig-egress; brig-egress dies with it. Thread-safe. */
final class EgressThread {
    /** A task that may block on brig-egress. */
    interface Task<T> {
        T run() throws IOException, InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressThread.class);

    private final ScheduledThreadPoolExecutor thread;
    private final long callMs;

    /** @param callMs the maximum wait of a caller */
    EgressThread(long callMs) {
        this.callMs = callMs;
        this.thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("brig-egress").factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Runs a task and waits for it.
     *
     * @throws BrigException the task's refusal; {@code SANDBOX_UNAVAILABLE} for other failures; {@code SHUTTING_DOWN}
     */
    <T> T call(Task<T> task) {
        CompletableFuture<T> done = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    done.complete(task.run());
                } catch (IOException | InterruptedException | RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
            return done.get(callMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BrigException refusal) {
                throw refusal;
            }
            throw unavailable(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            throw unavailable("it does not answer");
        } catch (RejectedExecutionException e) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    private static BrigException unavailable(String why) {
        return new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "brig-egress cannot be used: " + why);
    }

    /** {@link #call} for a task without a result. */
    void run(Runnable task) {
        var unused = call(() -> {
            task.run();
            return Boolean.TRUE;
        });
    }

    /** Runs a task after a delay. @return false if the thread ended, so that it will not run */
    boolean later(Runnable task, long delayMs) {
        try {
            var unused = thread.schedule(task, delayMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException stopping) {
            LOG.debug("task dropped: {}", stopping.getMessage());
            return false;
        }
    }

    /** Drops the tasks that wait and waits for the one that runs, as long as a caller would. */
    void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(callMs, TimeUnit.MILLISECONDS)) {
                LOG.warn("a task of brig-egress still runs after {} ms", callMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
