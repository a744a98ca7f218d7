package brig.gateway.nats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.cluster.Run;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NatsLogTest {
    private static final String ID = "spn_01kdvw5v09s6yx3m8q2t7n4e";
    private static final String SUBJECT = "brig.log.w1." + ID;

    private static Headers headers(String term, String first, String last) {
        return new Headers().add("Brig-Term", term).add("Brig-First", first).add("Brig-Last", last);
    }

    private static byte[] lines(String text) {
        return text.replace('|', '\n').getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldReadARunAndAFence() {
        Run run = NatsLog.read(SUBJECT, headers("7", "3", "4"), lines("a|b|"));
        assertNotNull(run);
        assertEquals(ID + " 7 3 4", run.spawnId() + " " + run.term() + " " + run.firstSeq() + " " + run.lastSeq());
        assertNotNull(NatsLog.read(SUBJECT, headers("7", "5", "4"), null));
    }

    @ParameterizedTest
    @CsvSource({
        "brig.log.w1.spn_x, 7, 3, 4, a|b|",
        SUBJECT + ", x, 3, 4, a|b|",
        SUBJECT + ", 0, 3, 4, a|b|",
        SUBJECT + ", 7, 0, 1, a|b|",
        SUBJECT + ", 7, 3, 5, a|b|",
        SUBJECT + ", 7, 3, 3, a|b|",
        SUBJECT + ", 7, 3, 4, a|b|c",
        SUBJECT + ", 7, 3, 9999999999999999999, a|b|",
        SUBJECT + ", 7, -3, 4, a|b|"
    })
    void shouldPassOverWhatIsNoRun(String subject, String term, String first, String last, String text) {
        assertNull(NatsLog.read(subject, headers(term, first, last), lines(text)));
        assertNull(NatsLog.read(subject, null, lines(text)));
        assertNull(NatsLog.read(null, headers(term, first, last), lines(text)));
    }

    private static byte[] frames(int count) {
        return "{\"type\":\"chunk\",\"content\":\"text\"}\n".repeat(count).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldSendLargeRunsDeflatedAndSmallOnesAsTheyAre() {
        byte[] many = frames(1_000);
        Headers headers = headers("7", "1", "1000");
        byte[] sent = PackedLines.pack(many, headers);
        assertTrue(sent.length < many.length / 8, () -> sent.length + " bytes");
        Run run = NatsLog.read(SUBJECT, headers, sent);
        assertNotNull(run);
        assertArrayEquals(many, run.lines());
        Headers plain = headers("7", "1", "2");
        assertArrayEquals(frames(2), PackedLines.pack(frames(2), plain));
        assertNull(plain.getFirst("Brig-Deflated"));
    }

    @Test
    void shouldSendAsItIsWhatDeflatingMakesLonger() {
        byte[] noise = new byte[4096];
        new Random(1).nextBytes(noise);
        Headers headers = headers("7", "1", "1");
        assertArrayEquals(noise, PackedLines.pack(noise, headers));
        assertNull(headers.getFirst("Brig-Deflated"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"33999", "34001", "1023", "8388609", "999999999999", "-1", "x", ""})
    void shouldPassOverWhatDoesNotInflateToWhatItSays(String bytes) {
        Headers headers = headers("7", "1", "1000");
        byte[] sent = PackedLines.pack(frames(1_000), headers);
        assertEquals("34000", headers.getFirst("Brig-Deflated"));
        headers.put("Brig-Deflated", bytes);
        assertNull(NatsLog.read(SUBJECT, headers, sent));
    }

    @Test
    void shouldPassOverWhatIsNotDeflated() {
        Headers headers = headers("7", "1", "1000").add("Brig-Deflated", "34000");
        assertNull(NatsLog.read(SUBJECT, headers, frames(1_000)));
        assertNull(NatsLog.read(SUBJECT, headers, new byte[0]));
    }
}
