package brig.acp;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The spawner socket of a gateway. Any thread may call; calls block.
 *
 * <p>Decision 0101.
 */
public interface AcpGateway extends AutoCloseable {
    /**
     * One request on a connection of its own, and its answer.
     *
     * @throws brig.protocol.BrigException where it is refused, or there is no gateway
     */
    <T> T request(SpawnerRequest request, Class<T> answer);

    /** A connection that reads a session from that frame on. @throws brig.protocol.BrigException as {@link #request} */
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

        /** Whether {@link #next} would wait. */
        boolean isDrained();

        /** @throws brig.protocol.BrigException where the connection is lost */
        void send(CaptainLine.Order line);

        /** From any thread; a reader that waits gets the end. */
        @Override
        void close();
    }
}
