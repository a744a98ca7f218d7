package brig.protocol.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Keeps a channel open whose peer ended its own stream. Netty 4.2.13 and later take such a channel out of epoll once it
 * waits for nothing, and close it when it is read, or waits for room, afterwards. So it always stays in epoll here.
 *
 * <p>Decision 0173.
 */
public final class HalfClosure {
    private static final Class<?> EPOLL_CHANNEL;
    private static final VarHandle REGISTRATION;

    static {
        try {
            EPOLL_CHANNEL = Class.forName("io.netty.channel.epoll.AbstractEpollChannel");
            REGISTRATION = MethodHandles.privateLookupIn(EPOLL_CHANNEL, MethodHandles.lookup())
                    .findVarHandle(EPOLL_CHANNEL, "registration", IoRegistration.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("another Netty than " + HalfClosure.class.getSimpleName() + " is made for", e);
        }
    }

    private HalfClosure() {}

    /**
     * To be called once for a channel, on its event loop.
     *
     * @param channel registered there
     */
    public static void allow(Channel channel) {
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        if (EPOLL_CHANNEL.isInstance(channel)) {
            REGISTRATION.set(channel, new Kept((IoRegistration) REGISTRATION.get(channel)));
        }
    }

    /** Waits for a change of state instead of for nothing: a peer that is gone is told once, not at every turn. */
    private record Kept(IoRegistration netty) implements IoRegistration {
        @Override
        public long submit(IoOps ops) {
            return netty.submit(EpollIoOps.NONE.equals(ops) ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's own signature.
        public <T> T attachment() {
            return netty.attachment();
        }

        @Override
        public boolean isValid() {
            return netty.isValid();
        }

        @Override
        public boolean cancel() {
            return netty.cancel();
        }
    }
}
