package brig.gateway.joint;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Writes frames to the far end. Whoever has waited longest is next, so no connection keeps another one out. */
final class FarOutput {
    static final int HEAD_BYTES = 8;

    private final Lock turn = new ReentrantLock(true);
    private final OutputStream to;

    FarOutput(OutputStream to) {
        this.to = to;
    }

    void send(Kind kind, int value, int number) throws IOException {
        write(new byte[HEAD_BYTES], kind, value, number);
    }

    /** @param frame has room for the head, then the bytes */
    void sendData(byte[] frame, int length, int number) throws IOException {
        write(frame, Kind.DATA, length, number);
    }

    private void write(byte[] frame, Kind kind, int value, int number) throws IOException {
        ByteBuffer.wrap(frame).putInt(kind.code() << 24 | value).putInt(number);
        turn.lock();
        try {
            to.write(frame, 0, HEAD_BYTES + (kind == Kind.DATA ? value : 0));
            to.flush();
        } finally {
            turn.unlock();
        }
    }
}
