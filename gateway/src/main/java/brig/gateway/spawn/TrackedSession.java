package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A session of an agent that Brig did not start, seen from who tells what it says. Its frames come from outside of Brig,
 * so each is read, checked and written again: its readers get nothing that they would not get from a worker-agent.
 * Owned by the event loop.
 */
public final class TrackedSession {
    private static final Set<FrameType> TELLABLE = EnumSet.of(
            FrameType.MESSAGE,
            FrameType.CHUNK,
            FrameType.TOOL,
            FrameType.SUBAGENT,
            FrameType.PLAN,
            FrameType.USAGE,
            FrameType.SESSION,
            FrameType.PERMISSION,
            FrameType.RAW,
            FrameType.ERROR,
            FrameType.DONE,
            FrameType.STATE);

    private final Spawn spawn;
    private final FrameDecoder decoder;
    private final Runnable gone;

    TrackedSession(Spawn spawn, FrameDecoder.Sink frames, Runnable gone) {
        this.spawn = spawn;
        this.decoder = new FrameDecoder(strict(frames));
        this.gone = gone;
    }

    /** Takes the next frame. @throws BrigException where it is none; nothing happened then */
    public void publish(Map<String, @Nullable Object> object) {
        Fields fields = new Fields(object);
        FrameType type = FrameType.of(fields.requiredText("type"));
        StreamLog log = spawn.log();
        if (!TELLABLE.contains(type)) {
            throw Fields.invalid("type", "is none that is told of an agent");
        }
        long seq = fields.number("seq", 1, Limits.SEQ_MAX, 0);
        if (seq != log.lastSeq() + 1) {
            throw Fields.invalid("seq", "must be " + (log.lastSeq() + 1));
        }
        check(type, fields);
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("type", type.wireName());
        line.put("seq", seq);
        line.putAll(object);
        byte[] bytes = Json.writeLine(line);
        if (!spawn.state().isFinal()) {
            decoder.decode(bytes, 0, bytes.length);
        }
    }

    /** The line is read as a worker-agent's is, and refused to who wrote it. */
    private static FrameDecoder.Sink strict(FrameDecoder.Sink frames) {
        return new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                frames.handleFrame(type, seq, bytes, offset, length);
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                throw new BrigException(code, "the frame is refused");
            }
        };
    }

    /** The fields that every reader counts on. */
    private static void check(FrameType type, Fields frame) {
        if (!frame.has("ts")) {
            throw Fields.invalid("ts", "is missing");
        }
        frame.number("ts", 0, Limits.SEQ_MAX, 0);
        switch (type) {
            case CHUNK -> {
                if (!frame.has("content")) {
                    throw Fields.invalid("content", "is missing");
                }
                frame.text("content");
                frame.requiredText("stream");
            }
            case MESSAGE -> {
                frame.requiredText("message_id");
                if (!frame.has("content")) {
                    throw Fields.invalid("content", "is missing");
                }
                frame.text("content");
            }
            case DONE -> {
                if (frame.number("exitCode", 0, Integer.MAX_VALUE, -1) < 0) {
                    throw Fields.invalid("exitCode", "is missing");
                }
                frame.text("signal");
                frame.text("reason");
            }
            case SESSION -> frame.requiredText("session_id");
            case ERROR -> {
                frame.requiredText("error");
                frame.requiredText("code");
            }
            case STATE -> {
                String state = frame.requiredText("state");
                if (!state.equals("running") && !state.equals("terminated")) {
                    throw Fields.invalid("state", "must be running or terminated");
                }
            }
            default -> {}
        }
    }

    /** Nobody tells any more what the agent says. */
    public void handleGone() {
        gone.run();
    }

    public String spawnId() {
        return spawn.spawnId();
    }

    public String taskId() {
        return spawn.taskId();
    }
}
