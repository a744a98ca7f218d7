package brig.protocol.channel;

import io.netty.channel.Channel;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;

/**
 * Turns of an event loop. Netty reads a channel up to 16 times before the next one has its turn: 1 MiB of a download,
 * which frames of all agents wait for.
 *
 * <p>Decision 0177.
 */
public final class Turns {
    private Turns() {}

    /** From here on the channel is read once in each turn, which is at most 64 KiB. */
    public static void readOnce(Channel channel) {
        channel.config()
                .<MaxMessagesRecvByteBufAllocator>getRecvByteBufAllocator()
                .maxMessagesPerRead(1);
    }
}
