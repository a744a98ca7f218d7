package brig.gateway.spawn;

import brig.gateway.telemetry.Counters;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnView;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routes the frames of one spawn's worker. Each goes to the stream log and its observers, and by type to the activity
 * of the session, to the counters, or to the {@link Changes} of the spawn. Chunks that the log reads in place do not
 * pass through here. Owned by the event loop.
 */
final class FrameRouter implements FrameDecoder.Sink {
    /** Changes of the spawn itself caused by frames, which are in the stream log by then. */
    interface Changes {
        /** A turn ended while the spawn is alive; see {@link FrameRouter#exit}. */
        void handleExit(SpawnView.Exit exit);

        /** The agent reported its own session id, which is untrusted. */
        void handleAgentSession(String sessionId);

        /** The stream ended. */
        void handleTerminated();
    }

    private static final Logger logger = LoggerFactory.getLogger(FrameRouter.class);

    private final Spawn spawn;
    private final BlockedRequests blocked;
    private final Counters counters;
    private final AskEvents asks;
    private final Changes changes;
    /** Whether a frame was refused, which is told once. */
    private boolean refused;

    FrameRouter(Spawn spawn, BlockedRequests blocked, Counters counters, AskEvents asks, Changes changes) {
        this.spawn = spawn;
        this.blocked = blocked;
        this.counters = counters;
        this.asks = asks;
        this.changes = changes;
    }

    @Override
    public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
        keep(spawn, type, seq, bytes, offset, length);
        switch (type) {
            case CHUNK -> spawn.log().handleChunk();
            case MESSAGE -> spawn.activity().handleMessage();
            case DONE, EGRESS, USAGE, BUDGET, SESSION, STATE, ASK, ANSWERED, SCREEN, ACTIVITY -> {
                NumberedFrame read = read(bytes, offset, length);
                if (read != null && read.frame() != null) {
                    handle(read.frame(), seq, read.ts());
                }
            }
            case SUBAGENT -> spawn.handleChanged();
            case ACCEPTED,
                    ERROR,
                    TOOL,
                    PLAN,
                    PERMISSION,
                    RAW,
                    TTY,
                    CHECKPOINT,
                    FORKED,
                    GAP,
                    AUTHENTICATED,
                    UNKNOWN -> {}
        }
    }

    /** Appends a frame to the log and passes it to the log's observers. */
    static void keep(Spawn spawn, FrameType type, long seq, byte[] bytes, int offset, int length) {
        spawn.log().append(seq, bytes, offset, length);
        spawn.tree().handleFrame(type, seq, bytes, offset, length);
        if (type == FrameType.STATE || type == FrameType.DONE) {
            spawn.lastWords().note(type, seq, bytes, offset, length);
        }
    }

    /** @param ts when it was written, in milliseconds since 1970 */
    private void handle(Frame frame, long seq, long ts) {
        switch (frame) {
            case Frame.Done done -> {
                spawn.activity().handleDone();
                if (!spawn.state().isFinal()) {
                    changes.handleExit(exit(done));
                }
            }
            case Frame.Egress egress -> handleEgress(egress);
            case Frame.Usage usage -> handleUsage(usage);
            case Frame.Budget budget -> {
                counters.handleBudget(budget.use());
                spawn.handleChanged();
            }
            case Frame.Session session -> changes.handleAgentSession(session.sessionId());
            case Frame.Screen screen -> spawn.log().handleScreen(seq, screen.more());
            case Frame.Ask ask -> spawn.asks().handle(ask);
            case Frame.Activity told -> spawn.activity().handleActivity(told.activity());
            case Frame.Answered answered -> asks.handle(spawn, answered, ts);
            case Frame.State state -> {
                if (state.isTerminated()) {
                    changes.handleTerminated();
                }
            }
            default -> throw new IllegalStateException(frame.type() + " changes nothing");
        }
    }

    /** Parses a line with its newline; null if required fields are missing. @throws BrigException if it is not JSON */
    private @Nullable NumberedFrame read(byte[] bytes, int offset, int length) {
        try {
            return Json.read(bytes, offset, length - 1, NumberedFrame.class);
        } catch (BrigException refusal) {
            if (refusal.code() != ErrorCode.INVALID_FIELD) {
                throw refusal;
            }
            handleBadFrame(refusal.code());
            return null;
        }
    }

    @Override
    public void handleBadFrame(ErrorCode code) {
        if (refused) {
            return;
        }
        refused = true;
        logger.atError()
                .addKeyValue("spawn_id", spawn.spawnId())
                .log("a frame of the worker-agent is refused with {}; more are not told of", code);
    }

    private void handleEgress(Frame.Egress frame) {
        switch (frame.event()) {
            case EgressEvent.Blocked request -> blocked.handle(spawn.spawnId(), request.request());
            case EgressEvent.ThrottledByProvider at -> spawn.activity().handleProvider(at.host() + ":" + at.port());
            case EgressEvent.ProviderResumed _ -> spawn.activity().handleProvider(null);
            case null, default -> {}
        }
        counters.handleEgress(frame.event(), frame.dropped());
    }

    private void handleUsage(Frame.Usage usage) {
        countTokens(usage, "input", usage.inputTokens());
        countTokens(usage, "output", usage.outputTokens());
        countTokens(usage, "cached_input", usage.cachedInputTokens());
        counters.handleCost(agentLabel(), usage.source() != null, usage.cost());
        spawn.handleChanged();
    }

    private void countTokens(Frame.Usage usage, String kind, @Nullable Long count) {
        counters.handleTokens(agentLabel(), usage.source() != null, kind, count == null ? 0 : count);
    }

    /** The agent of a tracked session can have any name, so it is not used as a label. */
    private String agentLabel() {
        return spawn.isTracked() ? TrackedSessions.PROVIDER : spawn.agent();
    }

    /** The exit described by a {@code done} frame. */
    static SpawnView.Exit exit(Frame.Done done) {
        return new SpawnView.Exit(done.exitCode(), done.signal(), done.reason());
    }
}
