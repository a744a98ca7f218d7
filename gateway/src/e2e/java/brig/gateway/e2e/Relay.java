package brig.gateway.e2e;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;

/**
 * Stands between a gateway and its worker-agent, and passes on line by line what they say on each connection. A test can have it stop before a line or right behind it: that is how a step of a spawn is held, with
 * nothing in the product that knows of it.
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
                Thread.ofPlatform().daemon().start(() -> pump(gateway, agent, From.GATEWAY));
                Thread.ofPlatform().daemon().start(() -> pump(agent, gateway, From.WORKER_AGENT));
            }
        } catch (IOException closed) {
            // The relay was closed.
        }
    }

    private void pump(SocketChannel in, SocketChannel out, From from) {
        try (in;
                out;
                BufferedReader lines = new BufferedReader(Channels.newReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                pass(line, out, from);
            }
        } catch (IOException gone) {
            // One of the two was killed, or went.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(String line, SocketChannel out, From from) throws IOException, InterruptedException {
        JsonObject message = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        Hold hold = holds.stream()
                .filter(one -> one.wanted.test(from, message))
                .findFirst()
                .orElse(null);
        if (hold == null) {
            write(message, out);
            return;
        }
        holds.remove(hold);
        if (hold.passFirst) {
            write(message, out);
        }
        hold.reached.countDown();
        hold.released.await();
        if (!hold.passFirst) {
            write(message, out);
        }
    }

    private static void write(JsonObject message, SocketChannel out) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Json.writeLine(message));
        while (bytes.hasRemaining()) {
            out.write(bytes);
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
