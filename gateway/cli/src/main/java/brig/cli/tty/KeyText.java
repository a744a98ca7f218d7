package brig.cli.tty;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a terminal sends for keys, as text. A character whose bytes come apart waits for its rest. */
final class KeyText {
    /** Of one line to the gateway, in the bytes of UTF-8. */
    static final int PIECE_BYTES_MAX = 16_384;

    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer cut = ByteBuffer.allocate(0);

    String decode(byte[] bytes, int count) {
        ByteBuffer in = ByteBuffer.allocate(cut.remaining() + count)
                .put(cut)
                .put(bytes, 0, count)
                .flip();
        CharBuffer text = CharBuffer.allocate(in.remaining() + 1);
        decoder.reset().decode(in, text, false);
        cut = in.slice();
        return text.flip().toString();
    }

    /** Splits a long text between characters. */
    static List<String> pieces(String text) {
        List<String> pieces = new ArrayList<>();
        int begin = 0;
        int bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            int size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes + size > PIECE_BYTES_MAX) {
                pieces.add(text.substring(begin, at));
                begin = at;
                bytes = 0;
            }
            bytes += size;
            at += Character.charCount(point);
        }
        if (begin < text.length()) {
            pieces.add(text.substring(begin));
        }
        return pieces;
    }
}
