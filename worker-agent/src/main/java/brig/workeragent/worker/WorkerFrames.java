package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.FrameType;
import brig.workeragent.pump.Frames;
import brig.workeragent.pump.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The frames in which Brig itself speaks about a worker. None of them waits for a reader. */
final class WorkerFrames {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerFrames.class);
    /** A sentence may quote what somebody chose; a frame has a length. */
    private static final int ERROR_CHARACTERS_MAX = 4000;

    private final String spawnId;
    private final Outbox outbox;
    private final Timers timers;

    WorkerFrames(String spawnId, Outbox outbox, Timers timers) {
        this.spawnId = spawnId;
        this.outbox = outbox;
        this.timers = timers;
    }

    void running() {
        append(FrameType.STATE, fields("state", "running"));
    }

    void error(BrigException e) {
        String text = e.getMessage();
        if (text.length() > ERROR_CHARACTERS_MAX) {
            text = text.substring(0, ERROR_CHARACTERS_MAX);
        }
        append(FrameType.ERROR, fields("error", text, "code", e.code()));
        LOG.info("error spawn_id={} code={}", spawnId, e.code());
    }

    void done(int exitCode, @Nullable String signal, @Nullable String reason) {
        Map<String, Object> fields = fields("exitCode", exitCode);
        if (signal != null) {
            fields.put("signal", signal);
        }
        if (reason != null) {
            fields.put("reason", reason);
        }
        append(FrameType.DONE, fields);
        LOG.info("done spawn_id={} exit_code={} signal={} reason={}", spawnId, exitCode, signal, reason);
    }

    /** The last frame. */
    void terminated(EndReason reason) {
        outbox.appendLast(FrameType.STATE,
                Frames.body(timers.nowMs(), fields("state", "terminated", "reason", reason.wireName())));
        LOG.info("terminated spawn_id={} reason={}", spawnId, reason);
    }

    private void append(FrameType type, Map<String, ?> fields) {
        outbox.appendNow(type, Frames.body(timers.nowMs(), fields));
    }

    /** In the order given: the same frame is always the same bytes. */
    private static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
