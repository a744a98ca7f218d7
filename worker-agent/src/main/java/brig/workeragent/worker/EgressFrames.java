package brig.workeragent.worker;

import brig.formats.adapter.Frames;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;

/**
 * What brig-egress says of a worker, as frames of its stream. They never hold anybody up: an agent can cause as
 * many as it likes, so those that a slow reader has no room for are left out, and the next one says how many.
 *
 * <p>Decision 0055.
 */
final class EgressFrames {
    private final Outbox outbox;
    private final Timers timers;
    /** Touched by the one thread that hands events over. */
    private long dropped;

    EgressFrames(Outbox outbox, Timers timers) {
        this.outbox = outbox;
        this.timers = timers;
    }

    void handle(EgressEvent event) {
        Frame frame = frame(event);
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
                        null,
                        dropped);
            case EgressEvent.Subagent met ->
                Frame.SubAgent.readOff(met.agentId(), met.sessionId(), met.parentId(), dropped);
            case EgressEvent.Shown shown -> new Frame.Egress(shown, dropped);
        };
    }
}
