package brig.workeragent.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.formats.adapter.Adapter.OutputReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.util.function.Consumer;

/** The text of one pipe, in pieces that fit into a frame. Owned by the thread that reads the pipe. */
final class ServiceOutput implements OutputReader {
    /** In JSON a character takes six bytes at most. */
    private static final int PIECE_MAX = 8 * 1024;

    private static final int CHARACTER_BYTES_MAX = 4;

    private final Consumer<String> pieces;
    private final CharsetDecoder decoder = UTF_8.newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final CharBuffer text = CharBuffer.allocate(PIECE_MAX);
    /** The beginning of a character whose end did not come yet. */
    private ByteBuffer cut = ByteBuffer.allocate(0);

    ServiceOutput(Consumer<String> pieces) {
        this.pieces = pieces;
    }

    @Override
    public void read(byte[] bytes, int offset, int count, long nowMs) {
        ByteBuffer all = ByteBuffer.allocate(cut.remaining() + count);
        all.put(cut).put(bytes, offset, count).flip();
        decode(all, false);
        cut = ByteBuffer.allocate(CHARACTER_BYTES_MAX).put(all).flip();
    }

    @Override
    public void finish(long nowMs) {
        decode(cut, true);
    }

    private void decode(ByteBuffer bytes, boolean isLast) {
        boolean isFull;
        do {
            isFull = decoder.decode(bytes, text, isLast).isOverflow();
            if (text.flip().hasRemaining()) {
                pieces.accept(text.toString());
            }
            text.clear();
        } while (isFull);
    }
}
