package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Server side of one {@code brig track} connection. Its frames come from outside of Brig, so each is parsed, checked
 * and written anew: subscribers get nothing that a worker-agent could not send. Owned by the event loop.
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

    /** Processes the next frame. @throws BrigException if it is invalid, without side effects */
    public void publish(JsonObject object) {
        FrameType type = FrameType.of(object.text("type", ""));
        StreamLog log = spawn.log();
        if (!TELLABLE.contains(type)) {
            throw BrigException.invalid(
                    "type", object.has("type") ? "is not accepted from a tracked agent" : "is missing");
        }
        NumberedFrame frame = object.as(NumberedFrame.class);
        if (frame.seq() != log.lastSeq() + 1) {
            throw BrigException.invalid("seq", "must be " + (log.lastSeq() + 1));
        }
        check(object, frame.frame());
        byte[] bytes = Json.writeLine(frame);
        if (!spawn.state().isFinal()) {
            decoder.decode(bytes, 0, bytes.length);
        }
    }

    /** Decodes the line like a worker-agent's, but reports errors to its sender. */
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

    /** Checks fields that subscribers rely on but records may lack. */
    private static void check(JsonObject given, @Nullable Frame frame) {
        if (!given.has("ts")) {
            throw BrigException.invalid("ts", "is missing");
        }
        if (frame instanceof Frame.Done && !given.has("exit_code") && !given.has("exitCode")) {
            throw BrigException.invalid("exit_code", "is missing");
        }
        if (frame instanceof Frame.State state && !state.isTerminated() && !state.isRunning()) {
            throw BrigException.invalid("state", "must be running or terminated");
        }
    }

    /** The client's connection is gone. */
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
