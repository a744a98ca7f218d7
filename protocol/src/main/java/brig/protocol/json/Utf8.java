package brig.protocol.json;

/** UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8 {
    private Utf8() {}

    /** The length in bytes of the character at {@code at}; 0 if it is malformed, -1 if it is cut off by the end. */
    public static int characterLength(byte[] bytes, int at, int end) {
        int first = bytes[at] & 0xff;
        if (first < 0x80) {
            return 1;
        }
        int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if (at + i == end) {
                return -1;
            }
            int next = bytes[at + i] & 0xff;
            if (next < lowestAt(i, first) || next > highestAt(i, first)) {
                return 0;
            }
        }
        return length;
    }

    /**
     * How many malformed bytes at {@code at} one U+FFFD replaces: the longest valid prefix of a character, but at least
     * one. This is the practice that Unicode recommends and browsers follow.
     */
    public static int malformedLength(byte[] bytes, int at, int end) {
        int length = 1;
        while (at + length < end && characterLength(bytes, at, at + length + 1) < 0) {
            length++;
        }
        return length;
    }

    /**
     * The control character at that place that JSON need not escape, DEL or U+0080 to U+009F; -1 for none. To a
     * terminal U+009B is the same as ESC [.
     */
    public static int lateControl(byte[] bytes, int at, int end) {
        if (bytes[at] == 0x7f) {
            return 0x7f;
        }
        boolean late = bytes[at] == (byte) 0xc2 && at + 1 < end && (bytes[at + 1] & 0xff) < 0xa0;
        return late ? bytes[at + 1] & 0xff : -1;
    }

    private static int lowestAt(int index, int first) {
        return index > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    }

    private static int highestAt(int index, int first) {
        return index > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    }

    public static boolean isValid(byte[] bytes, int offset, int length) {
        return firstFault(bytes, offset, offset + length) == offset + length;
    }

    /** Whether it contains a malformed character; one cut off by the end does not count. */
    public static boolean isMalformed(byte[] bytes) {
        int fault = firstFault(bytes, 0, bytes.length);
        return fault < bytes.length && characterLength(bytes, fault, bytes.length) == 0;
    }

    /** The start of the first malformed or cut character; {@code end} if there is none. */
    private static int firstFault(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end) {
            int character = characterLength(bytes, at, end);
            if (character <= 0) {
                return at;
            }
            at += character;
        }
        return end;
    }
}
