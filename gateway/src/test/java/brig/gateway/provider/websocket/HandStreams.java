package brig.gateway.provider.websocket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Bytes that a test has there, given {@code atOnce} at a time, and those that were written. */
final class HandStreams implements ByteStreams {
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final byte[] there;
    private final int atOnce;
    private int at;
    private boolean ended;

    HandStreams(byte[] there, int atOnce) {
        this.there = there;
        this.atOnce = atOnce;
    }

    /** Whether all was read. */
    boolean isEmpty() {
        return at == there.length;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        int read = Math.min(Math.min(length, atOnce), there.length - at);
        System.arraycopy(there, at, bytes, offset, read);
        at += read;
        return read == 0 ? -1 : read;
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        if (ended) {
            throw new IOException("it has ended");
        }
        written.write(bytes);
    }

    @Override
    public void offer(byte[] bytes) {
        try {
            write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() {
        ended = true;
    }
}
