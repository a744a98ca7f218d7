package brig.gateway.spawn;

import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.LogEvents;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of asks change: the session's list, the metrics and the audit. The frame of an end
 * comes once in the life of a record, so each end is in the audit once, whatever caused it. Owned by the event loop.
 *
 * <p>Decision 0152.
 */
final class AskEvents {
    private final Counters counters;

    AskEvents(Counters counters) {
        this.counters = counters;
    }

    /** @param atMs when it was settled, in milliseconds since 1970 */
    void handle(Spawn spawn, Frame.Answered answered, long atMs) {
        Frame.Ask asked = spawn.asks().handle(answered);
        String askId = answered.askId();
        Long waitedMs = Ids.isAskId(askId) ? Math.max(0, atMs - Ids.askedMs(askId)) : null;
        Frame.Ask.Kind kind = asked == null ? null : asked.kind();
        counters.handleAskSettled(kind, answered.reason(), waitedMs);
        LogEvents.audit("answer", audited(spawn, answered, kind, waitedMs));
    }

    /** What the audit has of an end: everything but what was asked and a text, which may quote secrets. */
    static JsonObject audited(
            Spawn spawn, Frame.Answered answered, Frame.Ask.@Nullable Kind kind, @Nullable Long waitedMs) {
        return spawn.audited(answered.by())
                .with("ask_id", answered.askId())
                .with("kind", Counters.label(kind))
                .with("option", answered.option())
                .with("reason", Counters.label(answered.reason()))
                .with("via", answered.via())
                .with("waited_ms", waitedMs);
    }

    /** The session ended. */
    void handleEnd(Spawn spawn, long atMs) {
        spawn.asks().ends().forEach(end -> handle(spawn, end, atMs));
    }
}
