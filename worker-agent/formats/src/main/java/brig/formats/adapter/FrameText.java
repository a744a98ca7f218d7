package brig.formats.adapter;

/** Prepares text from outside for frames. */
public final class FrameText {
    private static final char REPLACEMENT = '\uFFFD';
    private static final int ESCAPE_BYTES = 6;

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
            bytes += c < ' ' ? ESCAPE_BYTES : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : c < 0x800 ? 2 : 4;
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
}
