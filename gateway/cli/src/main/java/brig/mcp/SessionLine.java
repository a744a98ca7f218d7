package brig.mcp;

import brig.captain.CaptainGateway;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A connection to a session that lasts for one call. One thread reads; any thread may end it. */
final class SessionLine implements AutoCloseable {
    private final CaptainGateway gateway;
    private final Ticks ticks;
    private final String spawnId;

    // Guarded by this.
    private CaptainGateway.@Nullable Attached attached;
    private boolean over;

    SessionLine(CaptainGateway gateway, Ticks ticks, String spawnId) {
        this.gateway = gateway;
        this.ticks = ticks;
        this.spawnId = spawnId;
    }

    /**
     * Connects; waits for a session that is starting, and for a gateway that is.
     *
     * @return null if it was ended meanwhile
     * @throws BrigException if the gateway refuses
     */
    CaptainGateway.@Nullable Attached open(long from) {
        while (!isOver()) {
            try {
                return adopt(gateway.attach(spawnId, from));
            } catch (BrigException refusal) {
                if (refusal.code() != ErrorCode.SESSION_NOT_READY && refusal.code() != ErrorCode.SHUTTING_DOWN) {
                    throw refusal;
                }
                ticks.pause();
            }
        }
        return null;
    }

    private synchronized CaptainGateway.@Nullable Attached adopt(CaptainGateway.Attached found) {
        if (over) {
            found.close();
            return null;
        }
        attached = found;
        return found;
    }

    synchronized boolean isOver() {
        return over;
    }

    /** Ends it: the reader gets the end of the connection. */
    void end() {
        CaptainGateway.Attached open;
        synchronized (this) {
            over = true;
            open = attached;
            attached = null;
        }
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        end();
    }
}
