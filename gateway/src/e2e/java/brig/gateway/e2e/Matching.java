package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Whether JSON is as it is wanted: of objects the fields that are named, of lists every element. {@code "*"} is any text,
 * and numbers are compared by their value.
 */
final class Matching {
    private Matching() {}

    static boolean fits(Object wanted, Object got) {
        return switch (wanted) {
            case JsonObject fields
            when got instanceof JsonObject object ->
                fields.names().stream().allMatch(name -> fits(fields.value(name), object.value(name)));
            case List<?> elements
            when got instanceof List<?> list ->
                elements.size() == list.size()
                        && IntStream.range(0, list.size()).allMatch(i -> fits(elements.get(i), list.get(i)));
            case Number number when got instanceof Number other -> number.doubleValue() == other.doubleValue();
            case String text when text.equals("*") -> got instanceof String;
            case null, default -> Objects.equals(wanted, got);
        };
    }
}
