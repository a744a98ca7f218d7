package brig.gateway.telemetry;

/** What all subscribers over one transport received. Owned by the event loop. */
public final class TransportCounters {
    long frames;
    long bytes;
    int subscribers;

    TransportCounters() {}

    public void handleSubscribed() {
        subscribers++;
    }

    public void handleUnsubscribed() {
        subscribers--;
    }

    /** Frames were delivered to one of them; the bytes are those of their lines. */
    public void handleDelivered(long moreFrames, long moreBytes) {
        frames += moreFrames;
        bytes += moreBytes;
    }
}
