package brig.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Feeds bytes to a decoder in reads that end where a test wants them to. */
public final class Splits {
    /** What takes a read. */
    public interface Decoder {
        void decode(byte[] bytes, int offset, int length);
    }

    private Splits() {}

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Two reads that meet at {@code index}; each lies in the middle of an array, as in a buffer of a socket. */
    public static void feedSplit(Decoder decoder, byte[] bytes, int index) {
        feed(decoder, bytes, 0, index);
        feed(decoder, bytes, index, bytes.length);
    }

    public static void feed(Decoder decoder, byte[] bytes, int from, int to) {
        byte[] buffer = new byte[to - from + 12];
        Arrays.fill(buffer, (byte) '\n');
        System.arraycopy(bytes, from, buffer, 5, to - from);
        decoder.decode(buffer, 5, to - from);
        Arrays.fill(buffer, (byte) 'X');
    }
}
