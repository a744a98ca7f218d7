package brig.acp;

import brig.acp.Prompts.Failed;
import brig.acp.Prompts.Outcome;
import brig.acp.Prompts.Stopped;
import brig.acp.message.AgentNotification;
import brig.acp.message.BrigMeta;
import brig.acp.message.PromptEnded.StopReason;
import brig.acp.view.SessionUpdates;
import brig.captain.RpcException;
import brig.protocol.BrigException;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts the lines of a session: turns begin and end prompts, visible content becomes updates, and asks become
 * questions. Owned by the thread that reads the session.
 *
 * <p>Decisions 0081, 0083.
 */
final class SessionReader implements SessionLink.Reader {
    /** The reason of a cancelled turn. */
    private static final String CANCELLED = "cancelled";

    /**
     * The range of frames that are history.
     *
     * @param from the first that is read
     * @param until the last that counts as history
     * @param whenReplayed called once after it
     */
    record History(long from, long until, Runnable whenReplayed) {}

    private final String id;
    private final AcpContext context;
    private final Prompts prompts;
    private final SessionUpdates updates;
    private final Asks asks;
    private final Runnable whenReplayed;

    private final StringBuilder message = new StringBuilder();
    private long lastSeq;
    private long replayUntil;
    private String lastError = "";
    private boolean replaying = true;

    SessionReader(String id, AcpContext context, Prompts prompts, SessionUpdates updates, Asks asks, History history) {
        this.id = id;
        this.context = context;
        this.prompts = prompts;
        this.updates = updates;
        this.asks = asks;
        this.lastSeq = history.from() - 1;
        this.replayUntil = history.until();
        this.whenReplayed = history.whenReplayed();
    }

    @Override
    public void begin() {
        endReplayIfDue();
    }

    @Override
    public void handle(JsonObject line) {
        try {
            if (line.has("seq")) {
                lastSeq = line.number("seq", 0);
                if (context.wholeFrames()) {
                    context.rpc().notify(new AgentNotification.FrameSeen(id, line));
                }
                handle(line.as(NumberedFrame.class));
            } else {
                handle(ConnectionLine.read(line));
            }
        } catch (BrigException e) {
            updates.note("a frame could not be shown: " + e.getMessage());
        }
        endReplayIfDue();
    }

    private void endReplayIfDue() {
        if (replaying && lastSeq >= replayUntil) {
            replaying = false;
            updates.flush();
            whenReplayed.run();
            asks.askAgain(System.currentTimeMillis());
        }
    }

    /** Handles lines about this connection: refusals of sent lines, and gaps. */
    private void handle(@Nullable ConnectionLine line) {
        switch (line) {
            case ConnectionLine.Gap gap -> {
                lastSeq = Math.max(lastSeq, gap.to());
                updates.note("frames " + gap.from() + " to " + lastSeq + " are lost: " + gap.reason());
            }
            case ConnectionLine.Refused refusal -> {
                boolean lastWord = refusal.from() > 0;
                if (!lastWord && !refuse(refusal.hints().messageId(), refusal.error(), refusal.code())) {
                    updates.note(refusal.error());
                }
            }
            case ConnectionLine.Authenticated _,
                    ConnectionLine.Answer _,
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.State _,
                    ConnectionLine.Presence _ -> {}
            case null -> {}
        }
    }

    /** Answers the prompt that a refusal names; false if it names none that waits here. */
    private boolean refuse(@Nullable String messageId, String error, String code) {
        return messageId != null
                && prompts.refuse(messageId, RpcException.failed(error, JsonObject.EMPTY.with("code", code)));
    }

    private void handle(NumberedFrame numbered) {
        switch (numbered.frame()) {
            case Frame.Message frame -> handleMessage(frame);
            case Frame.Done frame -> handleDone(frame);
            case Frame.State frame -> {
                if (frame.isTerminated()) {
                    end("the session has ended: " + (frame.reason() == null ? "" : frame.reason()));
                }
            }
            case Frame.Ask frame -> asks.handle(frame, numbered.seq(), !replaying);
            case Frame.Answered frame -> asks.handle(frame);
            case Frame.Failure frame -> {
                if (!frame.retrying() && frame.agent() == null) {
                    lastError = frame.error();
                }
                if (!refuse(frame.messageId(), frame.error(), frame.code())) {
                    updates.handle(frame);
                }
            }
            case Frame frame -> updates.handle(frame);
            case null -> {}
        }
    }

    /** The turn of a message begins. The editor already shows its own prompts. */
    private void handleMessage(Frame.Message frame) {
        message.append(frame.content());
        if (frame.more()) {
            return;
        }
        String content = message.toString();
        message.setLength(0);
        lastError = "";
        if (!prompts.begin(frame.messageId())) {
            updates.user(frame.messageId(), content);
        }
    }

    private void handleDone(Frame.Done frame) {
        updates.flush();
        if (frame.exitCode() != 0 && frame.reason() == null) {
            updates.note("exit code " + frame.exitCode());
        }
        prompts.end(outcome(frame));
    }

    private Outcome outcome(Frame.Done frame) {
        BrigMeta.Turn turn = new BrigMeta.Turn(frame.exitCode(), frame.signal(), frame.reason(), frame.usage());
        if (CANCELLED.equals(frame.reason())) {
            return new Stopped(StopReason.CANCELLED, turn);
        }
        return frame.exitCode() == 0 || frame.reason() == null
                ? new Stopped(StopReason.END_TURN, turn)
                : new Failed(RpcException.failed(
                        lastError.isEmpty() ? "the turn ended: " + frame.reason() : lastError, JsonObject.of(turn)));
    }

    /** The stream has ended. */
    private void end(String why) {
        prompts.finish(RpcException.failed(why, null));
    }

    @Override
    public void flush() {
        updates.flush();
    }

    @Override
    public long next() {
        return lastSeq + 1;
    }

    @Override
    public void handleLost() {
        prompts.failWaiting(RpcException.failed(
                "the connection to the gateway was lost before the turn of this message came", null));
    }

    @Override
    public boolean handleFound(boolean sameStream, BooleanSupplier adopt) {
        return sameStream
                ? prompts.resume(adopt)
                : prompts.restart(adopt, RpcException.failed("the stream of the session was lost", null));
    }

    @Override
    public void handleEnd(boolean gone) {
        if (gone) {
            updates.note("the gateway is gone");
            end("the gateway is gone");
        }
        asks.end();
        replayUntil = 0;
        endReplayIfDue();
    }

    @Override
    public boolean isOver() {
        return !prompts.takesMore();
    }
}
