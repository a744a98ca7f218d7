package brig.gateway.connection;

import brig.gateway.time.Timers;

/** Periodic heartbeat on a response of server-sent events, until stopped. Owned by the event loop. */
public final class SseHeartbeat {
    private static final long HEARTBEAT_MS = 15_000;

    private final Timers timers;
    private final EventSink sink;
    private Timers.Timer next;

    /** Starts the heartbeat. */
    public SseHeartbeat(Timers timers, EventSink sink) {
        this.timers = timers;
        this.sink = sink;
        this.next = timers.after(HEARTBEAT_MS, this::beat);
    }

    private void beat() {
        sink.heartbeat();
        next = timers.after(HEARTBEAT_MS, this::beat);
    }

    public void stop() {
        next.cancel();
    }
}
