package brig.gateway.stream;

/** The memory that all stream windows use together. Owned by the event loop. */
public final class RetainedBudget {
    private final long bytesMax;
    private long bytes;

    public RetainedBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    void add(long more) {
        bytes += more;
        assert bytes >= 0 : "released more than was kept";
    }

    boolean isExceeded() {
        return bytes > bytesMax;
    }

    public long bytes() {
        return bytes;
    }

    public long bytesMax() {
        return bytesMax;
    }
}
