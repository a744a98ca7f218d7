package brig.gateway.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** An answer that nobody reads yet. */
public final class LongAnswer {
    private LongAnswer() {}

    /**
     * Sends until nothing more goes: so those between wait for room.
     *
     * @param turn a turn of their event loop
     * @return how many bytes were sent
     */
    public static long fill(SocketChannel to, Runnable turn) throws IOException {
        to.configureBlocking(false);
        long sent = 0;
        for (int idle = 0; idle < 50; idle++) {
            int count = to.write(ByteBuffer.allocate(1 << 16));
            sent += count;
            idle = count == 0 ? idle : 0;
            turn.run();
        }
        return sent;
    }
}
