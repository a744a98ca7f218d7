package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Splits;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Utf8Test {
    /** Every first byte, with second to fourth bytes at all the edges of the table in RFC 3629. */
    @Test
    void shouldAgreeWithJavaWhenBytesAreAtTheEdges() {
        int[] edges = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
        byte[] bytes = new byte[4];
        for (int first = 0; first < 256; first++) {
            bytes[0] = (byte) first;
            for (int length = 1, rests = 1; length <= bytes.length; length++, rests *= edges.length) {
                for (int rest = 0; rest < rests; rest++) {
                    for (int at = 1, left = rest; at < length; at++, left /= edges.length) {
                        bytes[at] = (byte) edges[left % edges.length];
                    }
                    assertEquals(javaAccepts(bytes, length), Utf8.isValid(bytes, 0, length));
                }
            }
        }
    }

    @Test
    void shouldTellCutFromMalformed() {
        assertFalse(Utf8.isMalformed(new byte[] {'a', (byte) 0xf0, (byte) 0x9f, (byte) 0x98}));
        assertTrue(Utf8.isMalformed(new byte[] {'a', (byte) 0xf0, (byte) 0x9f, 'b'}));
        assertFalse(Utf8.isMalformed(Splits.utf8("a\u20ac")));
    }

    private static boolean javaAccepts(byte[] bytes, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
