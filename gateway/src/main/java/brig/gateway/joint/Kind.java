package brig.gateway.joint;

/** What a frame says. The place in this list is its number, less one. */
enum Kind {
    OPEN,
    DATA,
    END,
    CLOSE,
    WINDOW;

    private static final Kind[] ALL = values();

    /** What fits into the head of a frame beside the kind and the connection. */
    static final int VALUE_MAX = (1 << 24) - 1;

    byte code() {
        return (byte) (ordinal() + 1);
    }

    /** @throws BrokenRule if there is none of that code */
    static Kind of(int code) throws BrokenRule {
        if (code < 1 || code > ALL.length) {
            throw new BrokenRule("a frame of no kind");
        }
        return ALL[code - 1];
    }
}
