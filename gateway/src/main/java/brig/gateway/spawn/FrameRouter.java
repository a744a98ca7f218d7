package brig.gateway.spawn;

import brig.gateway.telemetry.Counters;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.api.SpawnView;
import brig.protocol.frame.Frame;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routes the frames of one spawn's worker to what they change: each to the stream log and what is kept beside it, and by
 * its type to the activity of the session, to the counters, or to {@link Changes} of the spawn. The chunks that stay where
 * they arrived in the log do not come here. Owned by the event loop.
 */
final class FrameRouter implements FrameDecoder.Sink {
    /** What frames change of the spawn itself. The frame is in the stream log by then. */
    interface Changes {
        /** A turn ended while the spawn lives; {@link FrameRouter#exit} says how. */
        void handleExit(SpawnView.Exit exit);

        /** The agent has a session of its own of that id, which may be anything. */
        void handleAgentSession(String sessionId);

        /** The stream ended. */
        void handleTerminated();
    }

    private static final Logger logger = LoggerFactory.getLogger(FrameRouter.class);
    private static final String[] TOKEN_KINDS = {"input", "output", "cached_input"};

    private final Spawn spawn;
    private final BlockedRequests blocked;
    private final Counters counters;
    private final Changes changes;

    FrameRouter(Spawn spawn, BlockedRequests blocked, Counters counters, Changes changes) {
        this.spawn = spawn;
        this.blocked = blocked;
        this.counters = counters;
        this.changes = changes;
    }

    @Override
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        keep(spawn, type, seq, bytes, offset, length);
        switch (type) {
            case CHUNK -> spawn.log().handleChunk();
            case MESSAGE -> spawn.activity().handleMessage();
            case DONE -> {
                spawn.activity().handleDone();
                if (!spawn.state().isFinal()) {
                    changes.handleExit(exit(Json.read(bytes, offset, length - 1, Frame.Done.class)));
                }
            }
            case EGRESS -> handleEgress(parse(bytes, offset, length));
            case USAGE -> countTokens(parse(bytes, offset, length));
            case SESSION ->
                changes.handleAgentSession(parse(bytes, offset, length).text("session_id", ""));
            case STATE -> {
                if (Frame.State.TERMINATED.equals(parse(bytes, offset, length).text("state"))) {
                    changes.handleTerminated();
                }
            }
            case ACCEPTED, ERROR, SUBAGENT, TOOL, PLAN, PERMISSION, RAW, GAP, AUTHENTICATED, UNKNOWN -> {}
        }
    }

    /** Appends a frame to the log, and tells it to what is kept of frames beside the log. */
    static void keep(Spawn spawn, FrameType type, long seq, byte[] bytes, int offset, int length) {
        spawn.log().append(seq, bytes, offset, length);
        spawn.tree().handleFrame(type, seq, bytes, offset, length);
        if (type == FrameType.STATE || type == FrameType.DONE) {
            spawn.lastWords().note(type, seq, bytes, offset, length);
        }
    }

    /** The line ends with a newline. */
    private static Fields parse(byte[] bytes, int offset, int length) {
        return new Fields(Json.parseObject(bytes, offset, length - 1));
    }

    @Override
    public void handleBadFrame(ErrorCode code) {
        logger.atError()
                .addKeyValue("spawn_id", spawn.spawnId())
                .log("a frame of the worker-agent is refused with {}", code);
    }

    private void handleEgress(Fields frame) {
        spawn.activity().handleEgress(frame);
        blocked.handle(spawn.spawnId(), frame);
        counters.handleEgress(
                frame.text("kind", ""), frame.flag("allowed"), frame.number("dropped", 0, Limits.SEQ_MAX, 0));
    }

    /** The agent of a tracked session can have any name, so it is not counted by that. */
    private void countTokens(Fields usage) {
        String agent = spawn.isTracked() ? TrackedSessions.PROVIDER : spawn.agent();
        for (String kind : TOKEN_KINDS) {
            counters.handleTokens(
                    agent, usage.has("source"), kind, usage.number(kind + "_tokens", 0, Limits.SEQ_MAX, 0));
        }
    }

    /** What a frame {@code done} says of the process that ended. */
    static SpawnView.Exit exit(Frame.Done done) {
        return new SpawnView.Exit(done.exitCode(), done.signal(), done.reason());
    }
}
