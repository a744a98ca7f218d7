package brig.egress.process;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Receives the sockets of walls as file descriptors, in order. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class DescriptorSource implements AutoCloseable {
    private static final long TAKE_MS = 5_000;

    private final Channel channel;
    private final BlockingQueue<FileDescriptor> received;

    private DescriptorSource(Channel channel, BlockingQueue<FileDescriptor> received) {
        this.channel = channel;
        this.received = received;
    }

    static DescriptorSource connect(Path socket, EventLoopGroup loops) throws IOException, InterruptedException {
        BlockingQueue<FileDescriptor> received = new LinkedBlockingQueue<>();
        Channel channel = new Bootstrap()
                .group(loops)
                .channel(EpollDomainSocketChannel.class)
                .option(EpollChannelOption.DOMAIN_SOCKET_READ_MODE, DomainSocketReadMode.FILE_DESCRIPTORS)
                .handler(new SimpleChannelInboundHandler<FileDescriptor>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, FileDescriptor descriptor) {
                        received.add(descriptor);
                    }
                })
                .connect(new DomainSocketAddress(socket.toString()))
                .sync()
                .channel();
        return new DescriptorSource(channel, received);
    }

    /** The next descriptor; the caller owns it. */
    int take() throws IOException, InterruptedException {
        FileDescriptor descriptor = received.poll(TAKE_MS, TimeUnit.MILLISECONDS);
        if (descriptor == null) {
            throw new IOException("the worker-agent announced a socket and did not send it");
        }
        return descriptor.intValue();
    }

    @Override
    public void close() {
        channel.close();
    }
}
