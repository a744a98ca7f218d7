package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.Splits;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectDecoderTest {
    private static final int MAX = 128;

    private final List<String> seen = new ArrayList<>();

    private ObjectDecoder decoder() {
        return decoder(MAX);
    }

    private ObjectDecoder decoder(int objectBytesMax) {
        return new ObjectDecoder(objectBytesMax, new ObjectDecoder.Sink() {
            @Override
            public void handleObject(JsonObject object) {
                seen.add(new String(Json.write(object), StandardCharsets.UTF_8));
            }

            @Override
            public void handleFault(BrigException fault) {
                seen.add(fault.code().name());
            }
        });
    }

    @Test
    void shouldSayTheSameWhenSplitAtEveryIndex() {
        List<String> objects = List.of(
                "{\"action\":\"list\"}",
                "{\"a\":\"}{\\\"}\\\\\",\"b\":{\"c\":[{},[]]}}",
                "{\"caf\u00e9\":\"\ud83d\ude00\"}",
                "{}");
        byte[] script = Splits.utf8(String.join("", objects.subList(0, 2)) + " \r\n\t"
                + String.join("\n", objects.subList(2, 4)) + "\n[]{\"never\":1}");
        List<String> expected = new ArrayList<>(objects);
        expected.add("MALFORMED_JSON");
        for (int index = 0; index <= script.length; index++) {
            seen.clear();
            Splits.feedSplit(decoder()::decode, script, index);
            assertEquals(expected, seen, "split at " + index);
        }
    }

    /** GHSA-72hv-8253-57qq and GHSA-r7wm-3cxj-wff9: a number is refused while it comes, not when it is whole. */
    @ParameterizedTest
    @ValueSource(strings = {"9", "-9", "0.9", "9e9"})
    void shouldRefuseANumberWithoutEndBeforeItEnds(String number) {
        byte[] digits = Splits.utf8("9".repeat(100));
        ObjectDecoder decoder = decoder(1 << 20);
        byte[] begin = Splits.utf8("{\"a\":" + number);
        decoder.decode(begin, 0, begin.length);
        for (int piece = 0; piece < 100 && seen.isEmpty(); piece++) {
            decoder.decode(digits, 0, digits.length);
        }
        assertEquals(List.of("MALFORMED_JSON"), seen);
    }

    @Test
    void shouldActAtTheLastBraceWhenNoNewlineComes() {
        byte[] object = Splits.utf8("{\"a\":{\"b\":1}}");
        ObjectDecoder decoder = decoder();
        decoder.decode(object, 0, object.length - 1);
        assertEquals(List.of(), seen);
        decoder.decode(object, object.length - 1, 1);
        assertEquals(List.of("{\"a\":{\"b\":1}}"), seen);
    }

    @Test
    void shouldBoundAnObjectExactly() {
        String fits = "{\"a\":\"" + "x".repeat(MAX - 8) + "\"}";
        byte[] script = Splits.utf8(fits + fits.replace("{\"a", "{\"ab"));
        for (int index = 0; index <= script.length; index++) {
            seen.clear();
            Splits.feedSplit(decoder()::decode, script, index);
            assertEquals(List.of(fits, "LINE_TOO_LONG"), seen, "split at " + index);
        }
    }

    @Test
    void shouldCountFromItsOwnBeginningWhenALaterObjectIsMalformed() {
        List<String> messages = new ArrayList<>();
        ObjectDecoder decoder = new ObjectDecoder(MAX, new ObjectDecoder.Sink() {
            @Override
            public void handleObject(JsonObject object) {
                seen.add("object");
            }

            @Override
            public void handleFault(BrigException fault) {
                messages.add(fault.getMessage());
            }
        });
        byte[] script = Splits.utf8("{\"a\":1}".repeat(20) + "{\"a\":]}");
        decoder.decode(script, 0, script.length);
        assertEquals(20, seen.size());
        assertEquals(List.of("malformed JSON near byte 5"), messages);
    }

    @Test
    void shouldPassOverAnyAmountOfSpaceWhenItStandsBetweenObjects() {
        byte[] script = Splits.utf8(" \n".repeat(MAX) + "{}" + "\r\n".repeat(MAX) + "{}");
        decoder().decode(script, 0, script.length);
        assertEquals(List.of("{}", "{}"), seen);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4", "t", "\"", "[", "}", "\uFEFF{}", "hello"})
    void shouldRefuseAtTheFirstByteWhenItBeginsNoObject(String text) {
        byte[] script = Splits.utf8(text);
        decoder().decode(script, 0, 1);
        assertEquals(List.of("MALFORMED_JSON"), seen);
    }

    /** A refusal of the request is the receiver's own business: it must not come back to it as a fault of the stream. */
    @Test
    void shouldGoOnWhenTheReceiverRefusesAnObject() {
        ObjectDecoder decoder = new ObjectDecoder(MAX, new ObjectDecoder.Sink() {
            @Override
            public void handleObject(JsonObject object) {
                seen.add("object");
                throw BrigException.invalid("x", "is refused");
            }

            @Override
            public void handleFault(BrigException fault) {
                seen.add("fault");
            }
        });
        byte[] object = Splits.utf8("{}");
        assertThrows(BrigException.class, () -> decoder.decode(object, 0, 2));
        assertThrows(BrigException.class, () -> decoder.decode(object, 0, 2));
        assertEquals(List.of("object", "object"), seen);
    }
}
