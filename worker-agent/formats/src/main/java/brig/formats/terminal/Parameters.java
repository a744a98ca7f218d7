package brig.formats.terminal;

/** The numbers of a control sequence. Those after a colon belong to the one before; what is absent is not zero. */
final class Parameters {
    static final int ABSENT = -1;
    /** As many as one needs: more are ignored. */
    private static final int MAX = 32;
    /** No row, column, count or mode is greater. */
    private static final int VALUE_MAX = 65_535;

    private final int[] values = new int[MAX];
    private final boolean[] joined = new boolean[MAX];
    private int count;
    private boolean full;

    void clear() {
        count = 0;
        full = false;
    }

    /** A digit. */
    void digit(int digit) {
        if (count == 0) {
            begin(false);
        }
        if (!full) {
            int value = Math.max(0, values[count - 1]) * 10 + digit;
            values[count - 1] = Math.min(value, VALUE_MAX);
        }
    }

    /** A semicolon, or a colon. */
    void separate(boolean colon) {
        if (count == 0) {
            begin(false);
        }
        begin(colon);
    }

    private void begin(boolean colon) {
        full = count == MAX;
        if (!full) {
            joined[count] = colon;
            values[count++] = ABSENT;
        }
    }

    int count() {
        return count;
    }

    /** A number, or 0. */
    int value(int index) {
        return index < count ? Math.max(0, values[index]) : 0;
    }

    /** A number as it is, also {@link #ABSENT}. */
    int exact(int index) {
        return index < count ? values[index] : ABSENT;
    }

    /** A number of repetitions, rows or columns, at least 1. */
    int amount() {
        return Math.max(1, value(0));
    }

    /** Whether it follows a colon. */
    boolean isJoined(int index) {
        return index < count && joined[index];
    }

    /** As they are written. */
    void append(StringBuilder text) {
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                text.append(joined[i] ? ':' : ';');
            }
            if (values[i] != ABSENT) {
                text.append(values[i]);
            }
        }
    }
}
