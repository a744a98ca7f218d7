package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Range;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextBindingTest {
    enum Mode {
        FOLDER,
        COPY
    }

    record Place(@Nullable Mode mode, boolean shared) {}

    record Wish(
            @Name(value = "id", old = "task_id") String id,
            @Range(min = 1, max = 10) int limit,
            @Nullable Long after,
            @Flat Place place,
            List<String> allow) {}

    private final TextBinding<Wish> binding = new TextBinding<>(Wish.class, Set.of("id", "limit", "after", "shared"));

    private static JsonObject object(String json) {
        return JsonObject.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldMakeOneRecordOfTextsAndAnObject() {
        assertEquals(
                new Wish("a", 3, 7L, new Place(Mode.COPY, true), List.of("x")),
                binding.read(
                        Map.of("id", "a", "limit", "3", "after", "7", "shared", "true"),
                        object("{\"mode\":\"copy\",\"allow\":[\"x\"]}")));
    }

    @Test
    void shouldTakeEmptyTextsForNone() {
        assertEquals(
                new Wish("a", 0, null, new Place(null, false), List.of()),
                binding.read(Map.of("id", "a", "shared", ""), JsonObject.EMPTY));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            limit  | 11   | field 'limit' must be from 1 to 10
            limit  | x    | field 'limit' must be a whole number
            after  | ''   | field 'after' must be a whole number
            shared | yes  | field 'shared' must be true or false
            id     | ''   | field 'id' is missing
            """)
    void shouldNameTheTextThatItRefuses(String name, String text, String message) {
        Map<String, String> texts = name.equals("id") ? Map.of(name, text) : Map.of("id", "a", name, text);
        assertEquals(
                message,
                assertThrows(BrigException.class, () -> binding.read(texts, JsonObject.EMPTY))
                        .getMessage());
    }

    @Test
    void shouldTakeNoFieldFromTheObjectThatComesAsAText() {
        assertEquals(
                "field 'limit' is not known here; known are [allow, mode]",
                assertThrows(BrigException.class, () -> binding.read(Map.of("id", "a"), object("{\"limit\":3}")))
                        .getMessage());
    }

    @Test
    void shouldTakeAllFieldsAsTextsWhereNoneIsNamed() {
        assertEquals(List.of("mode", "shared"), List.copyOf(new TextBinding<>(Place.class, null).names()));
        assertEquals(
                new Place(Mode.FOLDER, false),
                new TextBinding<>(Place.class, null).read(Map.of("mode", "folder"), JsonObject.EMPTY));
    }
}
