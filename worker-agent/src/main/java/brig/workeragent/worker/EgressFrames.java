package brig.workeragent.worker;

import brig.formats.adapter.Frames;
import brig.protocol.wire.FrameType;
import brig.workeragent.pump.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;

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

    /** @param event its {@code kind}, and what belongs to it */
    void handle(Map<String, Object> event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        FrameType type = switch (String.valueOf(event.get("kind"))) {
            case "usage" -> FrameType.USAGE;
            case "subagent" -> FrameType.SUBAGENT;
            default -> FrameType.EGRESS;
        };
        if (type != FrameType.EGRESS) {
            fields.put("source", "egress");
        }
        event.forEach((key, value) -> {
            if (type == FrameType.USAGE && key.equals("agent_id")) {
                fields.put("agent", value);
            } else if (type == FrameType.EGRESS || !key.equals("kind")) {
                fields.put(key, value);
            }
        });
        if (dropped > 0) {
            fields.put("dropped", dropped);
        }
        dropped = outbox.offer(type, Frames.body(timers.nowMs(), fields)) ? 0 : dropped + 1;
    }
}
