package brig.workeragent.gate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.LinkToken;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The port of a sandbox, with the real far end of a joint and an echo in place of the link socket. */
class LinkGateTest {
    private static final String HELLO = "brig-join 1\n";
    private static final byte[] KEY = "0".repeat(64).getBytes(US_ASCII);
    private static final int OPEN = 1;
    private static final int DATA = 2;

    private final LinkToken link = new LinkToken("0123456789ab", "spn_01kdvk6w3q5h8b2n7r4t9x6m");

    @TempDir
    private Path folder;

    private ServerSocketChannel echo;
    private LinkGate gate;

    @BeforeEach
    void open() throws IOException {
        Path socket = folder.resolve("link.sock");
        echo = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        echo.bind(UnixDomainSocketAddress.of(socket));
        Thread.startVirtualThread(this::serve);
        Path joiner = Path.of(System.getProperty("brig.native"), "brig-join");
        gate = new LinkGate(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                link,
                KEY,
                List.of(joiner.toString(), socket.toString()));
    }

    @AfterEach
    void close() throws IOException {
        gate.close();
        echo.close();
    }

    private void serve() {
        try {
            while (true) {
                SocketChannel one = echo.accept();
                Thread.startVirtualThread(() -> {
                    try (one) {
                        Channels.newInputStream(one).transferTo(Channels.newOutputStream(one));
                    } catch (IOException gone) {
                        return;
                    }
                });
            }
        } catch (IOException closed) {
            return;
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(gate.address().getAddress(), gate.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String request(String upgrade, String token) {
        return "GET " + LinkToken.PATH + " HTTP/1.1\r\nHost: sandbox\r\nConnection: Upgrade\r\nUpgrade: " + upgrade
                + "\r\n" + LinkToken.HEADER + ": " + token + "\r\n\r\n";
    }

    /** The head of the answer; the rest is left to be read. */
    private static String head(InputStream from) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = from.read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static byte[] frame(int kind, int value, byte[] bytes) {
        return ByteBuffer.allocate(8 + bytes.length)
                .putInt(kind << 24 | value)
                .putInt(0)
                .put(bytes)
                .array();
    }

    private static byte[] said(int size) {
        byte[] bytes = new byte[size];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    /** The next data of the one connection, which begins with what came before. */
    private static byte[] data(InputStream from, int size) throws IOException {
        DataInputStream in = new DataInputStream(from);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < size) {
            int first = in.readInt();
            in.readInt();
            if (first >>> 24 == DATA) {
                all.write(in.readNBytes(first & 0xffffff));
            }
        }
        return all.toByteArray();
    }

    @Test
    void shouldJoinBytesAlsoThoseThatComeWithTheRequest() throws IOException {
        byte[] words = said(12_000);
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            ByteArrayOutputStream first = new ByteArrayOutputStream();
            first.write(request(LinkToken.UPGRADE, link.sign(KEY, 1)).getBytes(ISO_8859_1));
            first.write(frame(OPEN, 0, new byte[0]));
            first.write(frame(DATA, words.length, words));
            out.write(first.toByteArray());
            InputStream in = socket.getInputStream();
            assertTrue(head(in).startsWith("HTTP/1.1 101 "));
            assertEquals(HELLO, new String(in.readNBytes(HELLO.length()), US_ASCII));
            assertArrayEquals(words, data(in, words.length));
        }
    }

    @Test
    void shouldJoinMessagesOfAWebSocket() throws Exception {
        LinkedBlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
        byte[] words = said(12_000);
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket = client.newWebSocketBuilder()
                    .header(LinkToken.HEADER, link.sign(KEY, 1))
                    .buildAsync(
                            URI.create("ws://127.0.0.1:" + gate.address().getPort() + LinkToken.PATH),
                            new WebSocket.Listener() {
                                @Override
                                public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
                                    byte[] bytes = new byte[data.remaining()];
                                    data.get(bytes);
                                    arrived.add(bytes);
                                    from.request(1);
                                    return null;
                                }
                            })
                    .join();
            socket.sendBinary(ByteBuffer.wrap(frame(OPEN, 0, new byte[0])), true)
                    .join();
            byte[] data = frame(DATA, words.length, words);
            // In two messages, and in two fragments of one.
            socket.sendBinary(ByteBuffer.wrap(data, 0, 5), true).join();
            socket.sendBinary(ByteBuffer.wrap(data, 5, 3000), false).join();
            socket.sendBinary(ByteBuffer.wrap(data, 3005, data.length - 3005), true)
                    .join();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (all.size() < HELLO.length() + 8 + words.length) {
                all.write(arrived.take());
            }
            byte[] bytes = all.toByteArray();
            assertEquals(HELLO, new String(bytes, 0, HELLO.length(), US_ASCII));
            assertArrayEquals(
                    words,
                    data(
                            new java.io.ByteArrayInputStream(bytes, HELLO.length(), bytes.length - HELLO.length()),
                            words.length));
            socket.abort();
        }
    }

    @Test
    void shouldTakeEachTokenOnceAndEndTheConnectionBefore() throws IOException {
        try (Socket first = connect();
                Socket second = connect();
                Socket again = connect()) {
            first.getOutputStream()
                    .write(request(LinkToken.UPGRADE, link.sign(KEY, 1)).getBytes(ISO_8859_1));
            assertTrue(head(first.getInputStream()).startsWith("HTTP/1.1 101 "));
            second.getOutputStream()
                    .write(request(LinkToken.UPGRADE, link.sign(KEY, 2)).getBytes(ISO_8859_1));
            assertTrue(head(second.getInputStream()).startsWith("HTTP/1.1 101 "));
            first.getInputStream().readAllBytes();
            again.getOutputStream()
                    .write(request(LinkToken.UPGRADE, link.sign(KEY, 2)).getBytes(ISO_8859_1));
            assertTrue(head(again.getInputStream()).startsWith("HTTP/1.1 401 "));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /brig-link HTTP/1.1\r\nUpgrade: brig-link\r\nContent-Length: 0\r\n\r\n|404",
                "GET /brig-link/../ HTTP/1.1\r\nUpgrade: brig-link\r\n\r\n|404",
                "GET /brig-link HTTP/1.1\r\n\r\n|426",
                "GET /brig-link HTTP/1.1\r\nUpgrade: brig-link\r\n\r\n|401",
                "GET /brig-link HTTP/1.1\r\nUpgrade: brig-link\r\nX-Brig-Link: 1.1.00\r\n\r\n|401",
                "GET /brig-link HTTP/1.1\r\nUpgrade: websocket\r\nAuthorization: Bearer x\r\n\r\n|401",
                "\u0016\u0003\u0001\r\n\r\n|404"
            })
    void shouldRefuseAllElse(String sentAndStatus) throws IOException {
        String[] parts = sentAndStatus.split("\\|");
        try (Socket socket = connect()) {
            socket.getOutputStream().write(parts[0].getBytes(ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            assertTrue(answer.startsWith("HTTP/1.1 " + parts[1]), answer);
        }
    }

    @Test
    void shouldBoundTheHeadOfARequest() throws IOException {
        try (Socket socket = connect()) {
            String head = "GET /brig-link HTTP/1.1\r\nX-Brig-Link: " + "1".repeat(1_000_000);
            try {
                socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            } catch (IOException closed) {
                return;
            }
            String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 404"), answer);
        } catch (IOException reset) {
            assertTrue(String.valueOf(reset.getMessage()).contains("reset"), reset.getMessage());
        }
    }
}
