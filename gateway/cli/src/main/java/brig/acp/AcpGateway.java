package brig.acp;

import brig.protocol.json.Fields;
import java.util.Map;
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
    Fields request(Map<String, ?> request);

    /** A connection that reads a session from that frame on. @throws brig.protocol.BrigException as {@link #request} */
    Attached attach(String id, long from);

    @Override
    void close();

    /** A session connection. One thread reads, any thread sends. */
    interface Attached extends AutoCloseable {
        /** The line {@code authenticated}. */
        Fields welcome();

        /** The next line; null at the end of the connection. */
        @Nullable
        Fields next();

        /** Whether {@link #next} would wait. */
        boolean isDrained();

        /** @throws brig.protocol.BrigException where the connection is lost */
        void send(Map<String, ?> message);

        /** From any thread; a reader that waits gets the end. */
        @Override
        void close();
    }
}
