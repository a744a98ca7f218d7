package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Splits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static ErrorCode codeOf(byte[] bytes) {
        return assertThrows(BrigException.class, () -> Json.parseObject(bytes)).code();
    }

    @Test
    void shouldComeBackWhenItWasWritten() {
        String text =
                "{\"s\":\"a\\\"\\n\u20ac\",\"l\":-7,\"d\":1.5,\"t\":true,\"n\":null,\"a\":[1,[],{}],\"o\":{\"x\":false}}";
        Map<String, Object> object = Json.parseObject(Splits.utf8(text));
        assertEquals(text, new String(Json.write(object), StandardCharsets.UTF_8));
        assertEquals(text + "\n", new String(Json.writeLine(JsonObject.of(object)), StandardCharsets.UTF_8));
    }

    @Test
    void shouldWriteWhatProgramsHoldWhenItIsNoJsonType() {
        assertEquals(
                "{\"e\":\"INTERNAL\"}",
                new String(Json.write(Map.of("e", ErrorCode.INTERNAL)), StandardCharsets.UTF_8));
        assertEquals("{\"i\":3}", new String(Json.write(Map.of("i", 3)), StandardCharsets.UTF_8));
        assertEquals(
                "{\"b\":\"x\"}", new String(Json.write(Map.of("b", new StringBuilder("x"))), StandardCharsets.UTF_8));
        assertThrows(IllegalArgumentException.class, () -> Json.write(Map.of("x", new Object())));
    }

    @Test
    void shouldBeTheSameTextWhenEqualObjectsAreWrittenCanonically() {
        String one =
                "{ \"b\": {\"y\":[1,{\"e\":null,\"d\":1,\"c\":[null]}], \"x\":\"\u20ac\\n\"}, \"a\":null, \"A\":true }";
        String other = "{\"A\":true,\"b\":{\"x\":\"\\u20ac\\u000a\",\"y\":[1,{\"c\":[null],\"d\":1}]}}";
        String canonical = "{\"A\":true,\"b\":{\"x\":\"\u20ac\\n\",\"y\":[1,{\"c\":[null],\"d\":1}]}}";
        for (String text : List.of(one, other)) {
            assertEquals(
                    canonical, new String(Json.canonical(Json.parseObject(Splits.utf8(text))), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "[]",
                "7",
                "\"x\"",
                "null",
                "{",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{\"a\":1}x",
                "{}{}",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":1,\"b\":1}}",
                "{\"a\":01}",
                "{\"a\":NaN}",
                "{\"a\":1e999}",
                "{\"a\":9223372036854775808}",
                "{\"a\":\"\n\"}",
                "{\"a\":1}//",
                "{\"a\":\"\\x\"}",
                "\uFEFF{}"
            })
    void shouldRefuseWhenItIsNotExactlyOneObject(String text) {
        assertEquals(ErrorCode.MALFORMED_JSON, codeOf(Splits.utf8(text)));
    }

    @Test
    void shouldRefuseWhenBytesAreNotUtf8() {
        assertEquals(ErrorCode.INVALID_UTF8, codeOf("{\"a\":\"\u00ff\"}".getBytes(StandardCharsets.ISO_8859_1)));
        assertEquals(ErrorCode.INVALID_UTF8, codeOf("{\"a\":\"\u00c0\u0080\"}".getBytes(StandardCharsets.ISO_8859_1)));
        assertEquals(ErrorCode.MALFORMED_JSON, codeOf("{\"a\":1}".getBytes(StandardCharsets.UTF_16BE)));
    }

    @Test
    void shouldBoundTheDepthExactly() {
        String fits = "{\"a\":" + "[".repeat(31) + "]".repeat(31) + "}";
        Json.parseObject(Splits.utf8(fits));
        assertEquals(ErrorCode.MALFORMED_JSON, codeOf(Splits.utf8(fits.replace("[]", "[[]]"))));
        assertEquals(ErrorCode.MALFORMED_JSON, codeOf(Splits.utf8("{\"a\":".repeat(100_000))));
    }

    /** What is refused may hold a token: a message with a piece of it ends in a log. */
    @Test
    void shouldNotRepeatTheTextWhenItIsMalformed() {
        BrigException fault =
                assertThrows(BrigException.class, () -> Json.parseObject(Splits.utf8("{\"auth\":brig_secret}")));
        assertFalse(fault.getMessage().contains("secret"), fault.getMessage());
        assertEquals(0, fault.getStackTrace().length);
    }

    @Test
    void shouldReadCommentsOnlyWhenItIsAFile() {
        String text = "// a\n{\"a\": /* b */ 1}\n";
        assertEquals(Map.of("a", 1L), Json.parseCommented(text));
        assertEquals(ErrorCode.MALFORMED_JSON, codeOf(Splits.utf8(text)));
    }

    /** Programs cut text in the middle of a character; what they escape must still be writable. */
    @Test
    void shouldWriteALoneSurrogateWhenItReadOne() {
        Map<String, Object> object = Json.parseObject(Splits.utf8("{\"a\":\"x\\ud83d\"}"));
        assertEquals(object, Json.parseObject(Json.write(object)));
        assertEquals(List.of("a"), List.copyOf(object.keySet()));
    }
}
