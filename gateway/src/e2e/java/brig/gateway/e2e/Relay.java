package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;

/**
 * Stands between a gateway and its worker-agent, and passes on line by line what they say on each connection, and transfers as they are. A test can have it stop before a line or right behind it: that is how a step of a
 * spawn is held, with nothing in the product that knows of it.
 */
final class Relay implements AutoCloseable {
    /** Who said a line. */
    enum From {
        GATEWAY,
        WORKER_AGENT
    }

    private final Path listen;
    private final Path backend;
    private final ServerSocketChannel server;
    private final List<Hold> holds = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> channels = new CopyOnWriteArrayList<>();

    /** A line that is waited for. It is passed on before, or when the test says so; or it never comes through. */
    static final class Hold {
        private final BiPredicate<From, JsonObject> wanted;
        private final boolean passFirst;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        private Hold(BiPredicate<From, JsonObject> wanted, boolean passFirst) {
            this.wanted = wanted;
            this.passFirst = passFirst;
        }

        /** Waits until the line came. */
        void await() throws InterruptedException {
            if (!reached.await(Await.DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the line that is to be held did not come");
            }
        }

        void release() {
            released.countDown();
        }
    }

    Relay(Path listen, Path backend) throws IOException {
        this.listen = listen;
        this.backend = backend;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(listen));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /** From now on stops before the next line of that kind. */
    Hold before(BiPredicate<From, JsonObject> wanted) {
        return add(new Hold(wanted, false));
    }

    /** From now on stops behind the next line of that kind, which has been passed on. */
    Hold behind(BiPredicate<From, JsonObject> wanted) {
        return add(new Hold(wanted, true));
    }

    private Hold add(Hold hold) {
        holds.add(hold);
        return hold;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel gateway = server.accept();
                channels.add(gateway);
                SocketChannel agent = SocketChannel.open(StandardProtocolFamily.UNIX);
                channels.add(agent);
                try {
                    agent.connect(UnixDomainSocketAddress.of(backend));
                } catch (IOException gone) {
                    gateway.close();
                    continue;
                }
                AtomicBoolean transfer = new AtomicBoolean();
                Thread.ofPlatform().daemon().start(() -> pump(gateway, agent, From.GATEWAY, transfer));
                Thread.ofPlatform().daemon().start(() -> pump(agent, gateway, From.WORKER_AGENT, transfer));
            }
        } catch (IOException closed) {
            // The relay was closed.
        }
    }

    private void pump(SocketChannel from, SocketChannel to, From who, AtomicBoolean transfer) {
        try (from;
                to;
                InputStream in = new BufferedInputStream(Channels.newInputStream(from));
                OutputStream out = Channels.newOutputStream(to)) {
            for (byte[] line = line(in); line.length > 0; line = line(in)) {
                JsonObject message = JsonObject.read(line);
                if (message.text("link", "").equals("transfer")) {
                    transfer.set(true);
                }
                pass(line, message, out, who);
                if (transfer.get()) {
                    in.transferTo(out);
                }
            }
        } catch (IOException gone) {
            // One of the two was killed, or went.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next line with its end; empty at the end. */
    private static byte[] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n') {
                break;
            }
        }
        return line.toByteArray();
    }

    private void pass(byte[] line, JsonObject message, OutputStream out, From from)
            throws IOException, InterruptedException {
        Hold hold = holds.stream()
                .filter(one -> one.wanted.test(from, message))
                .findFirst()
                .orElse(null);
        if (hold == null) {
            out.write(line);
            return;
        }
        holds.remove(hold);
        if (hold.passFirst) {
            out.write(line);
        }
        hold.reached.countDown();
        hold.released.await();
        if (!hold.passFirst) {
            out.write(line);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(listen);
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
