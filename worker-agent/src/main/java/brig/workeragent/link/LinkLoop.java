package brig.workeragent.link;

import brig.workeragent.relay.Lines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the connections of gateways to all workers, and writes on where a socket was full. One read in
 * each turn for each connection.
 *
 * <p>Decision 0174.
 */
final class LinkLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkLoop.class);
    private static final int READ_BYTES_MAX = 16 * 1024;

    /** What is done with a connection, on the loop's thread; whoever fails ends it. */
    interface Handler {
        void handleBytes(byte[] bytes, int count);

        /** The socket takes bytes again, as {@link Link#awaitRoom} asked for. */
        void handleRoom();
    }

    private final Selector selector;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean refreshes;
    /** Owned by the loop. */
    private final ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);

    private LinkLoop(Selector selector) {
        this.selector = selector;
    }

    static LinkLoop open() throws IOException {
        LinkLoop loop = new LinkLoop(Selector.open());
        Thread.ofPlatform().name("brig-links").daemon().start(loop::run);
        return loop;
    }

    /** A connection of the loop. */
    final class Link {
        private final SocketChannel channel;
        private final Handler handler;
        private final SelectionKey key;
        private final CountDownLatch ended = new CountDownLatch(1);

        private Link(SocketChannel channel, Handler handler) throws IOException {
            this.channel = channel;
            this.handler = handler;
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ, this);
        }

        /** Calls {@link Handler#handleRoom} when the socket takes bytes, or at once. Thread-safe. */
        void awaitRoom() {
            try {
                key.interestOpsOr(SelectionKey.OP_WRITE);
                selector.wakeup();
            } catch (CancelledKeyException closed) {
                LOG.debug("a connection closed before it was written");
            }
        }

        /** Thread-safe. */
        void close() {
            Lines.close(channel);
            refresh();
        }

        private boolean handleClosed() {
            boolean closed = !channel.isOpen();
            if (closed) {
                ended.countDown();
            }
            return closed;
        }

        /** Blocks until the connection is closed, by whomever. */
        void awaitEnd() {
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** From here on the channel does not block. It is served after {@link #refresh}. */
    Link add(SocketChannel channel, Handler handler) throws IOException {
        Link link = new Link(channel, handler);
        links.add(link);
        return link;
    }

    /** There are new channels, or closed ones: a selector of the JDK notices neither. Thread-safe. */
    void refresh() {
        refreshes = true;
        selector.wakeup();
    }

    private void run() {
        try {
            while (true) {
                selector.select(this::handle);
                if (refreshes) {
                    refreshes = false;
                    links.removeIf(Link::handleClosed);
                }
            }
        } catch (ClosedSelectorException closed) {
            links.forEach(link -> link.ended.countDown());
        } catch (IOException e) {
            LOG.error("the loop of links ended", e);
            links.forEach(link -> Lines.close(link.channel));
            links.forEach(link -> link.ended.countDown());
        }
    }

    private void handle(SelectionKey key) {
        Link link = (Link) key.attachment();
        try {
            if (key.isWritable()) {
                key.interestOpsAnd(~SelectionKey.OP_WRITE);
                link.handler.handleRoom();
            }
            if (key.isReadable()) {
                read(link);
            }
        } catch (IOException | CancelledKeyException e) {
            LOG.debug("a connection ended: {}", e.toString());
            link.close();
        } catch (RuntimeException | Error e) {
            LOG.error("a connection failed", e);
            link.close();
        }
    }

    private void read(Link link) throws IOException {
        buffer.clear();
        int count = link.channel.read(buffer);
        if (count < 0) {
            link.close();
        } else {
            link.handler.handleBytes(buffer.array(), count);
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing failed: {}", e.toString());
        }
    }
}
