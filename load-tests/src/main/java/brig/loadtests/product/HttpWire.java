package brig.loadtests.product;

import brig.protocol.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A plain HTTP/1.1 connection, so that Brig is measured, not a client library. One request at a time, answers with
 * Content-Length, and streams with their chunk framing.
 */
public final class HttpWire implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final SocketChannel channel;
    private final InputStream input;

    private HttpWire(SocketChannel channel) {
        this.channel = channel;
        input = new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES);
    }

    /** An HTTP address and its token; null on Unix sockets, where the uid authenticates. */
    public record Place(SocketAddress address, @Nullable String token) {
        public static Place tcp(String host, int port, @Nullable String token) {
            return new Place(new InetSocketAddress(host, port), token);
        }

        public static Place unix(String path) {
            return new Place(UnixDomainSocketAddress.of(path), null);
        }

        public HttpWire connect() throws IOException {
            if (address instanceof UnixDomainSocketAddress) {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                channel.connect(address);
                return new HttpWire(channel);
            }
            SocketChannel channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new HttpWire(channel);
        }

        /** The bytes of a request for the events of a stream after that one; empty for all. */
        public byte[] events(String path, String lastEventId) {
            byte[] plain = request("GET", path, "");
            return lastEventId.isEmpty()
                    ? plain
                    : new String(plain, StandardCharsets.UTF_8)
                            .replace("Host:", "Last-Event-ID: " + lastEventId + "\r\nHost:")
                            .getBytes(StandardCharsets.UTF_8);
        }

        /** The bytes of a request; the body may be empty. */
        public byte[] request(String method, String path, String body) {
            String head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                    + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                    + (body.isEmpty()
                            ? ""
                            : "Content-Type: application/json\r\nContent-Length: "
                                    + body.getBytes(StandardCharsets.UTF_8).length + "\r\n");
            return (head + "\r\n" + body).getBytes(StandardCharsets.UTF_8);
        }
    }

    public HttpWire send(byte[] request) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(request);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
        return this;
    }

    /** A whole answer with its JSON. */
    public record Answer(int status, JsonObject body) {}

    /** Reads a whole answer. */
    public Answer answer() throws IOException {
        String[] head = head();
        byte[] body = input.readNBytes(Integer.parseInt(head[1]));
        return new Answer(Integer.parseInt(head[0]), body.length == 0 ? JsonObject.EMPTY : JsonObject.read(body));
    }

    /** Reads a whole answer. @throws IOException with the problem for another status than wanted */
    public JsonObject answer(int wantedStatus) throws IOException {
        Answer answer = answer();
        if (answer.status != wantedStatus) {
            throw new IOException("HTTP " + answer.status + ": " + answer.body);
        }
        return answer.body;
    }

    /** Reads the head of a stream. */
    public HttpWire stream() throws IOException {
        String[] head = head();
        if (!head[0].equals("200")) {
            throw new IOException("no stream: HTTP " + head[0]);
        }
        return this;
    }

    /** Status and Content-Length. */
    private String[] head() throws IOException {
        String status = line().split(" ", 3)[1];
        String length = "0";
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = line.substring(15).trim();
            }
        }
        return new String[] {status, length};
    }

    /** The next line without its end. */
    public String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new IOException("the connection was closed");
            }
            line.append((char) next);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
    }

    /** The rest of the stream. */
    public InputStream input() {
        return input;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
