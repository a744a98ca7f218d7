package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A scripted server on 127.0.0.1 that works on bytes and records requests. */
final class TestServer implements AutoCloseable {
    /** Handles one request. */
    interface Handler {
        void handle(Request request, OutputStream out) throws IOException;
    }

    /** A request; {@code in} is positioned after its body. */
    record Request(String head, String body, InputStream in) {
        String line() {
            return head.substring(0, head.indexOf("\r\n"));
        }

        @Nullable
        String header(String name) {
            for (String line : head.split("\r\n", -1)) {
                if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return null;
        }
    }

    private final ServerSocket socket;
    private final Handler handler;
    private final @Nullable SSLContext tls;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();

    TestServer(@Nullable SSLContext tls, Handler handler) throws IOException {
        this(0, tls, handler);
    }

    TestServer(int port, @Nullable SSLContext tls, Handler handler) throws IOException {
        this.socket = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.tls = tls;
        this.handler = handler;
        threads.execute(this::accept);
    }

    /** Answers every request with 200 and that text. */
    static Handler answering(String text) {
        return (request, out) -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(ISO_8859_1));
        out.flush();
    }

    int port() {
        return socket.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    int connections() {
        return connections.size();
    }

    void dropConnections() throws IOException {
        for (Socket connection : connections) {
            connection.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket plain = socket.accept();
                threads.execute(() -> serve(plain));
            }
        } catch (IOException closed) {
            // The test ended.
        }
    }

    private void serve(Socket plain) {
        try (Socket connection =
                tls == null ? plain : tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true)) {
            if (connection instanceof javax.net.ssl.SSLSocket server) {
                server.setUseClientMode(false);
            }
            connections.add(connection);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            for (Request request = read(in); request != null; request = read(in)) {
                requests.add(request);
                handler.handle(request, connection.getOutputStream());
                if (connection.isClosed()) {
                    return;
                }
            }
        } catch (IOException e) {
            // The peer closed the connection, as some tests intend.
        }
    }

    static @Nullable Request read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            head.append((char) b);
        }
        Request bare = new Request(head.toString(), "", in);
        String length = bare.header("content-length");
        if (length != null) {
            return new Request(bare.head(), new String(in.readNBytes(Integer.parseInt(length)), ISO_8859_1), in);
        }
        return new Request(
                bare.head(), "chunked".equalsIgnoreCase(bare.header("transfer-encoding")) ? chunks(in) : "", in);
    }

    static String chunks(InputStream in) throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            StringBuilder size = new StringBuilder();
            while (size.indexOf("\r\n") < 0) {
                int b = in.read();
                if (b < 0) {
                    throw new IOException("cut in a chunk");
                }
                size.append((char) b);
            }
            int length = Integer.parseInt(size.toString().strip(), 16);
            body.append(new String(in.readNBytes(length), ISO_8859_1));
            in.readNBytes(2);
            if (length == 0) {
                return body.toString();
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        dropConnections();
        threads.shutdownNow();
    }
}
