package brig.gateway.provider.http;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/** Cuts what comes into lines. Of a line that is too long nothing is passed on. Not thread-safe. */
public final class Lines implements Consumer<byte[]> {
    public static final int LINE_BYTES_MAX = 1024 * 1024;

    private final Consumer<byte[]> taker;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean tooLong;

    /** @param taker gets each line without its end */
    public Lines(Consumer<byte[]> taker) {
        this.taker = taker;
    }

    @Override
    public void accept(byte[] piece) {
        int from = 0;
        for (int at = 0; at < piece.length; at++) {
            if (piece[at] == '\n') {
                add(piece, from, at);
                finish();
                from = at + 1;
            }
        }
        add(piece, from, piece.length);
    }

    private void add(byte[] piece, int from, int to) {
        tooLong |= line.size() + to - from > LINE_BYTES_MAX;
        if (!tooLong) {
            line.write(piece, from, to - from);
        }
    }

    /** What has no end yet is a line too. */
    public void finish() {
        if (!tooLong && line.size() > 0) {
            taker.accept(line.toByteArray());
        }
        tooLong = false;
        line.reset();
    }
}
