package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.session.Sessions;
import brig.gateway.stream.FrameSink;
import brig.protocol.ErrorCode;
import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection that follows asks: first the open ones, then each change. Changes wait while the connection is full.
 * If too many wait, they are dropped and the client is told the open asks again, so memory is bounded and the client is
 * never left with a wrong list. Owned by the event loop.
 *
 * <p>Decision 0149.
 */
public final class AskFollower implements ConnectionWriter.Writer {
    /** Asks in one line, which bounds its size. */
    static final int ASKS_MAX = 64;

    static final int CHANGES_MAX = 1024;

    private final Supplier<AskList> open;
    private final FrameSink sink;
    private final Consumer<AskChange> output;
    private final ArrayDeque<AskChange> waiting = new ArrayDeque<>();
    private int waitingMax;
    private Runnable ending = () -> {};
    private boolean closed;

    /**
     * @param open the open asks that the client may see
     * @param output writes one line or event to the sink
     */
    AskFollower(Supplier<AskList> open, FrameSink sink, Consumer<AskChange> output) {
        this.open = open;
        this.sink = sink;
        this.output = output;
    }

    /**
     * Tells the connection the open asks and then each change.
     *
     * @param tree any name of a session, whose asks alone are told; null for all that the client may read
     * @param output writes one line or event to the sink
     * @param released run once, when it is no longer told
     * @return to be run when the connection is gone
     * @throws brig.protocol.BrigException {@code NOT_FOUND}, or if the client may not read that session
     */
    public static Runnable follow(
            Sessions sessions,
            Access access,
            @Nullable String tree,
            ConnectionWriter writer,
            FrameSink sink,
            Consumer<AskChange> output,
            Runnable released) {
        AskFollower follower = new AskFollower(() -> sessions.asks(access, tree), sink, output);
        Runnable unfollow = sessions.followAsks(access, tree, follower::handle);
        writer.add(follower);
        follower.begin(() -> {
            unfollow.run();
            writer.remove(follower);
            released.run();
        });
        return follower::close;
    }

    /** @param released run once, when the connection ends */
    void begin(Runnable released) {
        ending = released;
        beginAgain();
        drain();
    }

    private void beginAgain() {
        List<AskList.View> asks = open.get().asks();
        waiting.clear();
        waiting.add(new AskChange.Asks(asks.stream().limit(ASKS_MAX).toList()));
        asks.stream().skip(ASKS_MAX).map(AskChange.Ask::new).forEach(waiting::add);
        waitingMax = waiting.size() + CHANGES_MAX;
    }

    void handle(AskChange change) {
        if (closed) {
            return;
        }
        if (waiting.size() < waitingMax) {
            waiting.add(change);
        } else {
            beginAgain();
        }
        drain();
    }

    @Override
    public void drain() {
        boolean written = false;
        while (!waiting.isEmpty() && sink.isWritable()) {
            output.accept(waiting.remove());
            written = true;
        }
        if (written) {
            sink.flush();
        }
    }

    @Override
    public void leave(ErrorCode why) {
        close();
        sink.notice(
                why,
                switch (why) {
                    case SLOW_READER ->
                        "this connection took too little for too long; connect again: the open asks come first";
                    case ATTACH_AUTH_EXPIRED -> "the token has expired or was revoked";
                    default -> "the gateway stops; connect again: the open asks come first";
                });
    }

    void close() {
        if (!closed) {
            closed = true;
            waiting.clear();
            ending.run();
        }
    }
}
