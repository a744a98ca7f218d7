package brig.gateway.egress;

import brig.protocol.ErrorCode;
import brig.protocol.control.EgressDecision;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open asks for hosts of a host's workers, as people see them in the frames: what is decided is about the host that
 * was shown. Owned by the event loop.
 */
final class HostAsks {
    /** A worker has fewer. */
    private static final int ASKS_MAX = 64;

    private final Map<String, Map<String, String>> byWorker = new HashMap<>();

    /** The decision that an option stands for; null if there is none. */
    static @Nullable EgressDecision decision(String option) {
        for (EgressDecision decision : EgressDecision.values()) {
            if (decision != EgressDecision.REVOKE
                    && decision.name().toLowerCase(Locale.ROOT).equals(option)) {
                return decision;
            }
        }
        return null;
    }

    /** The host that an ask is about; null if it is about something else. */
    @Nullable
    String hostOf(String workerId, String askId) {
        Map<String, String> asks = byWorker.get(workerId);
        return asks == null ? null : asks.get(askId);
    }

    void forget(String workerId) {
        byWorker.remove(workerId);
    }

    /**
     * Reads along.
     *
     * @param ended called when the worker's last frame came
     */
    FrameDecoder.Sink follow(String workerId, FrameDecoder.Sink frames, Runnable ended) {
        return new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                frames.handleFrame(type, seq, bytes, offset, length);
                if (type == FrameType.ASK || type == FrameType.ANSWERED || type == FrameType.STATE) {
                    handle(workerId, type, JsonObject.read(bytes, offset, length - 1), ended);
                }
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                frames.handleBadFrame(code);
            }
        };
    }

    private void handle(String workerId, FrameType type, JsonObject frame, Runnable ended) {
        if (type == FrameType.ASK && frame.text("kind", "").equals("egress")) {
            Map<String, String> asks = byWorker.computeIfAbsent(workerId, id -> new LinkedHashMap<>());
            if (asks.size() < ASKS_MAX) {
                asks.put(frame.text("ask_id", ""), frame.text("native_id", ""));
            }
        } else if (type == FrameType.ANSWERED) {
            byWorker.getOrDefault(workerId, new HashMap<>()).remove(frame.text("ask_id", ""));
        } else if (type == FrameType.STATE && frame.text("state", "").equals("terminated")) {
            ended.run();
        }
    }
}
