package brig.protocol.json;

/** UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8 {
    private Utf8() {}

    /** The length in bytes of the well-formed character at {@code at}; 0 where the bytes are malformed; -1 where the end cuts it. */
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
     * How many of the malformed bytes at {@code at} one U+FFFD stands for: those that began a character well, at least
     * one. That is the practice that Unicode recommends and that every browser follows.
     */
    public static int malformedLength(byte[] bytes, int at, int end) {
        int length = 1;
        while (at + length < end && characterLength(bytes, at, at + length + 1) < 0) {
            length++;
        }
        return length;
    }

    /**
     * The control character there that JSON does not demand to be escaped, DEL or one of U+0080 to U+009F; -1 for none. A
     * terminal takes U+009B for the beginning of a command, as it takes ESC [.
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

    /** Whether a character in there is malformed; one that the end cuts is not. */
    public static boolean isMalformed(byte[] bytes) {
        int fault = firstFault(bytes, 0, bytes.length);
        return fault < bytes.length && characterLength(bytes, fault, bytes.length) == 0;
    }

    /** Where the first character begins that is malformed or cut; {@code end} if there is none. */
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
