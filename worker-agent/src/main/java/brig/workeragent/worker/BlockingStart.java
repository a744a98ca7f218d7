package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocking work that starts a process. */
@FunctionalInterface
interface BlockingStart {
    Logger LOG = LoggerFactory.getLogger(BlockingStart.class);

    void run() throws InterruptedException;

    /** Runs it on a thread of the executor; {@code failed} is given what went wrong, as a refusal. */
    default void on(Executor threads, Consumer<BrigException> failed) {
        threads.execute(() -> {
            try {
                run();
            } catch (BrigException e) {
                failed.accept(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failed.accept(new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped"));
            } catch (RuntimeException e) {
                LOG.error("starting a process failed", e);
                failed.accept(new BrigException(ErrorCode.INTERNAL, "internal error"));
            }
        });
    }
}
