package brig.protocol.golden;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How golden scripts write bytes: text stands for itself in UTF-8, {@code <LF>} and {@code <CR>} for line ends,
 * {@code <C3>} for any byte, {@code <a*300>} and {@code <00*16>} for a character or byte many times over.
 */
public final class Notation {
    private static final Pattern TOKEN =
            Pattern.compile("<(?:(LF|CR|[0-9A-F]{2})(?:\\*([0-9]+))?|([^*]{1,6})\\*([0-9]+))>");
    private static final int RUN_MIN = 24;
    /** Lengths of what is written as a run: a character, and the two lengths of escapes in JSON. */
    private static final int[] RUN_UNITS = {1, 2, 6};

    private Notation() {}

    public static byte[] bytes(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Matcher token = TOKEN.matcher(text);
        int at = 0;
        while (token.find()) {
            out.writeBytes(text.substring(at, token.start()).getBytes(StandardCharsets.UTF_8));
            boolean named = token.group(1) != null;
            byte[] unit = named ? namedByte(token.group(1)) : token.group(3).getBytes(StandardCharsets.UTF_8);
            String times = named ? token.group(2) : token.group(4);
            for (int i = times == null ? 1 : Integer.parseInt(times); i > 0; i--) {
                out.writeBytes(unit);
            }
            at = token.end();
        }
        out.writeBytes(text.substring(at).getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    private static byte[] namedByte(String name) {
        return new byte[] {
            switch (name) {
                case "LF" -> '\n';
                case "CR" -> '\r';
                default -> (byte) Integer.parseInt(name, 16);
            }
        };
    }

    public static String text(byte[] bytes, int offset, int length) {
        StringBuilder out = new StringBuilder();
        for (int at = offset; at < offset + length; ) {
            int size = characterAt(bytes, at, offset + length);
            out.append(size > 0 ? new String(bytes, at, size, StandardCharsets.UTF_8) : nameOf(bytes[at]));
            at += Math.max(size, 1);
        }
        return withRuns(out.toString());
    }

    /** The size of a printable character there, 0 if there is none. */
    private static int characterAt(byte[] bytes, int at, int end) {
        if (bytes[at] >= 0) {
            return bytes[at] >= ' ' && bytes[at] != '<' && bytes[at] != 0x7f ? 1 : 0;
        }
        for (int size = 2; size <= 4 && at + size <= end; size++) {
            String text = new String(bytes, at, size, StandardCharsets.UTF_8);
            byte[] back = text.getBytes(StandardCharsets.UTF_8);
            boolean one = text.codePointCount(0, text.length()) == 1;
            if (one && Arrays.equals(back, 0, back.length, bytes, at, at + size)) {
                return size;
            }
        }
        return 0;
    }

    private static String nameOf(byte b) {
        return b == '\n' ? "<LF>" : b == '\r' ? "<CR>" : String.format("<%02X>", b);
    }

    private static String withRuns(String text) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            int next = at;
            for (int unit : RUN_UNITS) {
                int times = repeats(text, at, unit);
                if (times >= RUN_MIN) {
                    out.append('<')
                            .append(text, at, at + unit)
                            .append('*')
                            .append(times)
                            .append('>');
                    next = at + unit * times;
                    break;
                }
            }
            if (next == at) {
                out.append(text.charAt(at));
                next++;
            }
            at = next;
        }
        return out.toString();
    }

    private static int repeats(String text, int at, int unit) {
        int times = 1;
        while (text.regionMatches(at, text, at + unit * times, unit)) {
            times++;
        }
        return times;
    }
}
