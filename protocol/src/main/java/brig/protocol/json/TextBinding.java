package brig.protocol.json;

import brig.protocol.BrigException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record whose fields come partly as texts, from a path or a query, and partly from an object. Texts are
 * converted to the type of the component; an empty text counts as absent, except for a number.
 *
 * <p>Decision 0142.
 */
public final class TextBinding<T> {
    private final Class<T> type;
    private final RecordShape shape;
    private final Map<String, RecordShape.Field> fields = new LinkedHashMap<>();
    private final Set<String> texts;

    /** @param texts names of the fields that come as texts; null for all */
    public TextBinding(Class<T> type, @Nullable Set<String> texts) {
        this.type = type;
        shape = RecordShape.of(type);
        addFields(shape);
        this.texts = texts == null ? new LinkedHashSet<>(fields.keySet()) : Set.copyOf(texts);
        if (!fields.keySet().containsAll(this.texts)) {
            throw new IllegalArgumentException(type + " has not all of " + texts);
        }
    }

    private void addFields(RecordShape inside) {
        for (RecordShape.Field field : inside.fields()) {
            if (field.flat() && field.type() instanceof Class<?> inner && inner.isRecord()) {
                addFields(RecordShape.of(inner));
            } else {
                fields.put(field.name(), field);
            }
        }
    }

    /** The fields of the record in order, without its tag. */
    public Set<String> names() {
        return fields.keySet();
    }

    /** The fields that come from the object. */
    public Set<String> objectNames() {
        Set<String> names = new TreeSet<>(fields.keySet());
        names.removeAll(texts);
        return names;
    }

    /**
     * Reads both parts.
     *
     * @param given texts by name; every name must be one of the text fields
     * @throws brig.protocol.BrigException {@code INVALID_FIELD} with the field's name
     */
    public T read(Map<String, String> given, JsonObject object) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        object.values().forEach((name, value) -> {
            if (objectNames().contains(name)) {
                values.put(name, value);
            } else if (!shape.ignoresUnknown()) {
                throw BrigException.invalid(name, "is not known here; known are " + objectNames());
            }
        });
        given.forEach((name, text) -> values.put(name, converted(text, fields.get(name))));
        return RecordReader.read(values, type);
    }

    /** A text that cannot be converted stays a text, which the reader then refuses. */
    private static @Nullable Object converted(String text, RecordShape.@Nullable Field field) {
        if (field == null) {
            return text;
        }
        Class<?> wanted = (Class<?>) field.type();
        if (List.of(long.class, Long.class, int.class, Integer.class).contains(wanted)) {
            return number(text);
        }
        if (text.isEmpty()) {
            return null;
        }
        if (wanted != boolean.class && wanted != Boolean.class) {
            return text;
        }
        return text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : text;
    }

    private static Object number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
