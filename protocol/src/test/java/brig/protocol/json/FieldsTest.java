package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Splits;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class FieldsTest {
    private static Fields fields(String json) {
        return new Fields(Json.parseObject(Splits.utf8(json.replace('\'', '"'))));
    }

    private static void assertRefused(String message, Executable read) {
        BrigException fault = assertThrows(BrigException.class, read);
        assertEquals(message, fault.getMessage());
        assertEquals(ErrorCode.INVALID_FIELD, fault.code());
    }

    @Test
    void shouldGiveWhatIsThere() {
        Fields fields = fields("{'t':'x','f':true,'n':7,'o':{'t':'y'},'l':['a','b'],'e':''}");
        assertEquals("x", fields.text("t"));
        assertEquals("x", fields.text("t", "z"));
        assertEquals("x", fields.requiredText("t"));
        assertEquals("", fields.text("e"));
        assertTrue(fields.flag("f"));
        assertEquals(7, fields.number("n", 7, 7, 1));
        assertEquals("y", fields.object("o").text("t"));
        assertEquals(List.of("a", "b"), fields.texts("l"));
        assertTrue(fields.has("t"));
    }

    @Test
    void shouldGiveWhatStandsForItWhenItIsAbsentOrNull() {
        for (String json : List.of("{}", "{'x':null}")) {
            Fields fields = fields(json);
            assertFalse(fields.has("x"));
            assertNull(fields.text("x"));
            assertEquals("z", fields.text("x", "z"));
            assertFalse(fields.flag("x"));
            assertEquals(-1, fields.number("x", 1, 2, -1));
            assertTrue(fields.object("x").asMap().isEmpty());
            assertEquals(List.of(), fields.texts("x"));
        }
    }

    @Test
    void shouldNameTheFieldWhenItIsWrong() {
        Fields fields = fields("{'t':'x','n':7,'f':1.5,'e':'','l':['a',1]}");
        assertRefused("field 'n' must be a string", () -> fields.text("n"));
        assertRefused("field 't' must be true or false", () -> fields.flag("t"));
        assertRefused("field 'f' must be a whole number", () -> fields.number("f", 1, 9, 1));
        assertRefused("field 't' must be a whole number", () -> fields.number("t", 1, 9, 1));
        assertRefused("field 'n' must be from 8 to 9", () -> fields.number("n", 8, 9, 8));
        assertRefused("field 'n' must be from 1 to 6", () -> fields.number("n", 1, 6, 1));
        assertRefused("field 't' must be an object", () -> fields.object("t"));
        assertRefused("field 't' must be a list of strings", () -> fields.texts("t"));
        assertRefused("field 'l' must be a list of strings", () -> fields.texts("l"));
        assertRefused("field 'e' is missing", () -> fields.requiredText("e"));
        assertRefused("field 'x' is missing", () -> fields.requiredText("x"));
    }

    @Test
    void shouldNameTheFirstUnknownFieldWhenOnlySomeAreKnown() {
        assertRefused(
                "field 'a' is not known here; known are [k, m]",
                () -> fields("{'m':1,'z':1,'a':1}").only(Set.of("m", "k")));
        assertEquals(1, fields("{'m':1}").only(Set.of("m", "k")).number("m", 1, 1, 0));
    }
}
