package brig.workeragent.relay;

import brig.protocol.BrigException;
import brig.protocol.control.EgressStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions to the wall's name server in datagrams, as messages of one connection with home, which is opened when there
 * is a question. They get ids of our own there, since two programs may choose the same. What finds no room is lost, as
 * datagrams may be.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class RelayedNames extends SimpleChannelInboundHandler<DatagramPacket> {
    private static final Logger LOG = LoggerFactory.getLogger(RelayedNames.class);
    private static final int HEADER_BYTES = 12;
    private static final int MESSAGE_BYTES_MAX = 4096;
    private static final int PENDING_MAX = 256;
    private static final int QUEUE_MAX = 64;
    /** Programs ask again after this time. */
    private static final long LINK_MS = 5_000;

    /** @param ours the id that home knows */
    private record Asker(InetSocketAddress at, short id, short ours) {}

    private final String spawnId;
    private final WaitingLinks links;
    private final BlockingQueue<byte[]> questions = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final EpollDatagramChannel channel;
    private final Thread writer = Thread.ofVirtual().name("wall-names").unstarted(this::write);

    // Owned by the event loop.
    private final @Nullable Asker[] pending = new Asker[PENDING_MAX];
    private short lastId;

    private RelayedNames(String spawnId, WaitingLinks links, int descriptor) {
        this.spawnId = spawnId;
        this.links = links;
        this.channel = new EpollDatagramChannel(descriptor);
    }

    /** Serves that socket until the channel is closed. */
    static Channel open(String spawnId, WaitingLinks links, int descriptor, EventLoop loop) {
        RelayedNames names = new RelayedNames(spawnId, links, descriptor);
        names.channel.pipeline().addLast(names);
        names.channel.closeFuture().addListener(unused -> names.writer.interrupt());
        loop.register(names.channel);
        names.writer.start();
        return names.channel;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
        int length = packet.content().readableBytes();
        if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) {
            return;
        }
        ByteBuffer message = ByteBuffer.wrap(ByteBufUtil.getBytes(packet.content()));
        lastId++;
        pending[lastId & (PENDING_MAX - 1)] = new Asker(packet.sender(), message.getShort(0), lastId);
        questions.offer(message.putShort(0, lastId).array());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A lost answer affects only who asked.
    }

    private void write() {
        SocketChannel home = null;
        try {
            while (true) {
                byte[] question = questions.take();
                if (home == null || !send(home, question)) {
                    home = dial();
                    if (home != null && !send(home, question)) {
                        home = null;
                    }
                }
            }
        } catch (InterruptedException over) {
            if (home != null) {
                Lines.close(home);
            }
        }
    }

    private static boolean send(SocketChannel home, byte[] question) {
        try {
            ByteBuffer length = ByteBuffer.allocate(Short.BYTES).putShort((short) question.length);
            Lines.write(home, length.flip(), ByteBuffer.wrap(question));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private @Nullable SocketChannel dial() throws InterruptedException {
        try {
            EgressStream stream = new EgressStream(spawnId, EgressStream.Role.DNS, null, 0);
            return links.take(stream, LINK_MS, this::receive);
        } catch (BrigException e) {
            LOG.debug("no name server spawn_id={}: {}", spawnId, e.getMessage());
            return null;
        }
    }

    private void receive(SocketChannel home, ByteBuffer before) throws IOException {
        byte[] early = new byte[before.remaining()];
        before.get(early);
        InputStream whole = new SequenceInputStream(new ByteArrayInputStream(early), Channels.newInputStream(home));
        try (DataInputStream in = new DataInputStream(whole)) {
            while (true) {
                byte[] answer = new byte[in.readUnsignedShort()];
                in.readFully(answer);
                channel.eventLoop().execute(() -> handleAnswer(ByteBuffer.wrap(answer)));
            }
        } catch (EOFException over) {
            LOG.trace("the connection for names ended");
        }
    }

    private void handleAnswer(ByteBuffer answer) {
        if (answer.remaining() < HEADER_BYTES) {
            return;
        }
        short id = answer.getShort(0);
        int place = id & (PENDING_MAX - 1);
        Asker asker = pending[place];
        if (asker != null && asker.ours() == id) {
            pending[place] = null;
            channel.writeAndFlush(
                    new DatagramPacket(Unpooled.wrappedBuffer(answer.putShort(0, asker.id())), asker.at()));
        }
    }
}
