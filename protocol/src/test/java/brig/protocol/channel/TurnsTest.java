package brig.protocol.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final int READS = 100;
    private static final int READ_BYTES_MAX = 64 * 1024;

    /** Bytes of a channel that always has more, read as Netty's transports do. */
    private static int turn(EmbeddedChannel channel, RecvByteBufAllocator.ExtendedHandle handle) {
        handle.reset(channel.config());
        int bytes = 0;
        do {
            ByteBuf read = handle.allocate(channel.alloc());
            handle.attemptedBytesRead(read.writableBytes());
            handle.lastBytesRead(read.writableBytes());
            handle.incMessagesRead(1);
            bytes += read.writableBytes();
            read.release();
        } while (handle.continueReading(() -> true));
        handle.readComplete();
        return bytes;
    }

    @Test
    void shouldReadOnceInATurnHoweverMuchIsThere() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Turns.readOnce(channel);
        var handle = (RecvByteBufAllocator.ExtendedHandle)
                channel.config().getRecvByteBufAllocator().newHandle();
        int most = 0;
        for (int i = 0; i < READS; i++) {
            most = Math.max(most, turn(channel, handle));
        }
        assertEquals(READ_BYTES_MAX, most);
        channel.close();
    }
}
