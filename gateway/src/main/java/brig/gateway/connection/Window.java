package brig.gateway.connection;

import java.util.ArrayDeque;

/**
 * How much of a stream a client may have that it has not acknowledged yet. What was written is noted in few pieces, so an
 * acknowledgement frees whole pieces alone.
 *
 * <p>Decision 0191.
 */
final class Window {
    private static final int PIECES = 16;

    /** Frames up to that number, and their length since the piece before. */
    private record Piece(long lastSeq, long bytes) {}

    private final long bytesMax;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private long bytes;

    Window(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Whether more may be written; what is written then may exceed it once. */
    boolean isOpen() {
        return bytes < bytesMax;
    }

    void handleWritten(long lastSeq, long length) {
        Piece newest = pieces.peekLast();
        boolean joins = newest != null && newest.bytes() + length <= bytesMax / PIECES;
        pieces.add(new Piece(lastSeq, joins ? pieces.removeLast().bytes() + length : length));
        bytes += length;
    }

    /** The client has everything up to that frame. */
    void handleAck(long seq) {
        for (Piece oldest = pieces.peek(); oldest != null && oldest.lastSeq() <= seq; oldest = pieces.peek()) {
            bytes -= pieces.remove().bytes();
        }
    }
}
