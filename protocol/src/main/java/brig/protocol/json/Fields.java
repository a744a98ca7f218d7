package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Typed access to the fields of one untrusted message. Every refusal is {@code INVALID_FIELD} and names the field. */
public final class Fields {
    private final Map<String, @Nullable Object> values;

    public Fields(Map<String, @Nullable Object> values) {
        this.values = values;
    }

    /** Refuses fields that are not listed. For requests; unknown fields of frames are ignored. */
    public Fields only(Set<String> known) {
        for (String name : new TreeSet<>(values.keySet())) {
            if (!known.contains(name)) {
                throw invalid(name, "is not known here; known are " + new TreeSet<>(known));
            }
        }
        return this;
    }

    public boolean has(String name) {
        return values.get(name) != null;
    }

    public @Nullable String text(String name) {
        return typed(name, String.class, "a string");
    }

    public String text(String name, String absent) {
        String value = text(name);
        return value == null ? absent : value;
    }

    public String requiredText(String name) {
        String value = text(name);
        if (value == null || value.isEmpty()) {
            throw invalid(name, "is missing");
        }
        return value;
    }

    public boolean flag(String name) {
        Boolean value = typed(name, Boolean.class, "true or false");
        return value != null && value;
    }

    /** A whole number from {@code min} to {@code max}, or {@code absent}. */
    public long number(String name, long min, long max, long absent) {
        Long value = typed(name, Long.class, "a whole number");
        if (value == null) {
            return absent;
        }
        if (value < min || value > max) {
            throw invalid(name, "must be from " + min + " to " + max);
        }
        return value;
    }

    /** The fields of a nested object; empty if it is absent. */
    @SuppressWarnings("unchecked")
    public Fields object(String name) {
        Map<String, @Nullable Object> value = typed(name, Map.class, "an object");
        return new Fields(value == null ? Map.of() : value);
    }

    /** A list of strings; empty if absent. */
    public List<String> texts(String name) {
        List<?> value = typed(name, List.class, "a list of strings");
        if (value == null) {
            return List.of();
        }
        for (Object element : value) {
            if (!(element instanceof String)) {
                throw invalid(name, "must be a list of strings");
            }
        }
        return value.stream().map(String.class::cast).toList();
    }

    /** A list of objects; empty if absent. */
    @SuppressWarnings("unchecked")
    public List<Fields> objects(String name) {
        List<?> value = typed(name, List.class, "a list of objects");
        List<Fields> objects = new ArrayList<>();
        for (Object element : value == null ? List.of() : value) {
            if (!(element instanceof Map)) {
                throw invalid(name, "must be a list of objects");
            }
            objects.add(new Fields((Map<String, @Nullable Object>) element));
        }
        return objects;
    }

    public Map<String, @Nullable Object> asMap() {
        return values;
    }

    public static BrigException invalid(String name, String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, "field '" + name + "' " + why);
    }

    private <T> @Nullable T typed(String name, Class<T> type, String wanted) {
        Object value = values.get(name);
        if (value == null) {
            return null;
        }
        if (!type.isInstance(value)) {
            throw invalid(name, "must be " + wanted);
        }
        return type.cast(value);
    }
}
