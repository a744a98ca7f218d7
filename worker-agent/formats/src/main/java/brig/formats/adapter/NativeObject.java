package brig.formats.adapter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An object that an agent wrote. Whatever is not of the type asked for counts as absent: an agent may write anything. */
public final class NativeObject {
    public static final NativeObject EMPTY = new NativeObject(Map.of());

    private final Map<String, @Nullable Object> values;

    NativeObject(Map<String, @Nullable Object> values) {
        this.values = values;
    }

    /** Fields that were read before. */
    public static NativeObject of(Map<String, ? extends @Nullable Object> values) {
        return new NativeObject(new LinkedHashMap<>(values));
    }

    /** The object that a line is; an empty one where it is none. */
    public static NativeObject read(byte[] line) {
        NativeObject read = NativeJson.read(line, 0, line.length);
        return read == null ? EMPTY : read;
    }

    public boolean has(String name) {
        return values.get(name) != null;
    }

    public @Nullable Object value(String name) {
        return values.get(name);
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

    /** A number with a fraction, or null. */
    public @Nullable Double decimal(String name) {
        return values.get(name) instanceof Number number ? number.doubleValue() : null;
    }

    /** The object of that name; an empty one where there is none. */
    @SuppressWarnings("unchecked")
    public NativeObject object(String name) {
        return values.get(name) instanceof Map<?, ?> map
                ? new NativeObject((Map<String, @Nullable Object>) map)
                : EMPTY;
    }

    /** Whatever is in the list of that name. */
    public List<?> elements(String name) {
        return values.get(name) instanceof List<?> list ? list : List.of();
    }

    /** The object that the value is; an empty one where it is none. */
    @SuppressWarnings("unchecked")
    public static NativeObject element(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? new NativeObject((Map<String, @Nullable Object>) map) : EMPTY;
    }

    /** The objects in the list of that name. */
    @SuppressWarnings("unchecked")
    public List<NativeObject> objects(String name) {
        return !(values.get(name) instanceof List<?> list)
                ? List.of()
                : list.stream()
                        .filter(Map.class::isInstance)
                        .map(map -> new NativeObject((Map<String, @Nullable Object>) map))
                        .toList();
    }

    /** The texts in the list of that name. */
    public List<String> texts(String name) {
        return !(values.get(name) instanceof List<?> list)
                ? List.of()
                : list.stream()
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .toList();
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public Map<String, @Nullable Object> asMap() {
        return values;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
