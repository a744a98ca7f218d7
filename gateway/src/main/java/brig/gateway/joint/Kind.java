package brig.gateway.joint;

/** What a frame says. */
enum Kind {
    OPEN(1),
    DATA(2),
    END(3),
    CLOSE(4),
    WINDOW(5);

    private static final Kind[] ALL = values();

    /** What fits into the head of a frame beside the kind and the connection. */
    static final int VALUE_MAX = (1 << 24) - 1;

    private final int code;

    Kind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** @throws BrokenRule if there is none of that code */
    static Kind of(int code) throws BrokenRule {
        for (Kind kind : ALL) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new BrokenRule("a frame of no kind");
    }
}
