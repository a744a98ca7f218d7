package brig.formats.terminal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One row: cells up to the last that differs from those behind it, which are empty and have one background. So an empty row
 * costs nothing, and a whole row is erased in no time, however often an agent asks for it.
 *
 * <p>A cell is its character (0: empty), with flags, and the numbers of a {@link Pen}. A wide character has a second cell
 * without a character. Empty cells have a background and nothing else.
 */
final class Line {
    /** The character is a number in {@link Clusters}. */
    static final int CLUSTER = 1 << 21;
    /** The first cell of a wide character. */
    static final int WIDE = 1 << 22;
    /** Its second. */
    static final int TAIL = 1 << 23;

    static final int POINT = CLUSTER - 1;

    private static final int[] NONE = {};

    private int[] text = NONE;
    private int[] front = NONE;
    private int[] back = NONE;
    private int @Nullable [] under;
    /** How many cells are kept. */
    private int used;
    /** The background of those behind them. */
    private int rest;
    /** Whether it goes on with what did not fit into the row above. */
    boolean wrapped;

    int used() {
        return used;
    }

    int rest() {
        return rest;
    }

    int text(int at) {
        return at < used ? text[at] : 0;
    }

    int front(int at) {
        return at < used ? front[at] : 0;
    }

    int back(int at) {
        return at < used ? back[at] : rest;
    }

    int under(int at) {
        return at < used && under != null ? under[at] : 0;
    }

    boolean isEmpty(int at) {
        return text(at) == 0;
    }

    /** Keeps cells up to that one. */
    private void reach(int end, int width) {
        if (end <= used) {
            return;
        }
        if (end > text.length) {
            int size = Math.max(end, width);
            text = Arrays.copyOf(text, size);
            front = Arrays.copyOf(front, size);
            back = Arrays.copyOf(back, size);
            under = under == null ? null : Arrays.copyOf(under, size);
        }
        Arrays.fill(text, used, end, 0);
        Arrays.fill(front, used, end, 0);
        Arrays.fill(back, used, end, rest);
        if (under != null) {
            Arrays.fill(under, used, end, 0);
        }
        used = end;
    }

    /** Writes a character that takes one cell, or two. What is cut of other wide characters becomes empty. */
    void put(int at, int character, boolean wide, Pen pen, int width) {
        int end = wide ? at + 2 : at + 1;
        reach(end, width);
        split(at, pen.back);
        split(end, pen.back);
        set(at, wide ? character | WIDE : character, pen);
        if (wide) {
            set(at + 1, TAIL, pen);
        }
    }

    /** Writes letters of one cell each. */
    void put(int at, char[] letters, int from, int to, Pen pen, int width) {
        int end = at + to - from;
        reach(end, width);
        split(at, pen.back);
        split(end, pen.back);
        for (int i = from; i < to; i++) {
            text[at + i - from] = letters[i];
        }
        paint(at, end, pen);
    }

    /** Writes a character several times. */
    void repeat(int at, int character, boolean wide, int count, Pen pen, int width) {
        int end = at + (wide ? 2 * count : count);
        reach(end, width);
        split(at, pen.back);
        split(end, pen.back);
        if (wide) {
            for (int i = at; i < end; i += 2) {
                text[i] = character | WIDE;
                text[i + 1] = TAIL;
            }
        } else {
            Arrays.fill(text, at, end, character);
        }
        paint(at, end, pen);
    }

    private void paint(int from, int to, Pen pen) {
        Arrays.fill(front, from, to, pen.front);
        Arrays.fill(back, from, to, pen.back);
        if (under != null || pen.under != 0) {
            Arrays.fill(underlines(), from, to, pen.under);
        }
    }

    private int[] underlines() {
        if (under == null) {
            under = new int[text.length];
        }
        return under;
    }

    private void set(int at, int character, Pen pen) {
        text[at] = character;
        front[at] = pen.front;
        back[at] = pen.back;
        if (under != null || pen.under != 0) {
            underlines()[at] = pen.under;
        }
    }

    /** Replaces the character of a cell, and nothing else of it. */
    void replace(int at, int character) {
        text[at] = character | (text[at] & WIDE);
    }

    /** Makes both cells of a wide character empty that would be cut before that cell. */
    private void split(int at, int fill) {
        if (at > 0 && at < used && (text[at] & TAIL) != 0) {
            empty(at - 1, at + 1, fill);
        }
    }

    private void empty(int from, int to, int fill) {
        Arrays.fill(text, from, to, 0);
        Arrays.fill(front, from, to, 0);
        Arrays.fill(back, from, to, fill & Pen.COLOUR);
        if (under != null) {
            Arrays.fill(under, from, to, 0);
        }
    }

    /** Makes cells empty. */
    void erase(int from, int to, int fill, int width) {
        if (to >= width) {
            split(from, fill);
            if (from < used) {
                used = from;
            } else if ((fill & Pen.COLOUR) != rest) {
                reach(from, width);
            }
            rest = fill & Pen.COLOUR;
        } else if (from < to) {
            reach(to, width);
            split(from, fill);
            split(to, fill);
            empty(from, to, fill);
        }
    }

    /** Moves the cells from there to the right. */
    void insert(int at, int count, int fill, int width) {
        split(at, fill);
        int shift = Math.min(count, width - at);
        int kept = Math.min(Math.max(used, at), width - shift);
        if (used > at || (fill & Pen.COLOUR) != rest) {
            int end = Math.max(used, at);
            reach(Math.min(width, end + shift), width);
            split(kept, fill);
            move(at, at + shift, kept - at);
            empty(at, at + shift, fill);
        }
    }

    /** Takes cells out; those on the right follow. */
    void delete(int at, int count, int fill, int width) {
        int shift = Math.min(count, width - at);
        split(at, fill);
        split(at + shift, fill);
        if (used <= at && (fill & Pen.COLOUR) == rest) {
            return;
        }
        if ((fill & Pen.COLOUR) != rest) {
            reach(width, width);
        }
        if (used > at + shift) {
            move(at + shift, at, used - at - shift);
        }
        used = Math.max(at, used - shift);
        rest = fill & Pen.COLOUR;
    }

    private void move(int from, int to, int count) {
        System.arraycopy(text, from, text, to, count);
        System.arraycopy(front, from, front, to, count);
        System.arraycopy(back, from, back, to, count);
        if (under != null) {
            System.arraycopy(under, from, under, to, count);
        }
    }

    void clear(int fill) {
        used = 0;
        rest = fill & Pen.COLOUR;
        wrapped = false;
    }

    /** The terminal has another width: cells on the right are cut, or empty. */
    void resize(int before, int after) {
        if (after > before && rest != 0) {
            reach(before, after);
            rest = 0;
        } else if (after < used) {
            split(after, 0);
            used = after;
        }
    }

    /** Gives back memory if most of it is not needed: nothing will be written soon. */
    void compact() {
        while (used > 0 && text[used - 1] == 0 && back[used - 1] == rest) {
            used--;
        }
        if (used < text.length / 2) {
            text = Arrays.copyOf(text, used);
            front = Arrays.copyOf(front, used);
            back = Arrays.copyOf(back, used);
            under = under == null ? null : Arrays.copyOf(under, used);
        }
    }
}
