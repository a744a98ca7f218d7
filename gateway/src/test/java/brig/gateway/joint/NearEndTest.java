package brig.gateway.joint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a host may send, and what ends the joint. The host is a script: all of it is read at once, on one thread. */
class NearEndTest {
    private static final byte[] NOTHING = {};
    private static final String ENDED = "the program there ended";

    private static final class OneLocal implements Local {
        boolean closed;

        @Override
        public int read(byte[] into, int offset, int length) {
            return -1;
        }

        @Override
        public void write(byte[] from, int length) {}

        @Override
        public void endOutput() {}

        @Override
        public void close() {
            closed = true;
        }
    }

    /** A host that sends a hello and those bytes, in pieces, and then ends. */
    private static final class Script extends ByteArrayInputStream {
        final NearEnd near;
        private final int most;
        Runnable atEnd = () -> {};
        boolean isAtEnd;

        Script(byte[] bytes, int most) {
            super(joined(NearEnd.HELLO.getBytes(StandardCharsets.US_ASCII), bytes));
            this.most = most;
            near = new NearEnd(this, OutputStream.nullOutputStream());
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            int read = super.read(into, offset, Math.min(most, length));
            if (read < 0 && !isAtEnd) {
                isAtEnd = true;
                atEnd.run();
            }
            return read;
        }
    }

    private static byte[] frame(int kind, int value, int number) {
        return ByteBuffer.allocate(8).putInt(kind << 24 | value).putInt(number).array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] hello() {
        return NearEnd.HELLO.getBytes(StandardCharsets.US_ASCII);
    }

    private static NearEnd near(byte[]... host) {
        return new NearEnd(new ByteArrayInputStream(joined(host)), OutputStream.nullOutputStream());
    }

