package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleTextTest {
    @Test
    void shouldLeaveWhatEverybodySeesAsItIs() {
        String text = "naïve 漢字 🙂 é \\ \" ~";
        assertSame(text, VisibleText.of(text));
    }

    @Test
    void shouldShowEveryControlCharacter() {
        for (char c = 0; c < 0xa0; c = c == ' ' - 1 ? 0x7f : (char) (c + 1)) {
            String shown = VisibleText.of("a" + c + "b");
            assertTrue(shown.matches("a\\\\(u00[0-9a-f]{2}|[nrt])b"), shown);
        }
        assertEquals("a\n\tb\\u001b\\r", VisibleText.lines("a\n\tb\u001b\r"));
    }

    /** Order turned round, nothing drawn, lines that are none: embedding, isolate, joiner, mark, tag, separator, filler. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200b, 0x200c, 0x200d, 0x200e,
                0x200f, 0x061c, 0x00ad, 0xfeff, 0x2060, 0x2064, 0xfff9, 0xe0041, 0x2028, 0x2029, 0x034f, 0x115f, 0x3164,
                0xffa0, 0xd800
            })
    void shouldShowWhatHidesOrDeceives(int point) {
        String text = "x" + new String(Character.toChars(point)) + "y";
        String shown = VisibleText.of(text);
        assertTrue(shown.matches("x(\\\\u[0-9a-f]{4}){1,2}y"), shown);
        assertEquals(shown, VisibleText.lines(text));
    }

    /** In a string of JSON it is the same character, so that a line of JSON may be shown this way. */
    @Test
    void shouldMeanTheSameInJson() {
        String json = "{\"name\":\"a\u202eb\u009bc\udb40\udc41\"}";
        String shown = VisibleText.of(json);
        assertTrue(shown.chars().allMatch(c -> c >= ' ' && c < 0x7f), shown);
        assertEquals(
                "a\u202eb\u009bc\udb40\udc41",
                Json.parseObject(shown.getBytes(StandardCharsets.UTF_8)).get("name"));
    }

    @Test
    void shouldWriteNoControlCharacterInJson() {
        StringBuilder all = new StringBuilder("é");
        for (char c = 0; c < 0xa1; c++) {
            all.append(c);
        }
        byte[] json = Json.write(Map.of(all.toString(), all.toString()));
        String line = new String(json, StandardCharsets.UTF_8);
        assertTrue(line.chars().noneMatch(Character::isISOControl), line);
        assertEquals(Map.of(all.toString(), all.toString()), Json.parseObject(json));
    }
}
