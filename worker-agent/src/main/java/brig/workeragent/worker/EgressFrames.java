package brig.workeragent.worker;

import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes brig-egress events as frames of a worker's stream. They never block: an agent can cause any number of them, so
 * those without room are dropped, and the next one tells how many. Thread-safe.
 *
 * <p>Decision 0055.
 */
final class EgressFrames {
    private final Outbox outbox;
    private final Timers timers;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private long dropped;

    EgressFrames(Outbox outbox, Timers timers) {
        this.outbox = outbox;
        this.timers = timers;
    }

    void handle(EgressEvent event) {
        lock.lock();
        try {
            offer(frame(event));
        } finally {
            lock.unlock();
        }
    }

    /** Tells that something which was asked for has no effect. */
    void notice(String notice) {
        handle(new EgressEvent.ProjectFile(notice));
    }

    void fault(BrigException fault) {
        lock.lock();
        try {
            offer(new Frame.Failure(
                    String.valueOf(fault.getMessage()), fault.code().name()));
        } finally {
            lock.unlock();
        }
    }

    private void offer(Frame frame) {
        dropped = outbox.offer(frame.type(), Frames.body(timers.nowMs(), frame)) ? 0 : dropped + 1;
    }

    private Frame frame(EgressEvent event) {
        return switch (event) {
            case EgressEvent.Usage usage ->
                new Frame.Usage(
                        Frame.FROM_EGRESS,
                        usage.agentId(),
                        usage.route(),
                        usage.model(),
                        usage.inputTokens(),
                        usage.outputTokens(),
                        usage.cachedInputTokens(),
                        usage.cacheWriteInputTokens(),
                        (long) usage.status(),
                        usage.cost(),
                        dropped);
            case EgressEvent.Subagent met ->
                Frame.SubAgent.readOff(met.agentId(), met.sessionId(), met.parentId(), dropped);
            case EgressEvent.Budget use -> new Frame.Budget(use, dropped);
            case EgressEvent.Shown shown -> new Frame.Egress(shown, dropped);
        };
    }
}
