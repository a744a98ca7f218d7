package brig.workeragent.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceOutputTest {
    private final List<String> pieces = new ArrayList<>();
    private final ServiceOutput output = new ServiceOutput(pieces::add);

    private void read(byte[] bytes) {
        output.read(bytes, 0, bytes.length, 0);
    }

    @Test
    void shouldJoinCharacterThatComesInParts() {
        byte[] ship = "a ⛵ and 🚢".getBytes(UTF_8);
        for (byte each : ship) {
            read(new byte[] {each});
        }
        output.finish(0);
        assertEquals("a ⛵ and 🚢", String.join("", pieces));
    }

    @Test
    void shouldReplaceWhatIsNoText() {
        read(new byte[] {'a', (byte) 0xff, 'b', (byte) 0xf0, (byte) 0x9f});
        output.finish(0);
        assertEquals("a\ufffdb\ufffd", String.join("", pieces));
    }

    @Test
    void shouldCutIntoPiecesThatFitIntoFrame() {
        String many = "🚢".repeat(20_000);
        read(many.getBytes(UTF_8));
        output.finish(0);
        assertEquals(many, String.join("", pieces));
        assertTrue(pieces.stream().allMatch(piece -> piece.length() <= 8 * 1024), "a piece is too long");
    }
}
