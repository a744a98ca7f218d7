package brig.egress.dns;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.address.HostNames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.dns.DnsRecordDecoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DnsQueryTest {
    private static final int HEADER_BYTES = 12;
    /** The size that every resolver accepts over UDP (RFC 1035). */
    private static final int UDP_BYTES_MAX = 512;

    private static final String LONGEST =
            "x".repeat(63) + "." + "y".repeat(63) + "." + "z".repeat(63) + "." + "w".repeat(61);

    private static byte[] question(String name) {
        ByteBuffer out = ByteBuffer.allocate(600)
                .putShort((short) 0x1234)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (String label : name.split("\\.", -1)) {
            byte[] bytes = label.getBytes(ISO_8859_1);
            out.put((byte) bytes.length).put(bytes);
        }
        out.put((byte) 0).putShort((short) DnsQuery.TYPE_A).putShort((short) 1);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] with(byte[] message, int at, int value) {
        byte[] changed = message.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private static DnsQuery parsed(byte[] message) {
        DnsQuery query = DnsQuery.parse(message);
        assertNotNull(query);
        return query;
    }

    @Test
    void shouldReadTheNameInOneForm() {
        assertEquals("a.example", parsed(question("A.Example")).name());
        assertEquals(LONGEST, parsed(question(LONGEST)).name());
        assertNull(parsed(question("a b.example")).name(), "no host can have it");
        assertEquals(DnsQuery.TYPE_A, parsed(question("a.example")).type());
    }

    @Test
    void shouldTakeOneQuestionOfClassInAndNothingElse() {
        byte[] message = question("a.example");
        assertNull(DnsQuery.parse(with(message, 2, 0x81)), "an answer");
        assertNull(DnsQuery.parse(with(message, 2, 0x29)), "an update");
        assertNull(DnsQuery.parse(with(message, 5, 0)), "no question");
        assertNull(DnsQuery.parse(with(message, 5, 2)), "two questions");
        assertNull(DnsQuery.parse(with(message, message.length - 1, 3)), "class CH");
        assertNull(DnsQuery.parse(with(message, HEADER_BYTES, 0xc0)), "a pointer");
        assertNull(DnsQuery.parse(with(message, HEADER_BYTES, 64)), "a label that is too long");
        assertNull(DnsQuery.parse(question(LONGEST + "w")), "a name that is too long");
        for (int length = 0; length < message.length; length++) {
            assertNull(DnsQuery.parse(Arrays.copyOf(message, length)), "cut at " + length);
        }
    }

    @Test
    void shouldAnswerInOneDatagramWhateverIsAsked() {
        byte[] answer = parsed(question(LONGEST))
                .answer(DnsQuery.NO_ERROR, Collections.nCopies(8, new byte[] {1, 2, 3, 4}), 60);
        assertTrue(answer.length <= UDP_BYTES_MAX, answer.length + " bytes");
    }

    /** Scenario: damaged messages; a parser that others fuzz reads the same from each. */
    @Test
    void shouldReadOfDamagedMessagesWhatAnotherParserReads() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int compared = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] message = question(i % 2 == 0 ? "Registry.example" : LONGEST);
            for (int damage = random.nextInt(4); damage > 0; damage--) {
                int value = random.nextInt(3) == 0 ? 0xc0 : random.nextInt(128);
                message[random.nextInt(message.length)] = (byte) value;
            }
            byte[] cut = random.nextInt(8) == 0 ? Arrays.copyOf(message, random.nextInt(message.length + 20)) : message;
            DnsQuery query = DnsQuery.parse(cut);
            String other = query == null ? null : nameByNetty(cut);
            if (query != null && query.name() != null && other != null) {
                assertEquals(HostNames.normalize(other), query.name(), () -> "seed " + seed);
                compared++;
            }
        }
        assertTrue(compared > 20_000, compared + " compared, seed " + seed);
    }

    private static @Nullable String nameByNetty(byte[] message) {
        ByteBuf in = Unpooled.wrappedBuffer(message).skipBytes(HEADER_BYTES);
        try {
            return DnsRecordDecoder.DEFAULT.decodeQuestion(in).name();
        } catch (CorruptedFrameException | IllegalArgumentException refused) {
            return null;
        } catch (Exception e) {
            throw new AssertionError("another failure", e);
        }
    }
}
