package brig.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static Map<String, Object> read(String text) {
        return Json.object(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadEveryKindOfValue() {
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("a", "ü€😀\"\\/\b\f\n\r\tA");
        wanted.put("b", 9_007_199_254_740_991L);
        wanted.put("c", -0.25);
        wanted.put("d", 1e3);
        wanted.put("e", Arrays.asList(true, false, null, List.of(), Map.of()));
        wanted.put("f", 0L);
        assertEquals(
                wanted,
                read(
                        " { \"a\" : \"ü€😀\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\", \"b\":9007199254740991,\"c\":-0.25,\"d\":1e3,"
                                + "\"e\":[ true , false,null,[ ],{ }],\"f\":0 }\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{}}",
                "{} {}",
                "[]",
                "null",
                "7",
                "\"a\"",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":01}",
                "{\"a\":.5}",
                "{\"a\":5.}",
                "{\"a\":-}",
                "{\"a\":1e}",
                "{\"a\":+1}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":0x1}",
                "{\"a\":tru}",
                "{\"a\":[1,]}",
                "{\"a\":[1",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u12",
                "{\"a\":\"\u0001\"}",
                "{\"a\":\"",
                "\ufeff{}",
                "{\"a\":100000000000000000000}",
                "{\"a\":1}//"
            })
    void shouldRefuseWhatIsNoObject(String text) {
        assertEquals(
                "PROTOCOL_VIOLATION",
                assertThrows(BrigException.class, () -> read(text)).code());
    }

    @Test
    void shouldRefuseDeepNestingAndWhatIsNotUtf8() {
        read("{\"a\":" + "[".repeat(60) + "]".repeat(60) + "}");
        assertThrows(BrigException.class, () -> read("{\"a\":" + "[".repeat(30_000)));
        assertThrows(BrigException.class, () -> read("{\"a\":".repeat(10_000)));
        byte[] surrogate = {'{', '"', 'a', '"', ':', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', '}'};
        assertThrows(BrigException.class, () -> Json.object(surrogate));
    }

    @Test
    void shouldWriteWhatItReadsAndLeaveOutWhatIsNull() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("a", "ü😀\"\\\n\u0007");
        object.put("b", null);
        object.put("c", List.of(1L, -2.5, true, Map.of("d", "")));
        String text = Json.write(object);
        object.remove("b");
        assertEquals(object, read(text));
        assertEquals(-1, text.indexOf('\n'));
        assertThrows(BrigException.class, () -> Json.write(Map.of("a", Double.NaN)));
        assertThrows(BrigException.class, () -> Json.write(Map.of("a", new Object())));
    }
}
