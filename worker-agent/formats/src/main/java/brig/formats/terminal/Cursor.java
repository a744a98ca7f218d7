package brig.formats.terminal;

/**
 * Where and how text is written: place, colours, character sets. In the column behind the last one the cursor waits for the
 * next character to wrap.
 */
final class Cursor {
    private static final String GRAPHICS = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

    int column;
    int row;
    final Pen pen = new Pen();
    /** The character sets G0 to G3: B for ASCII, 0 for the graphics of DEC, A for the British. */
    final char[] sets = {'B', 'B', 'B', 'B'};
    /** The one of them that is in use. */
    int set;

    void clear() {
        column = 0;
        row = 0;
        pen.clear();
        resetSets();
    }

    /** Whether it is as in a fresh terminal. */
    boolean isUsual() {
        return column == 0
                && row == 0
                && pen.isPlain()
                && set == 0
                && String.valueOf(sets).equals("BBBB");
    }

    void resetSets() {
        sets[0] = 'B';
        sets[1] = 'B';
        sets[2] = 'B';
        sets[3] = 'B';
        set = 0;
    }

    void copy(Cursor other) {
        column = other.column;
        row = other.row;
        pen.copy(other.pen);
        System.arraycopy(other.sets, 0, sets, 0, sets.length);
        set = other.set;
    }

    boolean isAscii() {
        return sets[set] == 'B';
    }

    /** What a letter stands for in the character set. */
    int mapped(int letter) {
        if (sets[set] == '0' && letter >= '`' && letter <= '~') {
            return GRAPHICS.charAt(letter - '`');
        }
        return sets[set] == 'A' && letter == '#' ? '£' : letter;
    }
}
