package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.wire.ShellMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a shell, from its request to its end. The shim is inside of the wall, so it may send anything: what it
 * does wrong, or its silence before a request, closes the connection; the end of the connection cancels the command.
 *
 * <p>One thread reads the connection, another one starts the command and waits for it. Outputs come from their own.
 */
final class ShellConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ShellConnection.class);
    static final int REFUSED = 126;
    private static final int LOST = 255;
    private static final Duration REQUEST_WITHIN = Duration.ofSeconds(10);
    private static final Set<Integer> ENDING = Set.of(1, 2, 3, 15);
    /** Stands for the end of the input. */
    private static final byte[] NO_MORE = new byte[0];

    private final SocketChannel channel;
    private final HostRoutes routes;
    /** The shim sends the next input after the last one was taken; its end may follow at once. */
    private final BlockingQueue<byte[]> inputs = new ArrayBlockingQueue<>(2);

    private volatile @Nullable RemoteCommand command;
    private volatile boolean gone;
    /** A signal that came before the command; 0 for none. */
    private volatile int early;

    ShellConnection(SocketChannel channel, HostRoutes routes) {
        this.channel = channel;
        this.routes = routes;
    }

    void serve() throws IOException {
        ShellRequest request = request();
        if (request != null) serve(request);
    }

    /** Serves a request that was made for the caller. */
    void serve(ShellRequest request) throws IOException {
        Thread runner = Thread.ofVirtual().name("brig-command").start(() -> run(request));
        try {
            for (ShellMessage next = next(); next != null; next = next()) handle(next, runner);
        } catch (IllegalArgumentException e) {
            throw new IOException(e);
        } finally {
            gone = true;
            runner.interrupt();
        }
    }

    private @Nullable ShellMessage next() throws IOException {
        return ShellMessage.read(channel, ShellMessage.FROM_PERSON);
    }

    private @Nullable ShellRequest request() throws IOException {
        Thread deadline = Thread.ofVirtual().start(this::closeLate);
        try {
            ShellMessage first = ShellMessage.read(channel, ShellMessage.FROM_SHIM);
            if (first == null) return null;
            if (first.type() != 'R') throw new IOException("a call of a shell that began without a request");
            return ShellRequest.parse(first.content());
        } catch (IllegalArgumentException e) {
            throw new IOException(e);
        } finally {
            deadline.interrupt();
        }
    }

    private void closeLate() {
        try {
            Thread.sleep(REQUEST_WITHIN);
            channel.close();
        } catch (InterruptedException inTime) {
            LOG.trace("a request came in time");
        } catch (IOException e) {
            LOG.debug("closing a late connection: {}", e.toString());
        }
    }

    private void handle(ShellMessage message, Thread runner) throws IOException {
        RemoteCommand running = command;
        byte[] content = message.content();
        switch (message.type()) {
            case 'I' -> offer(content);
            case 'E' -> offer(NO_MORE);
            case 'S' -> {
                if (content.length != 1) throw new IOException("a signal without a number");
                if (running != null) running.signal(content[0]);
                else if (ENDING.contains((int) content[0])) {
                    runner.interrupt();
                    send('K', content);
                } else early = content[0];
            }
            case 'W' -> {
                if (content.length != 4) throw new IOException("a window without a size");
                if (running != null) running.resize(number(content, 0), number(content, 2));
            }
            default -> throw new IOException("a message of no known type");
        }
    }

    private void offer(byte[] input) throws IOException {
        if (!inputs.offer(input)) throw new IOException("input that was sent before the last one was taken");
    }

    private static int number(byte[] content, int at) {
        return ((content[at] & 0xff) << 8) | (content[at + 1] & 0xff);
    }

    private void run(ShellRequest request) {
        try {
            HostRoutes.Route route = routes.of(request);
            String refusal = route.refusal();
            if (refusal != null) {
                end(refusal, REFUSED);
                return;
            }
            route.run(this);
        } catch (InterruptedException cancelled) {
            LOG.debug("a call of a shell was cancelled before its command began");
        } catch (IOException e) {
            endQuietly(e);
        }
    }

    private void endQuietly(IOException failed) {
        if (gone) return;
        try {
            end(String.valueOf(failed.getMessage()), LOST);
        } catch (IOException e) {
            LOG.debug("the caller of a shell is gone: {}", e.toString());
        }
    }

    /** Joins this connection to a command until it has ended. */
    RemoteCommand.End join(RemoteCommand started) throws InterruptedException {
        command = started;
        if (early > 0) started.signal(early);
        var pump = Pumps.submit(() -> pumpInput(started));
        try {
            return started.run(new Output('O'), new Output('X'));
        } finally {
            command = null;
            pump.cancel(true);
        }
    }

    private void pumpInput(RemoteCommand to) {
        try {
            to.whenStarted().join();
            for (byte[] input = inputs.take(); input != NO_MORE; input = inputs.take()) {
                to.input(input);
                send('A', NO_MORE);
            }
            to.endInput();
        } catch (InterruptedException | CancellationException | CompletionException ended) {
            LOG.trace("a command ended before its input");
        } catch (IOException e) {
            LOG.debug("a command takes no more input: {}", e.toString());
        }
    }

    /** Tells the caller that a command ended. */
    void end(RemoteCommand of, RemoteCommand.End end, @Nullable String returnedFile, String returned)
            throws IOException {
        if (returnedFile != null && !returned.isEmpty()) {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.write(returnedFile.getBytes(ISO_8859_1));
            file.write(0);
            file.write(returned.getBytes(ISO_8859_1));
            send('F', file.toByteArray());
        }
        int signal = of.signalOf(end.code());
        send(signal > 0 ? 'K' : 'C', new byte[] {(byte) (signal > 0 ? signal : end.code())});
    }

    void end(String why, int code) throws IOException {
        say(why);
        send('C', new byte[] {(byte) code});
    }

    /** A line of Brig on the caller's error output. */
    void say(String line) throws IOException {
        send('X', ("brig: " + line + "\n").getBytes(UTF_8));
    }

    boolean isGone() {
        return gone;
    }

    private void send(char type, byte[] content) throws IOException {
        send(type, content, 0, content.length);
    }

    private void send(char type, byte[] bytes, int offset, int length) throws IOException {
        synchronized (inputs) {
            ShellMessage.write(channel, type, bytes, offset, length);
        }
    }

    /** Blocks while the caller does not read, and so holds the command back. */
    private final class Output extends OutputStream {
        private final char type;

        Output(char type) {
            this.type = type;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int at = 0; at < length; at += ShellMessage.CONTENT_BYTES_MAX) {
                send(type, bytes, offset + at, Math.min(length - at, ShellMessage.CONTENT_BYTES_MAX));
            }
        }
    }
}
