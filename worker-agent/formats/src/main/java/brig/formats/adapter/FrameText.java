package brig.formats.adapter;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prepares text from outside for frames. */
public final class FrameText {
    private static final char REPLACEMENT = '\uFFFD';
    private static final int ESCAPE_BYTES = 6;
    private static final int NAME_BYTES_MAX = 256;

    private FrameText() {}

    /** Replaces each unpaired surrogate with U+FFFD: JSON can hold it, UTF-8 cannot. */
    static String wellFormed(String text) {
        int at = firstLoneSurrogate(text, 0);
        if (at < 0) {
            return text;
        }
        StringBuilder mended = new StringBuilder(text);
        for (; at >= 0; at = firstLoneSurrogate(text, at + 1)) {
            mended.setCharAt(at, REPLACEMENT);
        }
        return mended.toString();
    }

    private static int firstLoneSurrogate(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && at + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(at + 1));
                if (!pair) {
                    return at;
                }
                at++;
            }
        }
        return -1;
    }

    /**
     * The end of a piece that begins at {@code from} and takes at most {@code bytesMax} bytes as a JSON string. It
     * never splits a surrogate pair.
     */
    public static int end(String text, int from, int bytesMax) {
        int bytes = 0;
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at);
            int characters = Character.isHighSurrogate(c) ? 2 : 1;
            bytes += Character.isISOControl(c)
                    ? ESCAPE_BYTES
                    : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : c < 0x800 ? 2 : 4;
            if (bytes > bytesMax) {
                return at;
            }
            at += characters;
        }
        return Math.min(at, text.length());
    }

    /** The beginning of a text, ending in … if it was cut. */
    public static String cut(String text, int bytesMax) {
        int end = end(text, 0, bytesMax);
        return end == text.length() ? text : text.substring(0, end) + "…";
    }

    /** A value of JSON with shortened texts, objects and lists. */
    static @Nullable Object shortened(@Nullable Object value, int textBytes) {
        return switch (value) {
            case String text -> cut(text, textBytes);
            case JsonObject object -> {
                JsonObject.Builder shorter = JsonObject.builder();
                object.names().stream()
                        .limit(textBytes / 32)
                        .forEach(name ->
                                shorter.put(cut(name, NAME_BYTES_MAX), shortened(object.value(name), textBytes)));
                yield shorter.build();
            }
            case List<?> list -> {
                List<@Nullable Object> shorter = new ArrayList<>();
                list.stream().limit(textBytes / 32).forEach(element -> shorter.add(shortened(element, textBytes)));
                yield shorter;
            }
            case null, default -> value;
        };
    }

    /** A value of JSON that takes at most that many bytes, shortened if need be. */
    public static @Nullable Object fit(@Nullable Object value, int bytesMax) {
        Object fitting = value;
        for (int textBytes = bytesMax / 2;
                Json.write(JsonObject.EMPTY.with("value", fitting)).length > bytesMax;
                textBytes /= 4) {
            fitting = shortened(value, textBytes);
        }
        return fitting;
    }
}
