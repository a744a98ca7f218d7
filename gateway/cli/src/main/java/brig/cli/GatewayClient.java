package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Hints;
import brig.protocol.Limits;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.refusal.ErrorAnswer;
import brig.protocol.wire.LineDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A blocking client of the spawner socket: requests, and after {@code attach} the lines of a session. One thread reads,
 * any thread may write.
 *
 * <p>Decision 0008.
 */
final class GatewayClient implements AutoCloseable {
    private static final int READ_BYTES = 64 * 1024;
    /** The gateway's text for an unknown session, to which the CLI adds how to list them. */
    private static final String NO_SESSION = "there is no session ";
    /** A list of spawns may exceed the limit for clients' messages. */
    private static final int LINE_BYTES_MAX = 16 * Limits.MESSAGE_BYTES_MAX;

    private final ByteLink channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
    private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
    private final LineDecoder decoder = new LineDecoder(LINE_BYTES_MAX, new LineDecoder.Sink() {
        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            lines.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }

        @Override
        public void handleBadLine(ErrorCode code) {
            throw new BrigException(code, "the gateway sent a line that is refused");
        }
    });

    /** @param channel a connection with the protocol of the spawner socket */
    GatewayClient(ByteLink channel) {
        this.channel = channel;
    }

    /** Connects. @throws IOException if nobody listens */
    static GatewayClient connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new GatewayClient(ByteLink.of(channel));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends a request and waits for its answer. @throws BrigException if it is refused */
    <T> T request(SpawnerRequest request, Class<T> answer) {
        return request(request).as(answer);
    }

    /** As above, with the answer unconverted. */
    JsonObject request(SpawnerRequest request) {
        send(request);
        byte[] line = nextLine();
        if (line == null) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway closed the connection");
        }
        JsonObject answer = JsonObject.read(line);
        requireNoError(answer);
        return answer;
    }

    /** Throws the refusal if the line is one. */
    static void requireNoError(JsonObject answer) {
        if (answer.has("code") && answer.has("error")) {
            throw refusal(answer.as(ErrorAnswer.class));
        }
    }

    private static BrigException refusal(ErrorAnswer answer) {
        String more = answer.error().startsWith(NO_SESSION) ? "; 'brig sessions --all' lists those that there are" : "";
        Hints hints = answer.hints();
        return new BrigException(
                        ErrorCode.valueOf(answer.code()),
                        answer.error() + more,
                        hints.retryAfterSeconds() == null ? 0 : hints.retryAfterSeconds())
                .about(hints.spawnId(), hints.state())
                .withSessionId(hints.sessionId());
    }

    /**
     * Sends a request after which the connection has another protocol, and returns the connection.
     *
     * @throws BrigException if it is refused
     */
    ByteLink tunnel(SpawnerRequest request) {
        send(request);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        // Byte by byte: bytes after the answer are not ours.
        ByteBuffer one = ByteBuffer.allocate(1);
        try {
            while (channel.read(one.clear()) > 0 && one.get(0) != '\n') {
                line.write(one.get(0));
            }
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.SHUTTING_DOWN, "the connection to the gateway is lost: " + e.getMessage());
        }
        if (line.size() == 0) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway closed the connection");
        }
        requireNoError(JsonObject.read(line.toByteArray()));
        return channel;
    }

    void send(SpawnerRequest request) {
        send(Json.writeLine((Record) request));
    }

    void send(CaptainLine line) {
        send(Json.writeLine((Record) line));
    }

    /** Sends a line unchanged. */
    void send(byte[] line) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(line);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            // A listener that refuses a connection reports why and closes it, perhaps before it reads anything.
            byte[] said = nextLine();
            if (said != null) {
                requireNoError(JsonObject.read(said));
            }
            throw new BrigException(
                    ErrorCode.SHUTTING_DOWN, "the connection to the gateway is lost: " + e.getMessage());
        }
    }

    /** The next line without its newline; null at the end of the connection. */
    byte @Nullable [] nextLine() {
        try {
            while (lines.isEmpty()) {
                if (channel.read(buffer.clear()) < 0) {
                    return null;
                }
                decoder.decode(buffer.array(), 0, buffer.position());
            }
            return lines.remove();
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether {@link #nextLine} would read from the connection. */
    boolean isDrained() {
        return lines.isEmpty();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "the connection did not close: " + e.getMessage());
        }
    }
}
