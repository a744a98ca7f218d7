package brig.gateway.joint;

import java.util.Arrays;

/** Bytes in a row, in an array that grows. */
final class Bytes {
    private static final byte[] NONE = {};
    private static final int FIRST = 16 * 1024;

    private byte[] array = NONE;
    private int length;

    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }

    void add(byte[] from, int count) {
        int needed = length + count;
        if (needed > array.length) {
            array = Arrays.copyOf(array, Math.max(needed, Math.max(FIRST, 2 * array.length)));
        }
        System.arraycopy(from, 0, array, length, count);
        length = needed;
    }

    /** Empties it, and keeps the array. */
    void clear() {
        length = 0;
    }

    /** Empties it, and takes no memory. */
    void free() {
        array = NONE;
        length = 0;
    }
}
