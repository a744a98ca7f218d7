package brig.captain;

import brig.protocol.StreamPosition;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The spawner socket of a gateway. Thread-safe; calls block.
 *
 * <p>Decision 0101.
 */
public interface CaptainGateway extends AutoCloseable {
    /**
     * Sends a request on a connection of its own, and returns its answer.
     *
     * @throws brig.protocol.BrigException if it is refused, or there is no gateway
     */
    <T> T request(SpawnerRequest request, Class<T> answer);

    /**
     * Reads a session from that frame on, or from a terminal's newest checkpoint for {@link StreamPosition.SCREEN}.
     *
     * @throws brig.protocol.BrigException as {@link #request}
     */
    Attached attach(String id, long from);

    @Override
    void close();

    /** A session connection. One thread reads, any thread sends. */
    interface Attached extends AutoCloseable {
        /** The first line. */
        ConnectionLine.Authenticated welcome();

        /** The next line; null at the end of the connection. */
        @Nullable
        JsonObject next();

        /** Whether {@link #next} would block. */
        boolean isDrained();

        /** @throws brig.protocol.BrigException if the connection is lost */
        void send(CaptainLine.Order line);

        /** Thread-safe; a blocked reader gets the end. */
        @Override
        void close();
    }
}
