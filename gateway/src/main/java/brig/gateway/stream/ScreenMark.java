package brig.gateway.stream;

/** Where the newest whole checkpoint of a terminal begins. Owned by the event loop. */
final class ScreenMark {
    private long whole;
    /** Of one whose other pieces are still to come; 0 for none. */
    private long begun;

    void handle(long seq, boolean more) {
        begun = begun == 0 ? seq : begun;
        if (!more) {
            whole = begun;
            begun = 0;
        }
    }

    /** The newest of an earlier process begins there; one of this process is newer. */
    void find(long seq) {
        whole = Math.max(whole, seq);
    }

    /** The number of its first piece; 0 for none. */
    long seq() {
        return whole;
    }
}
