package brig.gateway.stream;

import java.nio.charset.StandardCharsets;

/** Frames for tests. */
public final class Frames {
    private Frames() {}

    /** A short chunk with that number, as a line. */
    public static String frame(long seq) {
        return "{\"type\":\"chunk\",\"seq\":" + seq + ",\"content\":\"c" + seq + "\"}\n";
    }

    /** A chunk with that number that has {@code length} bytes, newline included. */
    static String frame(long seq, int length) {
        String head = "{\"type\":\"chunk\",\"seq\":" + seq + ",\"content\":\"";
        return head + "x".repeat(length - head.length() - 3) + "\"}\n";
    }

    public static String frames(long first, long last) {
        StringBuilder text = new StringBuilder();
        for (long seq = first; seq <= last; seq++) {
            text.append(frame(seq));
        }
        return text.toString();
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
