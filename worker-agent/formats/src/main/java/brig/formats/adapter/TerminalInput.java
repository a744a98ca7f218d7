package brig.formats.adapter;

import brig.protocol.spawn.TerminalSize;
import java.nio.ByteBuffer;

/** The standard input of process 1 of a wall whose agent has a terminal. Format: {@code init-terminal.c}. */
final class TerminalInput {
    private static final int HEAD_BYTES = 3;
    private static final int RECORD_BYTES_MAX = 0xffff;

    private TerminalInput() {}

    static byte[] keys(byte[] keys) {
        int records = (keys.length + RECORD_BYTES_MAX - 1) / RECORD_BYTES_MAX;
        ByteBuffer all = ByteBuffer.allocate(keys.length + records * HEAD_BYTES);
        for (int at = 0; at < keys.length; at += RECORD_BYTES_MAX) {
            int length = Math.min(RECORD_BYTES_MAX, keys.length - at);
            all.put((byte) 'k').putShort((short) length).put(keys, at, length);
        }
        return all.array();
    }

    /** @param end whether only what is appended is read */
    static byte[] follow(int number, boolean end, byte[] path) {
        return ByteBuffer.allocate(2 * HEAD_BYTES + path.length)
                .put((byte) 'f')
                .putShort((short) (HEAD_BYTES + path.length))
                .putShort((short) number)
                .put((byte) (end ? 1 : 0))
                .put(path)
                .array();
    }

    static byte[] size(TerminalSize size) {
        return ByteBuffer.allocate(HEAD_BYTES + 2 * Short.BYTES)
                .put((byte) 's')
                .putShort((short) (2 * Short.BYTES))
                .putShort((short) size.cols())
                .putShort((short) size.rows())
                .array();
    }
}
