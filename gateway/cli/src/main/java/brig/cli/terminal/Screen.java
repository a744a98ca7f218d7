package brig.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Standard output or standard error. On a terminal, untrusted content passes a {@link ContentFilter}; files and pipes
 * get every byte. Used under the lock of its {@link Terminal}.
 */
final class Screen {
    private final OutputStream stream;
    private final boolean terminal;
    private final boolean coloured;
    private final ContentFilter filter = new ContentFilter();
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    /** The first bytes of an incomplete character. */
    private ByteBuffer cut = ByteBuffer.allocate(0);

    private String speaker = "";
    private boolean raw;
    private boolean broken;

    /** @param coloured whether Brig's own output is coloured */
    Screen(OutputStream stream, boolean terminal, boolean coloured) {
        this.stream = stream;
        this.terminal = terminal;
        this.coloured = coloured;
    }

    boolean isTerminal() {
        return terminal;
    }

    boolean isColoured() {
        return coloured;
    }

    /** Whether its reader is gone. */
    boolean isBroken() {
        return broken;
    }

    /** Whether bytes pass unchanged. */
    boolean isExact() {
        return !terminal || raw;
    }

    void becomeRaw() {
        raw = true;
    }

    /** Writes content from a source. A change of source resets the colours. */
    void content(String from, CharSequence text) {
        if (isExact()) {
            write(text.toString().getBytes(StandardCharsets.UTF_8));
            return;
        }
        StringBuilder shown = new StringBuilder();
        if (!from.equals(speaker)) {
            filter.finish(shown);
            speaker = from;
        }
        filter.filter(text, shown);
        write(shown);
    }

    /** As above with bytes, which may split a character. */
    void content(String from, byte[] bytes, int offset, int count) {
        if (isExact()) {
            write(bytes, offset, count);
            return;
        }
        ByteBuffer in = ByteBuffer.allocate(cut.remaining() + count)
                .put(cut)
                .put(bytes, offset, count)
                .flip();
        CharBuffer text = CharBuffer.allocate(in.remaining() + 1);
        decoder.reset().decode(in, text, false);
        content(from, text.flip());
        cut = in.slice();
    }

    /** Writes Brig's own output, in its own colours only. */
    void own(String words) {
        uncolour();
        write(words.getBytes(StandardCharsets.UTF_8));
    }

    /** Resets the colours of the last source. */
    void uncolour() {
        StringBuilder shown = new StringBuilder();
        filter.uncolour(shown);
        write(shown);
    }

    /** Ends the output without colours. */
    void finish() {
        uncolour();
        filter.becomeColourless();
    }

    private void write(StringBuilder shown) {
        if (!shown.isEmpty()) {
            write(shown.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void write(byte[] bytes) {
        write(bytes, 0, bytes.length);
    }

    /** As in a pipe whose reader has gone: further output is dropped. */
    private void write(byte[] bytes, int offset, int count) {
        try {
            stream.write(bytes, offset, count);
            stream.flush();
        } catch (IOException nobodyReads) {
            broken = true;
        }
    }
}
