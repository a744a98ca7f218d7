package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.egress.tls.TestServers;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A client that sends a test's bytes and reads answers. */
final class TestClient implements AutoCloseable {
    /** An answer, possibly incomplete. */
    record Answer(int status, String head, String body) {
        @Nullable
        String header(String name) {
            return new TestServer.Request(head, "", InputStream.nullInputStream()).header(name);
        }
    }

    private static final int READ_MS = 10_000;

    private Socket socket;
    private InputStream in;

    TestClient(InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.connect(address, READ_MS);
        socket.setSoTimeout(READ_MS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    TestClient(int port) throws IOException {
        this(TestServers.loopback(port));
    }

    TestClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Connects through the proxy to a host, with TLS. */
    TestClient connect(String authority) throws IOException {
        Answer answer = send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n")
                .answer();
        if (answer.status() != 200) {
            throw new IOException("CONNECT: " + answer);
        }
        return this;
    }

    TestClient tls(SSLContext context, String host, String... alpn) throws IOException {
        socket = TestServers.over(socket, context, host, alpn);
        in = new BufferedInputStream(socket.getInputStream());
        return this;
    }

    Socket socket() {
        return socket;
    }

    InputStream in() {
        return in;
    }

    /** The next answer, with its announced body. */
    Answer answer() throws IOException {
        return answer(true);
    }

    Answer answer(boolean hasBody) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("the connection ended after: " + head);
            }
            head.append((char) b);
        }
        int status = Integer.parseInt(head.substring(9, 12));
        Answer bare = new Answer(status, head.toString(), "");
        String length = bare.header("content-length");
        if (!hasBody || status == 204 || status == 304 || status == 101 || status == 100) {
            return bare;
        }
        if (length != null) {
            return new Answer(status, bare.head(), new String(in.readNBytes(Integer.parseInt(length)), ISO_8859_1));
        }
        if ("chunked".equalsIgnoreCase(bare.header("transfer-encoding"))) {
            return new Answer(status, bare.head(), TestServer.chunks(in));
        }
        boolean closes = "close".equalsIgnoreCase(bare.header("connection"));
        return closes ? new Answer(status, bare.head(), new String(in.readAllBytes(), ISO_8859_1)) : bare;
    }

    boolean isEnded() throws IOException {
        return isEnded(in);
    }

    /** A peer that closes before it read everything resets the connection. */
    static boolean isEnded(InputStream in) throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
