package brig.gateway.listener;

import brig.gateway.connection.ConnectionWriter;
import brig.gateway.session.Followed;
import brig.gateway.stream.FrameSink;
import brig.protocol.ErrorCode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection that follows asks, or sessions: it is told how it stands, and then what changes, as fast as it takes it. Owned
 * by the event loop.
 *
 * <p>Decisions 0149, 0191.
 *
 * @param <C> what is told at once
 */
public final class Follower<C> implements ConnectionWriter.Writer {
    private final Followed<C> followed;
    private final FrameSink sink;
    private final Consumer<C> output;
    private Runnable ending = () -> {};
    private boolean closed;

    /** @param output writes one line or event to the sink */
    Follower(Followed<C> followed, FrameSink sink, Consumer<C> output) {
        this.followed = followed;
        this.sink = sink;
        this.output = output;
    }

    /**
     * Tells the connection.
     *
     * @param output writes one line or event to the sink
     * @param released run once, when it is no longer told
     * @return to be run when the connection is gone
     */
    public static <C> Runnable follow(
            Followed<C> followed, ConnectionWriter writer, FrameSink sink, Consumer<C> output, Runnable released) {
        Follower<C> follower = new Follower<>(followed, sink, output);
        writer.add(follower);
        follower.begin(() -> {
            writer.remove(follower);
            released.run();
        });
        return follower::close;
    }

    /** @param released run once, when the connection ends */
    void begin(Runnable released) {
        Runnable unfollow = followed.begin(this::drain);
        ending = () -> {
            unfollow.run();
            released.run();
        };
        drain();
    }

    @Override
    public void drain() {
        boolean written = false;
        while (!closed && sink.isWritable()) {
            @Nullable C next = followed.next();
            if (next == null) {
                break;
            }
            output.accept(next);
            written = true;
        }
        if (written) {
            sink.flush();
        }
    }

    @Override
    public void leave(ErrorCode why) {
        close();
        String again = "connect again: " + followed.first() + " come first";
        sink.notice(
                why,
                switch (why) {
                    case SLOW_READER -> "this connection took too little for too long; " + again;
                    case ATTACH_AUTH_EXPIRED -> "the token has expired or was revoked";
                    default -> "the gateway stops; " + again;
                });
    }

    void close() {
        if (!closed) {
            closed = true;
            ending.run();
        }
    }
}
