package brig.gateway.connection;

import brig.gateway.time.Timers;

/** Beats on a response of server-sent events until it is stopped. Owned by the event loop. */
public final class SseHeartbeat {
    private static final long HEARTBEAT_MS = 15_000;

    private final Timers timers;
    private final EventSink sink;
    private Timers.Timer next;

    /** Beats from now on. */
    public SseHeartbeat(Timers timers, EventSink sink) {
        this.timers = timers;
        this.sink = sink;
        this.next = timers.after(HEARTBEAT_MS, this::beat);
    }

    private void beat() {
        sink.heartbeat();
        next = timers.after(HEARTBEAT_MS, this::beat);
    }

    /** It beats no more. */
    public void stop() {
        next.cancel();
    }
}
