package brig.gateway.limits;

/** A slot taken from a limit. Releasing it is idempotent. Owned by the event loop. */
public final class Lease implements AutoCloseable {
    private final Runnable giveBack;
    private boolean closed;

    Lease(Runnable giveBack) {
        this.giveBack = giveBack;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            giveBack.run();
        }
    }
}
