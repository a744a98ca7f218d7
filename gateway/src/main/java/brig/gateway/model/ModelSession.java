package brig.gateway.model;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * A worker that serves a client as a model. It waits a limited time for the conversation's next request, and ends
 * sooner if the client disconnects: a killed client only closes its connections. Owned by the event loop.
 */
final class ModelSession {
    /** How long an idle worker waits for the next request. */
    static final long IDLE_MS = 5 * 60_000L;
    /** How long it waits after the client closed the connection of the last answer. */
    static final long GONE_MS = 3_000;

    private final Worker worker;
    private final Timers timers;
    private final boolean goesOn;
    private boolean busy;
    private @Nullable Waiting waiting;
    private boolean ended;
    private Timers.@Nullable Timer end;
    private @Nullable Channel client;
    private final ChannelFutureListener handleClosed = closed -> handleGone();

    private record Waiting(String askId, long from) {}

    /** The worker behind it. */
    interface Worker {
        boolean isOver();

        /** Interrupts the current turn. */
        void cancel();

        /** Ends the worker; no calls follow. */
        void terminate(String reason);
    }

    /** @param goesOn whether a later request can refer to it */
    ModelSession(Worker worker, Timers timers, boolean goesOn) {
        this.worker = worker;
        this.timers = timers;
        this.goesOn = goesOn;
    }

    /** @throws BrigException {@code INPUT_NOT_ACCEPTED} */
    void requireIdle() {
        if (waiting != null) {
            throw new BrigException(
                    ErrorCode.INPUT_NOT_ACCEPTED,
                    "the talk waits for the result of the tool call " + waiting.askId(),
                    1);
        }
        if (busy) {
            throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "the talk has an answer that is not over yet", 1);
        }
    }

    /** A turn begins, for the client on that connection. */
    void begin(Channel connection) {
        busy = true;
        waiting = null;
        stay();
        if (connection != client) {
            leave();
            client = connection;
            // A connection that is already closed calls back at once.
            connection.closeFuture().addListener(handleClosed);
        }
    }

    /**
     * The answer ended with a call of the client's tool. The turn goes on with the next request, which may come on another
     * connection.
     *
     * @param from the first frame that the client has not got
     * @param waitMs how long the client may take
     */
    void handleCalled(String askId, long from, long waitMs) {
        waiting = new Waiting(askId, from);
        leave();
        stay();
        end = timers.after(waitMs, () -> terminate("idle"));
    }

    /** Where the turn goes on after the call for that ask; 0 if the client has none to answer. */
    long resumesAt(String askId) {
        return waiting != null && waiting.askId().equals(askId) ? waiting.from() : 0;
    }

    /** The turn is over and its answer sent. */
    void handleOver() {
        busy = false;
        if (worker.isOver() || !goesOn) {
            terminate("completed");
        } else if (end == null && !ended) {
            end = timers.after(IDLE_MS, () -> terminate("idle"));
        }
    }

    private void handleGone() {
        client = null;
        if (busy) {
            worker.cancel();
        }
        stay();
        if (goesOn) {
            end = timers.after(GONE_MS, () -> terminate("requested"));
        } else {
            terminate("requested");
        }
    }

    private void stay() {
        if (end != null) {
            end.cancel();
            end = null;
        }
    }

    private void leave() {
        if (client != null) {
            client.closeFuture().removeListener(handleClosed);
            client = null;
        }
    }

    private void terminate(String reason) {
        stay();
        leave();
        if (!ended) {
            ended = true;
            worker.terminate(reason);
        }
    }
}