    /** Kinds as numbers; {@code 2:N} has so many bytes. */
    private static byte[] script(String script) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String words : script.split(" ")) {
            String[] parts = words.split(":");
            int kind = Integer.parseInt(parts[0]);
            int value = Integer.parseInt(parts[1]);
            all.writeBytes(frame(kind, value, Integer.parseInt(parts[2])));
            all.writeBytes(new byte[kind == 2 ? value : 0]);
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "0:0:0, a frame of no kind",
        "6:0:0, a frame of no kind",
        "255:0:0, a frame of no kind",
        "1:0:0, connections of its own",
        "1:0:5, frames for a connection that is not there",
        "3:0:1, frames for a connection that is not there",
        "4:0:2048, frames for a connection that is not there",
        "5:1:-1, frames for a connection that is not there",
        "2:16385:0, a frame that is too long",
        "2:16777215:0, a frame that is too long",
        "2:16384:0 2:16384:0 2:1:0, more data than it may",
        "3:0:0 2:1:0, data after the end of a connection",
        "3:0:0 3:0:0, a second end of a connection",
        "5:1015808:0 5:1:0, a window that is too large",
        "5:16777215:0, a window that is too large",
        "4:0:0 4:0:0, frames for a connection that it has closed",
        "4:0:0 2:1:0, frames for a connection that it has closed",
    })
    void shouldEndWhenTheHostSendsWhatItMayNot(String script, String reason) {
        OneLocal local = new OneLocal();
        NearEnd near = near(hello(), script(script), new byte[100_000]);
        JoinedStream stream = near.open(local);
        assertEquals("the host sends " + reason, near.receive());
        assertTrue(local.closed);
        assertEquals(0, stream.awaitCredit(1), "nothing is sent any more");
        assertEquals(0, stream.take(new Bytes()).length());
        assertNull(near.open(local));
        assertFalse(near.serve(local));
    }

    @Test
    void shouldTakeAllThatAHostMaySend() {
        byte[] host = script("2:16384:0 2:16384:0 5:1015808:0 5:0:0 3:0:0 2:0:1 4:0:0 2:5:1");
        Script all = new Script(host, Integer.MAX_VALUE);
        JoinedStream first = all.near.open(new OneLocal());
        JoinedStream second = all.near.open(new OneLocal());
        all.atEnd = () -> {
            assertEquals(2 * NearEnd.CHUNK, first.take(new Bytes()).length());
            assertEquals(5, second.take(new Bytes()).length());
            assertEquals(0, first.awaitCredit(1), "the host takes no more");
            assertEquals(NearEnd.WINDOW_FIRST, second.awaitCredit(Integer.MAX_VALUE));
        };
        assertEquals(ENDED, all.near.receive());
        assertTrue(all.isAtEnd);
    }

    @Test
    void shouldKeepNothingForAConnectionThatIsOver() {
        Script all = new Script(script("2:16384:0 2:16384:0"), Integer.MAX_VALUE);
        JoinedStream stream = all.near.open(new OneLocal());
        stream.finish();
        all.atEnd = () -> assertEquals(0, stream.take(new Bytes()).length());
        assertEquals(ENDED, all.near.receive());
    }

    @ParameterizedTest
    @CsvSource({"'', true", "'Welcome!\nbrig-join is there\nbrig-brig-join 2\nbrig-j', true", "brig-join 2, false"})
    void shouldPassOverWhatALoginShellSays(String noise, boolean isFound) {
        byte[] said = noise.getBytes(StandardCharsets.US_ASCII);
        byte[] rest = isFound ? joined(hello(), frame(9, 0, 0)) : new byte[NearEnd.NOISE_MAX];
        assertEquals(
                "the host sends " + (isFound ? "a frame of no kind" : "something else than brig-join would"),
                near(said, rest).receive());
        assertEquals(ENDED, near(said).receive());
    }

    @Test
    void shouldGiveEachConnectionItsBytesHoweverTheyAreCut() {
        Random random = new Random(172);
        ByteArrayOutputStream host = new ByteArrayOutputStream();
        List<ByteArrayOutputStream> sent = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sent.add(new ByteArrayOutputStream());
        }
        for (int i = 0; i < 60; i++) {
            byte[] bytes = new byte[random.nextInt(1000)];
            random.nextBytes(bytes);
            int number = random.nextInt(sent.size());
            sent.get(number).writeBytes(bytes);
            host.writeBytes(frame(2, bytes.length, number));
            host.writeBytes(bytes);
        }
        for (int most : new int[] {1, 7, 8, 9, 4096}) {
            Script all = new Script(host.toByteArray(), most);
            List<JoinedStream> streams = new ArrayList<>();
            sent.forEach(bytes -> streams.add(all.near.open(new OneLocal())));
            all.atEnd = () -> {
                for (int i = 0; i < streams.size(); i++) {
                    Bytes taken = streams.get(i).take(new Bytes());
                    assertArrayEquals(sent.get(i).toByteArray(), Arrays.copyOf(taken.array(), taken.length()));
                }
            };
            assertEquals(ENDED, all.near.receive());
            assertTrue(all.isAtEnd);
        }
    }

    @Test
    void shouldGiveANumberAwayAgainWhenBothEndsHaveClosedIt() throws IOException {
        Growth growth = new Growth(0);
        JoinedStream far = new JoinedStream(0, new OneLocal(), growth);
        assertFalse(far.handle(Kind.CLOSE, 0, NOTHING));
        assertTrue(far.handleCloseSent());
        JoinedStream near = new JoinedStream(0, new OneLocal(), growth);
        assertFalse(near.handleCloseSent());
        assertTrue(near.handle(Kind.CLOSE, 0, NOTHING));
    }

    @Test
    void shouldFreeTheNumberWhenTheHostClosesLast() {
        Script all = new Script(script("4:0:0"), Integer.MAX_VALUE);
        JoinedStream first = all.near.open(new OneLocal());
        assertFalse(first.handleCloseSent());
        all.atEnd = () -> assertEquals(0, all.near.open(new OneLocal()).number());
        assertEquals(ENDED, all.near.receive());
        assertTrue(all.isAtEnd);
    }

    @Test
    void shouldGrowByWhatOthersLeaveAndGiveItBack() throws IOException {
        Growth growth = new Growth(NearEnd.WINDOW_FIRST);
        assertFalse(growth.take(NearEnd.WINDOW_FIRST + 1));
        JoinedStream first = new JoinedStream(0, new OneLocal(), growth);
        assertEquals(2 * NearEnd.WINDOW_FIRST, first.handleDelivered(NearEnd.WINDOW_FIRST));
        JoinedStream second = new JoinedStream(1, new OneLocal(), growth);
        assertEquals(NearEnd.WINDOW_FIRST, second.handleDelivered(NearEnd.WINDOW_FIRST));
        first.finish();
        assertEquals(2 * NearEnd.WINDOW_FIRST, second.handleDelivered(NearEnd.WINDOW_FIRST));
        second.handle(Kind.END, 0, NOTHING);
        assertEquals(0, second.handleDelivered(NearEnd.WINDOW_MAX), "nothing more comes");
    }

    @Test
    void shouldEnlargeWindowsOfConnectionsThatAreReadAndBoundAllTogether() throws IOException {
        NearEnd near = new Script(NOTHING, 1).near;
        long windows = 0;
        for (JoinedStream stream = near.open(new OneLocal()); stream != null; stream = near.open(new OneLocal())) {
            int window = NearEnd.WINDOW_FIRST;
            for (int turn = 0; turn < 8; turn++) {
                stream.handle(Kind.DATA, NearEnd.CHUNK, new byte[NearEnd.CHUNK]);
                stream.take(new Bytes());
                assertEquals(0, stream.handleDelivered(window / 2 - 1), "half a window is worth a word");
                int more = stream.handleDelivered(1);
                window += more - window / 2;
            }
            assertTrue(window <= NearEnd.WINDOW_MAX);
            windows += window;
        }
        assertEquals((long) NearEnd.CONNECTIONS_MAX * NearEnd.WINDOW_FIRST + NearEnd.GROWTH_MAX, windows);
    }
}
