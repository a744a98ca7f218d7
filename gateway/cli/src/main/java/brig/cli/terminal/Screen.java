package brig.cli.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Standard output or standard error. Where that is a terminal, what others wrote goes through a {@link ContentFilter};
 * a file and a pipe get every byte. Used under the lock of its {@link Terminal}.
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
    /** The first bytes of a character whose others have not come yet. */
    private ByteBuffer cut = ByteBuffer.allocate(0);

    private String speaker = "";
    private boolean raw;
    private boolean broken;

    /** @param coloured whether Brig's own words have colours there */
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

    /** Whether nobody reads any more. */
    boolean isBroken() {
        return broken;
    }

    /** Whether bytes go through as they are. */
    boolean isExact() {
        return !terminal || raw;
    }

    void becomeRaw() {
        raw = true;
    }

    /** What somebody said. Who goes on after another one began begins anew, without the other's colours. */
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

    /** The same as bytes, in which a character may be cut. */
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

    /** Brig's own words, in no colours but theirs. */
    void own(String words) {
        uncolour();
        write(words.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends the colours of who spoke last. */
    void uncolour() {
        StringBuilder shown = new StringBuilder();
        filter.uncolour(shown);
        write(shown);
    }

    /** The last of it: what is still written has no colours. */
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

    /** As a program in a pipe whose reader has gone: what comes has nowhere to go. */
    private void write(byte[] bytes, int offset, int count) {
        try {
            stream.write(bytes, offset, count);
            stream.flush();
        } catch (IOException nobodyReads) {
            broken = true;
        }
    }
}
