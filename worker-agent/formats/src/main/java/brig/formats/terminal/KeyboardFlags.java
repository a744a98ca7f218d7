package brig.formats.terminal;

import java.util.Arrays;

/**
 * How keys are reported, as one screen's stack of flags (sw.kovidgoyal.net/kitty/keyboard-protocol). The newest is in
 * force; without any it is 0.
 */
final class KeyboardFlags {
    /** All that are defined. */
    static final int ALL = 31;
    /** More than programs that start each other need; the oldest are forgotten. */
    static final int DEPTH_MAX = 8;

    private final int[] stack = new int[DEPTH_MAX + 1];
    private int depth;

    int current() {
        return stack[depth];
    }

    void push(int flags) {
        if (depth == DEPTH_MAX) {
            System.arraycopy(stack, 2, stack, 1, DEPTH_MAX - 1);
        } else {
            depth++;
        }
        stack[depth] = flags & ALL;
    }

    void pop(int count) {
        if (count > depth) {
            clear();
        } else {
            depth -= count;
        }
    }

    /** @param how 1 replaces the flags, 2 adds, 3 removes */
    void set(int flags, int how) {
        int given = flags & ALL;
        stack[depth] = switch (how) {
            case 2 -> stack[depth] | given;
            case 3 -> stack[depth] & ~given;
            default -> given;
        };
    }

    void clear() {
        depth = 0;
        stack[0] = 0;
    }

    /** What makes an empty stack equal. */
    void draw(StringBuilder text) {
        if (stack[0] != 0) {
            text.append("\u001b[=").append(stack[0]).append(";1u");
        }
        for (int i = 1; i <= depth; i++) {
            text.append("\u001b[>").append(stack[i]).append('u');
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(stack, depth + 1));
    }
}
