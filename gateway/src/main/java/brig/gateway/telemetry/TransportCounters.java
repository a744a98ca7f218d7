package brig.gateway.telemetry;

/** What all readers of one transport got. Owned by the event loop. */
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

    /** Frames were given to one of them; as many bytes as their lines have. */
    public void handleDelivered(long moreFrames, long moreBytes) {
        frames += moreFrames;
        bytes += moreBytes;
    }
}
