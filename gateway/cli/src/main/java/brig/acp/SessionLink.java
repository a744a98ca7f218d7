package brig.acp;

import brig.captain.CaptainGateway;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.JsonObject;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a session to its gateway. A thread of its own reads the lines. If the connection is lost, it
 * reconnects, since workers survive a restart of the gateway. Sending and closing are thread-safe.
 *
 * <p>Decision 0083.
 */
final class SessionLink {
    /** How long a gateway may be unreachable. */
    private static final Duration GONE_MAX = Duration.ofSeconds(60);

    private static final long LOOK_AGAIN_MS = 250;

    /** The listener. All calls come from the reading thread. */
    interface Reader {
        /** Called once before all others. */
        void begin();

        void handle(JsonObject line);

        /** No more lines are available at the moment. */
        void flush();

        /** The number of the first unread frame. */
        long next();

        /** The connection is lost. */
        void handleLost();

        /**
         * The connection is back.
         *
         * @param sameStream whether it continues the same stream; if not, running prompts are lost
         * @param adopt lets lines be sent on it from now on; false if the session was left meanwhile
         * @return the result of {@code adopt}
         */
        boolean handleFound(boolean sameStream, BooleanSupplier adopt);

        /**
         * No more lines will come.
         *
         * @param gone whether the gateway did not come back
         */
        void handleEnd(boolean gone);

        /** Whether reconnecting is pointless. */
        boolean isOver();
    }

    private final CaptainGateway gateway;
    private final String spawnId;

    // Guarded by this.
    private CaptainGateway.@Nullable Attached stream;
    private boolean closed;

    SessionLink(CaptainGateway gateway, String spawnId) {
        this.gateway = gateway;
        this.spawnId = spawnId;
    }

    /**
     * Connects and begins to read. Waits for a session that is starting.
     *
     * @param name of the session
     * @throws BrigException if the gateway refuses
     */
    void open(long from, String name, Reader reader) {
        CaptainGateway.Attached first = attach(from);
        adopt(first);
        Thread.ofVirtual().name("acp-" + name).start(() -> read(first, reader));
    }

    private CaptainGateway.Attached attach(long from) {
        long end = System.nanoTime() + GONE_MAX.toNanos();
        while (true) {
            try {
                return gateway.attach(spawnId, from);
            } catch (BrigException refusal) {
                if (refusal.code() != ErrorCode.SESSION_NOT_READY || System.nanoTime() > end || !pause()) {
                    throw refusal;
                }
            }
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(LOOK_AGAIN_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void read(CaptainGateway.Attached first, Reader reader) {
        reader.begin();
        for (CaptainGateway.Attached from = first; from != null; from = reconnect(from, reader)) {
            for (JsonObject line = from.next(); line != null; line = from.next()) {
                reader.handle(line);
                if (from.isDrained()) {
                    reader.flush();
                }
            }
            reader.flush();
        }
        reader.handleEnd(!reader.isOver());
    }

    private CaptainGateway.@Nullable Attached reconnect(CaptainGateway.Attached lost, Reader reader) {
        lost.close();
        reader.handleLost();
        long end = System.nanoTime() + GONE_MAX.toNanos();
        while (!reader.isOver() && System.nanoTime() < end) {
            try {
                CaptainGateway.Attached found = gateway.attach(spawnId, reader.next());
                boolean sameStream =
                        found.welcome().epoch().equals(lost.welcome().epoch());
                if (reader.handleFound(sameStream, () -> adopt(found))) {
                    return found;
                }
            } catch (BrigException gone) {
                if (gone.code() == ErrorCode.NOT_FOUND || !pause()) {
                    break;
                }
            }
        }
        return null;
    }

    /** Continues with that connection, unless the session was left. */
    private synchronized boolean adopt(CaptainGateway.Attached found) {
        if (closed) {
            found.close();
            return false;
        }
        stream = found;
        return true;
    }

    /** Sends a line. @throws BrigException if the connection is lost */
    void send(CaptainLine.Order line) {
        CaptainGateway.Attached to;
        synchronized (this) {
            to = stream;
        }
        if (to != null) {
            to.send(line);
        }
    }

    void close() {
        CaptainGateway.Attached open;
        synchronized (this) {
            closed = true;
            open = stream;
        }
        if (open != null) {
            open.close();
        }
    }
}
