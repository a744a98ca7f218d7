package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;

/** A gateway's side of a connection, as plain as can be. */
final class TestGateway implements AutoCloseable {
    private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    private final BufferedReader lines;
    private final Queue<Frame> unread = new ArrayDeque<>();
    private final FrameDecoder decoder = new FrameDecoder(new FrameDecoder.Sink() {
        @Override
        public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
            unread.add(new Frame(type, seq, Json.parseObject(bytes, offset, length - 1)));
        }

        @Override
        public void handleBadFrame(ErrorCode code) {
            throw new AssertionError(code);
        }
    });

    TestGateway(Path socket) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(socket));
        lines = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), UTF_8));
    }

    /** Says what the connection is for. */
    TestGateway opened(String purpose) throws IOException {
        send(purpose);
        return this;
    }

    void send(String line) throws IOException {
        // Who asks for a spawn is told by the gateway; in tests that is one captain.
        boolean asks = line.contains("\"op\":\"spawn\"") || line.contains("\"op\":\"check\"");
        String told = asks ? line.replaceFirst("\\{", "{\"captain\":\"tests\",\"admin\":true,") : line;
        sendBytes((told + "\n").getBytes(UTF_8));
    }

    void sendBytes(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** The next line, null at the end. */
    String line() throws IOException {
        return lines.readLine();
    }

    /** The answer to a request; nothing else may be in flight. */
    Map<String, Object> ask(String request) throws IOException {
        send(request);
        return Json.parseObject(line().getBytes(UTF_8));
    }

    /** A frame of the worker's stream. */
    record Frame(FrameType type, long seq, Map<String, Object> fields) {
        String text(String field) {
            return String.valueOf(fields.get(field));
        }
    }

    /** Takes frames until it answers false. */
    interface Reader {
        boolean handle(Frame frame) throws IOException;
    }

    /** Reads frames from the raw bytes until the reader has enough or the connection ends; what is left is for the next. */
    void read(Reader reader) throws IOException {
        boolean more = true;
        while (more) {
            while (more && !unread.isEmpty()) {
                more = reader.handle(unread.remove());
            }
            more = more && readMore();
        }
    }

    private boolean readMore() throws IOException {
        byte[] bytes = new byte[32 * 1024];
        int count = channel.read(ByteBuffer.wrap(bytes));
        decoder.decode(bytes, 0, Math.max(count, 0));
        return count >= 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
