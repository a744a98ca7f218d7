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

/** The thread that owns what the worker-agent knows of brig-egress, and whose end ends brig-egress. Any thread may call. */
final class EgressThread {
    /** What may wait for brig-egress. */
    interface Task<T> {
        T run() throws IOException, InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(EgressThread.class);

    private final ScheduledThreadPoolExecutor thread;
    private final long callMs;

    /** @param callMs how long who calls waits at most */
    EgressThread(long callMs) {
        this.callMs = callMs;
        this.thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("brig-egress").factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Runs a task and waits for it.
     *
     * @throws BrigException its refusal; {@code SANDBOX_UNAVAILABLE} where it fails otherwise; {@code SHUTTING_DOWN}
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

    /** {@link #call} of what gives nothing back. */
    void run(Runnable task) {
        var unused = call(() -> {
            task.run();
            return Boolean.TRUE;
        });
    }

    /** Runs a task after so many milliseconds. @return false where the thread is ended, and it is not run */
    boolean later(Runnable task, long delayMs) {
        try {
            var unused = thread.schedule(task, delayMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException stopping) {
            LOG.debug("not done any more: {}", stopping.getMessage());
            return false;
        }
    }

    void close() {
        thread.shutdown();
    }
}
