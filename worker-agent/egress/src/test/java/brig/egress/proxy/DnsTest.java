package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.link.WallSocket.Role;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.tls.TestServers;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DnsTest {
    private static final int A = 1;
    private static final int AAAA = 28;

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.names.put("a.example", List.of(InetAddress.getByName("8.8.4.4"), InetAddress.getByName("2003::1")));
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    static byte[] question(String name, int type) {
        ByteBuffer out = ByteBuffer.allocate(600)
                .putShort((short) 0x1234)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (String label : name.split("\\.", -1)) {
            byte[] bytes = label.getBytes(StandardCharsets.ISO_8859_1);
            out.put((byte) bytes.length).put(bytes);
        }
        out.put((byte) 0).putShort((short) type).putShort((short) 1);
        return Arrays.copyOf(out.array(), out.position());
    }

    static byte[] ask(Worker worker, String name, int type) throws IOException {
        return udp(worker, question(name, type));
    }

    private static byte[] udp(Worker worker, byte[] question) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(TestServers.loopback(worker.ports().get(Role.DNS_UDP)));
            socket.setSoTimeout(1_000);
            DatagramPacket answer = new DatagramPacket(new byte[4096], 4096);
            // Retries like a resolver: a datagram may be lost under load.
            for (int i = 0; i < 20; i++) {
                try {
                    socket.send(new DatagramPacket(question, question.length));
                    socket.receive(answer);
                    return Arrays.copyOf(answer.getData(), answer.getLength());
                } catch (SocketTimeoutException again) {
                    answer.setLength(4096);
                }
            }
            throw new IOException("no answer");
        }
    }

    /** The address of the last record: the last four bytes. */
    static byte[] address(byte[] answer) {
        return Arrays.copyOfRange(answer, answer.length - 4, answer.length);
    }

    private static int code(byte[] answer) {
        return answer[3] & 0x0f;
    }

    private static int count(byte[] answer) {
        return answer[7];
    }

    private Worker worker(String mode) throws IOException {
        return egress.worker(
                EgressFixture.policy("{'allowedHosts': ['a.example'], 'dnsMode': '" + mode + "'}", 0),
                Role.DNS_UDP,
                Role.DNS_TCP,
                Role.PROXY);
    }

    @Test
    void shouldGiveEachNameAnAddressOfItsOwnWhenSynthetic() throws IOException {
        Worker worker = worker("synthetic");
        byte[] first = ask(worker, "A.Example", A);
        assertEquals(0x1234, ByteBuffer.wrap(first).getShort());
        assertEquals(0x8180, ByteBuffer.wrap(first).getShort(2) & 0xffff);
        assertArrayEquals(new byte[] {(byte) 198, 18, 0, 1}, address(first));
        assertArrayEquals(new byte[] {(byte) 198, 18, 0, 2}, address(ask(worker, "unknown.evil.example", A)));
        assertArrayEquals(address(first), address(ask(worker, "a.example", A)));
        assertTrue(egress.resolved.isEmpty(), "no query may leave the host");
    }

    @ParameterizedTest
    @CsvSource({"28", "65", "15", "16", "255"})
    void shouldHaveNoOtherRecords(int type) throws IOException {
        byte[] answer = ask(worker("synthetic"), "a.example", type);
        assertEquals(0, code(answer));
        assertEquals(0, count(answer));
    }

    @Test
    void shouldLeaveLocalhostInside() throws IOException {
        assertArrayEquals(new byte[] {127, 0, 0, 1}, address(ask(worker("synthetic"), "localhost", A)));
    }

    @Test
    void shouldSayThatThereIsNoSuchNameWhenNoHostCanHaveIt() throws IOException {
        assertEquals(3, code(ask(worker("synthetic"), "a b.example", A)));
    }

    @Test
    void shouldResolveAllowedNamesOnlyWhenTrusted() throws IOException {
        Worker worker = worker("trusted");
        byte[] answer = ask(worker, "a.example", A);
        assertEquals(1, count(answer));
        assertArrayEquals(new byte[] {8, 8, 4, 4}, address(answer));
        assertEquals(0, count(ask(worker, "a.example", AAAA)));
        assertEquals((byte) 198, address(ask(worker, "secret-data.evil.example", A))[0]);
        assertEquals(List.of("a.example"), egress.resolved);
    }

    @Test
    void shouldResolveEveryNameWhenOpen() throws IOException {
        egress.names.put("b.example", List.of(InetAddress.getByName("8.8.8.8")));
        Worker worker = worker("open");
        assertArrayEquals(new byte[] {8, 8, 8, 8}, address(ask(worker, "b.example", A)));
        assertEquals(3, code(ask(worker, "none.example", A)));
        assertEquals(2, code(ask(worker, "b.example", 16)), "no name server answers here");
    }

    @Test
    void shouldAnswerOverTcpToo() throws IOException {
        Worker worker = worker("synthetic");
        try (Socket socket = new Socket()) {
            socket.connect(TestServers.loopback(worker.ports().get(Role.DNS_TCP)));
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int i = 0; i < 3; i++) {
                byte[] question = question("n" + i + ".example", A);
                out.writeShort(question.length);
                for (byte b : question) {
                    out.write(b);
                    out.flush();
                }
                byte[] answer = new byte[in.readUnsignedShort()];
                in.readFully(answer);
                assertArrayEquals(new byte[] {(byte) 198, 18, 0, (byte) (i + 1)}, address(answer));
            }
            out.writeShort(60_000);
            out.write(new byte[100]);
            out.flush();
            assertTrue(TestClient.isEnded(in));
        }
    }

    @Test
    void shouldGoOnWhenItIsSentNonsense() throws IOException {
        Worker worker = worker("synthetic");
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(TestServers.loopback(worker.ports().get(Role.DNS_UDP)));
            for (int i = 0; i < 500; i++) {
                byte[] bytes = random.nextBoolean() ? new byte[1 + random.nextInt(600)] : question("a.example", A);
                random.nextBytes(i % 2 == 0 ? bytes : new byte[1]);
                bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length + 1));
                socket.send(new DatagramPacket(bytes, bytes.length));
            }
        }
        assertEquals(1, count(ask(worker, "a.example", A)), "seed " + seed);
        byte[] response = question("a.example", A);
        response[2] = (byte) 0x80;
        assertThrows(SocketTimeoutException.class, () -> {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.connect(TestServers.loopback(worker.ports().get(Role.DNS_UDP)));
                socket.setSoTimeout(300);
                socket.send(new DatagramPacket(response, response.length));
                socket.receive(new DatagramPacket(new byte[100], 100));
            }
        });
    }

    @Test
    void shouldRememberSoManyNamesAndNoMore() throws IOException {
        Worker worker = worker("synthetic");
        for (int i = 0; i < 4096; i++) {
            assertEquals(0, code(ask(worker, "n" + i + ".example", A)));
        }
        assertEquals(2, code(ask(worker, "one-more.example", A)));
        assertEquals(0, code(ask(worker, "n17.example", A)));
    }

    @Test
    void shouldKnowTheNameWhenAProxyIsToldTheSyntheticAddress() throws Exception {
        Worker worker = worker("synthetic");
        assertNotEquals(0, count(ask(worker, "evil.example", A)));
        try (TestClient client = egress.client(worker)) {
            String body = client.send("GET http://198.18.0.1/ HTTP/1.1\r\nHost: 198.18.0.1\r\n\r\n")
                    .answer()
                    .body();
            assertTrue(body.contains("allowedHosts does not have evil.example"), body);
            assertFalse(body.contains("198.18"), body);
        }
    }
}
