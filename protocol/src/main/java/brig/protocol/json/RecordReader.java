package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.WireName;
import brig.protocol.record.Range;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes records of JSON that was read. Every refusal names the field.
 *
 * <p>Decision 0142.
 */
final class RecordReader {
    private RecordReader() {}

    /** @throws BrigException {@code INVALID_FIELD}, or what the type's tag says for one that is not known */
    static <T> T read(Map<String, @Nullable Object> values, Class<T> type) {
        RecordShape shape = shape(values, type);
        if (!shape.ignoresUnknown()) {
            requireKnown(values, shape);
        }
        return type.cast(make(values, shape));
    }

    private static RecordShape shape(Map<String, @Nullable Object> values, Class<?> type) {
        if (type.isRecord()) {
            return RecordShape.of(type);
        }
        RecordShape.Kinds kinds = RecordShape.kinds(type);
        String field = kinds.tagged.value();
        String tag = new Fields(values).requiredText(field);
        Class<?> kind = kinds.named(tag);
        if (kind == null) {
            throw new BrigException(
                    kinds.tagged.unknown(),
                    "unknown " + field + " '" + tag + "'; known are " + listed(kinds.tags(), " and "));
        }
        return RecordShape.of(kind);
    }

    private static void requireKnown(Map<String, @Nullable Object> values, RecordShape shape) {
        Set<String> read = shape.names(values, RecordShape.Field::names).collect(Collectors.toSet());
        for (String name : new TreeSet<>(values.keySet())) {
            if (!read.contains(name)) {
                TreeSet<String> known = shape.names(values, field -> List.of(field.name()))
                        .collect(Collectors.toCollection(TreeSet::new));
                throw Fields.invalid(name, "is not known here; known are " + known);
            }
        }
    }

    private static Object make(Map<String, @Nullable Object> values, RecordShape shape) {
        String content = shape.content();
        Map<String, @Nullable Object> inside = content == null
                ? values
                : JsonObject.element(values.get(content)).values();
        List<RecordShape.Field> fields = shape.fields();
        @Nullable Object[] arguments = new @Nullable Object[fields.size()];
        for (int i = 0; i < arguments.length; i++) {
            RecordShape.Field field = fields.get(i);
            arguments[i] = field.flat() ? flat(inside, field, shape) : single(inside, field, shape);
        }
        return shape.make(arguments);
    }

    private static @Nullable Object flat(
            Map<String, @Nullable Object> values, RecordShape.Field field, RecordShape shape) {
        Class<?> type = (Class<?>) field.type();
        if (field.nullable()
                && (Collections.disjoint(values.keySet(), names(values, type))
                        || (shape.ignoresUnknown() && isUnknownKind(values, type, shape.isForeign())))) {
            return null;
        }
        return make(values, shape(values, type));
    }

    private static boolean isUnknownKind(Map<String, @Nullable Object> values, Class<?> type, boolean foreign) {
        if (type.isRecord()) {
            return false;
        }
        RecordShape.Kinds kinds = RecordShape.kinds(type);
        return values.get(kinds.tagged.value()) instanceof String tag ? kinds.named(tag) == null : foreign;
    }

    private static List<String> names(Map<String, @Nullable Object> values, Class<?> type) {
        return type.isRecord()
                ? RecordShape.of(type).names(values, RecordShape.Field::names).toList()
                : List.of(RecordShape.kinds(type).tagged.value());
    }

    private static @Nullable Object single(
            Map<String, @Nullable Object> values, RecordShape.Field field, RecordShape shape) {
        Object given = given(values, field);
        boolean tolerant =
                shape.isForeign() || (shape.ignoresUnknown() && field.nullable() && isConstant(given, field));
        Object value = given == null ? null : value(field.name(), given, field.type(), tolerant);
        if (value == null && field.byDefault() != null) {
            value = value(field.name(), field.byDefault(), field.type(), tolerant);
        }
        if (value == null) {
            return field.nullable() ? null : absent(field, shape.isForeign());
        }
        Range range = field.range();
        if (range != null && value instanceof Number number) {
            requireWithin(field.name(), number.longValue(), range);
        }
        return value;
    }

    private static boolean isConstant(@Nullable Object given, RecordShape.Field field) {
        return given instanceof String && field.type() instanceof Class<?> type && type.isEnum();
    }

    /** The value under any of the field's names; null for none. An empty text is none where it may not be empty. */
    private static @Nullable Object given(Map<String, @Nullable Object> values, RecordShape.Field field) {
        Object given = null;
        for (String name : field.names()) {
            Object value = values.get(name);
            if (value == null || (field.notEmpty() && value.equals(""))) {
                continue;
            }
            if (given != null) {
                throw Fields.invalid(name, "is another name of '" + field.name() + "', which is there already");
            }
            given = value;
        }
        return given == null ? field.byDefault() : given;
    }

    private static void requireWithin(String name, long number, Range range) {
        if (number < range.min() || number > range.max()) {
            throw Fields.invalid(
                    name,
                    range.max() == Long.MAX_VALUE
                            ? "must be at least " + range.min()
                            : "must be from " + range.min() + " to " + range.max());
        }
    }

