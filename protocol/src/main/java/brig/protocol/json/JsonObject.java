package brig.protocol.json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object of a foreign format: written by an agent, a model or a user's own tool. A value of an unexpected type
 * counts as absent. Immutable. Brig's own messages are records instead.
 *
 * <p>Values are {@code JsonObject}, {@code List}, {@code String}, {@code Long}, {@code Double}, {@code Boolean} and
 * null.
 *
 * <p>Decision 0142.
 */
public final class JsonObject {
    public static final JsonObject EMPTY = new JsonObject(Map.of());

    private final Map<String, @Nullable Object> values;

    JsonObject(Map<String, @Nullable Object> values) {
        this.values = values;
    }

    /** An object of these values: those listed above, or maps and lists of them, or records. */
    public static JsonObject of(Map<String, ? extends @Nullable Object> values) {
        return new JsonObject(new LinkedHashMap<>(values));
    }

    /** Reads exactly one object, strictly. @throws brig.protocol.BrigException {@code MALFORMED_JSON} or {@code INVALID_UTF8} */
    public static JsonObject read(byte[] bytes, int offset, int length) {
        return new JsonObject(Json.parseObject(bytes, offset, length));
    }

    /** {@link #read(byte[], int, int)} of a whole array. */
    public static JsonObject read(byte[] bytes) {
        return read(bytes, 0, bytes.length);
    }

    /** Reads a configuration file, in which {@code //} and {@code /* *}{@code /} comments are allowed. */
    public static JsonObject readCommented(String text) {
        return new JsonObject(Json.parseCommented(text));
    }

    /** The object that the record is written as. */
    public static JsonObject of(Record record) {
        return read(Json.write(record));
    }

    /** A copy with that field added at the end, or replaced in place. */
    public JsonObject with(String name, @Nullable Object value) {
        Map<String, @Nullable Object> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new JsonObject(more);
    }

    /** The same with another laid over it: objects field by field, everything else whole. */
    public JsonObject overlaid(JsonObject over) {
        Map<String, @Nullable Object> merged = new LinkedHashMap<>(values);
        over.values.forEach((name, value) -> {
            boolean inner = value(name) instanceof JsonObject && over.value(name) instanceof JsonObject;
            merged.put(name, inner ? object(name).overlaid(over.object(name)) : value);
        });
        return new JsonObject(merged);
    }

    /** Begins an object that is made field by field. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds an object field by field. */
    public static final class Builder {
        private Map<String, @Nullable Object> values = new LinkedHashMap<>();

        private Builder() {}

        /** Adds or replaces a field. */
        public Builder put(String name, @Nullable Object value) {
            values.put(name, value);
            return this;
        }

        /** Builds the object from the current fields; the next one begins without any. */
        public JsonObject build() {
            JsonObject built = new JsonObject(values);
            values = new LinkedHashMap<>();
            return built;
        }
    }

    /** Converts it to a record. @throws brig.protocol.BrigException {@code INVALID_FIELD} with the field's name */
    public <T> T as(Class<T> type) {
        return RecordReader.read(values, type);
    }

    public Set<String> names() {
        return Collections.unmodifiableSet(values.keySet());
    }

    public boolean has(String name) {
        return values.get(name) != null;
    }

    public @Nullable Object value(String name) {
        return wrapped(values.get(name));
    }

    public @Nullable String text(String name) {
        return values.get(name) instanceof String text ? text : null;
    }

    public String text(String name, String absent) {
        return values.get(name) instanceof String text ? text : absent;
    }

    public boolean flag(String name) {
        return values.get(name) instanceof Boolean flag && flag;
    }

    public long number(String name, long absent) {
        return values.get(name) instanceof Number number ? number.longValue() : absent;
    }

    /** The nested object; empty if absent. */
    public JsonObject object(String name) {
        return element(values.get(name));
    }

    /** All elements of the list. */
    public List<@Nullable Object> elements(String name) {
        return wrapped(values.get(name)) instanceof List<?> list ? Collections.unmodifiableList(list) : List.of();
    }

    /** The value as an object; an empty one if it is none. */
    @SuppressWarnings("unchecked")
    public static JsonObject element(@Nullable Object value) {
        return switch (value) {
            case JsonObject object -> object;
            case Map<?, ?> map -> new JsonObject((Map<String, @Nullable Object>) map);
            case null, default -> EMPTY;
        };
    }

    /** The objects in the list. */
    public List<JsonObject> objects(String name) {
        return elements(name).stream()
                .filter(JsonObject.class::isInstance)
                .map(JsonObject.class::cast)
                .toList();
    }

    /** The texts in the list. */
    public List<String> texts(String name) {
        return elements(name).stream()
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .toList();
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** The value in the representation of this class. */
    static @Nullable Object wrapped(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map -> element(map);
            case List<?> list -> {
                List<@Nullable Object> wrapped = new ArrayList<>(list.size());
                list.forEach(inner -> wrapped.add(wrapped(inner)));
                yield wrapped;
            }
            case null, default -> value;
        };
    }

    Map<String, @Nullable Object> values() {
        return values;
    }

    /** Objects are equal if their fields are, in any order. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JsonObject object && unwrapped(values).equals(unwrapped(object.values));
    }

    @Override
    public int hashCode() {
        return unwrapped(values).hashCode();
    }

    private static Map<String, @Nullable Object> unwrapped(Map<String, @Nullable Object> values) {
        Map<String, @Nullable Object> wrapped = new LinkedHashMap<>();
        values.forEach((name, value) -> wrapped.put(name, wrapped(value)));
        return wrapped;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
