package brig.gateway.joint;

import brig.protocol.Reason;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The near end of a joint. What comes from the host is read by one thread, which waits for nobody: what a connection does
 * not take is kept, at most as much as the host was allowed to send for it. So one that is not read holds up no other.
 * Each connection has two virtual threads. Whatever the host may not send ends the joint.
 *
 * <p>Decision 0172.
 */
public final class NearEnd {
    /** How many connections there are at once. */
    public static final int CONNECTIONS_MAX = 2048;

    /** What an end may send at first. */
    static final int WINDOW_FIRST = 32 * 1024;

    static final int WINDOW_MAX = 1024 * 1024;
    /** How much all windows together may be larger than at first. */
    static final int GROWTH_MAX = 32 * 1024 * 1024;
    /** The most bytes in a frame. */
    static final int CHUNK = 16 * 1024;
    /** The first line of the far end. It has no second {@code b}. */
    static final String HELLO = "brig-join 1\n";
    /** What a login shell may say before it. */
    static final int NOISE_MAX = 64 * 1024;

    private static final Logger log = LoggerFactory.getLogger(NearEnd.class);
    private static final int READ_BYTES_FIRST = 1024;
    private static final int INPUT_BYTES = 128 * 1024;

    private final DataInputStream from;
    private final FarOutput to;
    private final Growth growth = new Growth(GROWTH_MAX);
    /** Guarded by itself, as are the numbers. */
    private final @Nullable JoinedStream[] streams = new @Nullable JoinedStream[CONNECTIONS_MAX];

    private final BitSet numbers = new BitSet(CONNECTIONS_MAX);
    private boolean ended;

    /**
     * @param from the output of the program there
     * @param to its input
     */
    public NearEnd(InputStream from, OutputStream to) {
        this.from = new DataInputStream(new BufferedInputStream(from, INPUT_BYTES));
        this.to = new FarOutput(to);
    }

    /** Joins a connection, and closes it in the end. @return false if there are too many, or the joint has ended */
    public boolean serve(Local local) {
        JoinedStream stream = open(local);
        if (stream == null) {
            return false;
        }
        Thread.startVirtualThread(() -> deliver(stream));
        return true;
    }

    @Nullable
    JoinedStream open(Local local) {
        synchronized (streams) {
            int number = numbers.nextClearBit(0);
            if (ended || number == CONNECTIONS_MAX) {
                return null;
            }
            JoinedStream stream = new JoinedStream(number, local, growth);
            numbers.set(number);
            streams[number] = stream;
            return stream;
        }
    }

    private void free(JoinedStream stream) {
        synchronized (streams) {
            numbers.clear(stream.number());
            streams[stream.number()] = null;
        }
    }

    /** Sends what the connection says. */
    private void send(JoinedStream stream) {
        Local local = stream.local();
        byte[] frame = new byte[FarOutput.HEAD_BYTES + READ_BYTES_FIRST];
        try {
            to.send(Kind.OPEN, 0, stream.number());
            while (true) {
                int room = stream.awaitCredit(frame.length - FarOutput.HEAD_BYTES);
                int read = room == 0 ? -1 : local.read(frame, FarOutput.HEAD_BYTES, room);
                if (read < 0) {
                    break;
                }
                stream.handleSent(read);
                to.sendData(frame, read, stream.number());
                if (read == frame.length - FarOutput.HEAD_BYTES && read < CHUNK) {
                    frame = new byte[FarOutput.HEAD_BYTES + 4 * read];
                }
            }
            to.send(Kind.END, 0, stream.number());
            stream.handleLocalEnd();
        } catch (IOException e) {
            log.debug("a connection to a host broke: {}", Reason.of(e));
            stream.finish();
        }
    }

    /** Delivers what comes for the connection. */
    private void deliver(JoinedStream stream) {
        Local local = stream.local();
        Thread sending = Thread.startVirtualThread(() -> send(stream));
        try {
            Bytes bytes = stream.take(new Bytes());
            while (bytes.length() > 0) {
                local.write(bytes.array(), bytes.length());
                int more = stream.handleDelivered(bytes.length());
                if (more > 0) {
                    to.send(Kind.WINDOW, more, stream.number());
                }
                bytes = stream.take(bytes);
            }
            local.endOutput();
            stream.awaitEnd();
        } catch (IOException e) {
            log.debug("a connection of this host broke: {}", Reason.of(e));
        }
        stream.finish();
        local.close();
        close(stream, sending);
    }

    private void close(JoinedStream stream, Thread sending) {
        try {
            sending.join();
            to.send(Kind.CLOSE, 0, stream.number());
            if (stream.handleCloseSent()) {
                free(stream);
            }
        } catch (IOException e) {
            log.debug("the way to a host broke: {}", Reason.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads what the host sends until that ends, which ends every connection. @return why */
    public String receive() {
        try {
            awaitHello();
            byte[] bytes = new byte[CHUNK];
            while (true) {
                receiveFrame(bytes);
            }
        } catch (EOFException e) {
            return "the program there ended";
        } catch (IOException e) {
            return Reason.of(e);
        } finally {
            end();
        }
    }

    private void awaitHello() throws IOException {
        byte[] hello = HELLO.getBytes(StandardCharsets.US_ASCII);
        int at = 0;
        for (int noise = 0; at < hello.length; noise++) {
            byte read = from.readByte();
            at = read == hello[at] ? at + 1 : read == hello[0] ? 1 : 0;
            if (noise > NOISE_MAX) {
                throw new BrokenRule("something else than brig-join would");
            }
        }
    }

    private void receiveFrame(byte[] bytes) throws IOException {
        int word = from.readInt();
        int number = from.readInt();
        Kind kind = Kind.of(word >>> 24);
        int value = word & Kind.VALUE_MAX;
        if (kind == Kind.DATA) {
            if (value > CHUNK) {
                throw new BrokenRule("a frame that is too long");
            }
            from.readFully(bytes, 0, value);
        }
        JoinedStream stream = find(number);
        if (stream == null) {
            throw new BrokenRule("frames for a connection that is not there");
        }
        if (stream.handle(kind, value, bytes)) {
            free(stream);
        }
    }

    private @Nullable JoinedStream find(int number) {
        synchronized (streams) {
            return number < 0 || number >= CONNECTIONS_MAX ? null : streams[number];
        }
    }

    private void end() {
        List<JoinedStream> left;
        synchronized (streams) {
            ended = true;
            left = Arrays.stream(streams).filter(Objects::nonNull).toList();
        }
        for (JoinedStream stream : left) {
            stream.finish();
            stream.local().close();
        }
    }
}