    private static Object absent(RecordShape.Field field, boolean foreign) {
        Type type = field.type();
        if (type instanceof ParameterizedType parameterized) {
            return parameterized.getRawType() == Map.class ? Map.of() : List.of();
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == int.class) {
            return 0;
        }
        if (type == double.class) {
            return 0.0;
        }
        Object nothing =
                foreign && type instanceof Class<?> inner && inner.isRecord() ? inner(Map.of(), inner, true) : null;
        if (nothing != null) {
            return nothing;
        }
        throw Fields.invalid(field.name(), "is missing");
    }

    /** The value as that type; null where it is of another type and the message is not ours. */
    private static @Nullable Object value(String name, Object given, Type type, boolean foreign) {
        Object value = converted(name, given, type, foreign);
        if (value == null && !foreign) {
            throw Fields.invalid(name, "must be " + wanted(type));
        }
        return value;
    }

    /** The value as that type; null where it is of another. */
    private static @Nullable Object converted(String name, Object given, Type type, boolean foreign) {
        return type instanceof ParameterizedType generic
                ? collection(name, given, generic, foreign)
                : plain(name, given, (Class<?>) type, foreign);
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Object plain(String name, Object given, Class<?> type, boolean foreign) {
        if (type == Object.class) {
            return JsonObject.wrapped(given);
        }
        if (given instanceof JsonObject object) {
            return plain(name, object.values(), type, foreign);
        }
        if (given instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> object = (Map<String, @Nullable Object>) map;
            boolean typed = type.isRecord() || type.isSealed();
            return typed ? inner(object, type, foreign) : type == JsonObject.class ? new JsonObject(object) : null;
        }
        if (given instanceof String text) {
            return type == String.class ? text : type.isEnum() ? constant(name, text, type, foreign) : null;
        }
        if (given instanceof Boolean flag) {
            return (type == boolean.class || type == Boolean.class) ? flag : null;
        }
        return given instanceof Number number ? number(number, type, foreign) : null;
    }

    /** A message inside that lacks something counts as absent where it is not ours. */
    private static @Nullable Object inner(Map<String, @Nullable Object> object, Class<?> type, boolean foreign) {
        try {
            return read(object, type);
        } catch (BrigException refused) {
            if (foreign) {
                return null;
            }
            throw refused;
        }
    }

    private static @Nullable Object number(Number number, Class<?> type, boolean foreign) {
        if (type == double.class || type == Double.class) {
            return number.doubleValue();
        }
        if (!(number instanceof Long) && !foreign) {
            return null;
        }
        if (type == long.class || type == Long.class) {
            return number.longValue();
        }
        boolean fits = number.longValue() == number.intValue();
        return fits && (type == int.class || type == Integer.class) ? number.intValue() : null;
    }

    private static @Nullable Object constant(String name, String text, Class<?> type, boolean foreign) {
        for (Object constant : type.getEnumConstants()) {
            if (wireName((Enum<?>) constant).equals(text)) {
                return constant;
            }
        }
        if (foreign) {
            return null;
        }
        throw Fields.invalid(
                name,
                "must be "
                        + listed(
                                Arrays.stream(type.getEnumConstants())
                                        .map(constant -> wireName((Enum<?>) constant))
                                        .toList(),
                                " or "));
    }

    /** {@code a, b or c}. */
    private static String listed(List<String> names, String last) {
        return names.size() < 2
                ? String.join("", names)
                : String.join(", ", names.subList(0, names.size() - 1)) + last + names.getLast();
    }

    static String wireName(Enum<?> constant) {
        return constant instanceof WireName named
                ? named.wireName()
                : constant.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Object collection(String name, Object given, ParameterizedType type, boolean foreign) {
        boolean isMap = type.getRawType() == Map.class;
        Type element = type.getActualTypeArguments()[isMap ? 1 : 0];
        Object plain = given instanceof JsonObject object ? object.values() : given;
        if (isMap && plain instanceof Map<?, ?> map) {
            Map<String, Object> read = new LinkedHashMap<>();
            map.forEach((key, value) -> {
                Object inner = value == null ? null : value(name, value, element, foreign);
                if (inner != null) {
                    read.put(String.valueOf(key), inner);
                }
            });
            return Collections.unmodifiableMap(read);
        }
        if (isMap || !(given instanceof List<?> list)) {
            return null;
        }
        List<Object> read = new ArrayList<>();
        for (Object value : list) {
            Object inner = value == null ? null : converted(name, value, element, foreign);
            if (inner != null) {
                read.add(inner);
            } else if (!foreign) {
                throw Fields.invalid(name, "must be " + wanted(type));
            }
        }
        return Collections.unmodifiableList(read);
    }

    private static String wanted(Type type) {
        if (type instanceof ParameterizedType generic) {
            boolean isMap = generic.getRawType() == Map.class;
            Type element = generic.getActualTypeArguments()[isMap ? 1 : 0];
            boolean isText = element == String.class || (element instanceof Class<?> plain && plain.isEnum());
            return isMap ? "an object" : isText ? "a list of strings" : "a list of objects";
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class || plain.isEnum()) {
            return "a string";
        }
        if (plain == boolean.class || plain == Boolean.class) {
            return "true or false";
        }
        if (plain == double.class || plain == Double.class) {
            return "a number";
        }
        return plain.isPrimitive() || Number.class.isAssignableFrom(plain) ? "a whole number" : "an object";
    }
}
