package brig.cli.tty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class KeyTextTest {
    @Test
    void shouldKeepACharacterTogetherWhereverItIsCut() {
        String typed = "a\u00e9\u20ac\ud83d\ude00b";
        byte[] bytes = typed.getBytes(UTF_8);
        for (int cut = 0; cut <= bytes.length; cut++) {
            KeyText text = new KeyText();
            byte[] rest = java.util.Arrays.copyOfRange(bytes, cut, bytes.length);
            assertEquals(typed, text.decode(bytes, cut) + text.decode(rest, rest.length));
        }
    }

    @Test
    void shouldReplaceWhatIsNoText() {
        assertEquals("a\ufffdb", new KeyText().decode(new byte[] {'a', (byte) 0xff, 'b'}, 3));
    }

    @Test
    void shouldSplitLongTextsBetweenCharacters() {
        String typed = "\ud83d\ude00x".repeat(20_000);
        List<String> pieces = KeyText.pieces(typed);
        assertEquals(typed, String.join("", pieces));
        pieces.forEach(piece -> {
            assertTrue(piece.getBytes(UTF_8).length <= KeyText.PIECE_BYTES_MAX);
            assertTrue(!Character.isLowSurrogate(piece.charAt(0)));
        });
        assertEquals(7, pieces.size());
        assertEquals(List.of(), KeyText.pieces(""));
    }
}
