package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
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
 * Creates records from parsed JSON. Every refusal names the field.
 *
 * <p>Decision 0142.
 */
final class RecordReader {
    private RecordReader() {}

    /** How strictly the value of a field is taken. */
    private enum Manner {
        /** In a message of our own: refused by the field's name. */
        OURS,
        /** A value of another type counts as absent. */
        FOREIGN,
        /** As in a message of our own, but by the field's path, and null in a list or map is refused too. */
        SETTINGS
    }

    /** @throws BrigException {@code INVALID_FIELD}, or what the type's tag says for one that is not known */
    static <T> T read(Map<String, @Nullable Object> values, Class<T> type) {
        return read("", values, type);
    }

    private static <T> T read(String path, Map<String, @Nullable Object> values, Class<T> type) {
        RecordShape shape = shape(values, type);
        if (!shape.ignoresUnknown()) {
            requireKnown(path, values, shape);
        }
        return type.cast(make(path, values, shape));
    }

    private static RecordShape shape(Map<String, @Nullable Object> values, Class<?> type) {
        if (type.isRecord()) {
            return RecordShape.of(type);
        }
        RecordShape.Kinds kinds = RecordShape.kinds(type);
        String field = kinds.tagged.value();
        Object given = values.get(field);
        if (given == null || given.equals("")) {
            throw BrigException.invalid(field, "is missing");
        }
        if (!(given instanceof String tag)) {
            throw BrigException.invalid(field, "must be a string");
        }
        Class<?> kind = kinds.named(tag);
        if (kind == null) {
            throw new BrigException(
                    kinds.tagged.unknown(),
                    "unknown " + field + " '" + tag + "'; known are " + listed(kinds.tags(), " and "));
        }
        return RecordShape.of(kind);
    }

    private static void requireKnown(String path, Map<String, @Nullable Object> values, RecordShape shape) {
        Set<String> read = shape.names(values, RecordShape.Field::names).collect(Collectors.toSet());
        for (String name : new TreeSet<>(values.keySet())) {
            if (!read.contains(name)) {
                TreeSet<String> known = shape.names(values, field -> List.of(field.name()))
                        .collect(Collectors.toCollection(TreeSet::new));
                throw BrigException.invalid(path + name, "is not known here; known are " + known);
            }
        }
    }

    private static Object make(String path, Map<String, @Nullable Object> values, RecordShape shape) {
        String content = shape.content();
        Map<String, @Nullable Object> inside = content == null
                ? values
                : JsonObject.element(values.get(content)).values();
        List<RecordShape.Field> fields = shape.fields();
        @Nullable Object[] arguments = new @Nullable Object[fields.size()];
        for (int i = 0; i < arguments.length; i++) {
            RecordShape.Field field = fields.get(i);
            arguments[i] = field.flat() ? flat(path, inside, field, shape) : single(path, inside, field, shape);
        }
        try {
            return shape.make(arguments);
        } catch (IllegalArgumentException e) {
            throw shape.isSettings() ? new BrigException(ErrorCode.INVALID_FIELD, path + e.getMessage()) : e;
        }
    }

    private static @Nullable Object flat(
            String path, Map<String, @Nullable Object> values, RecordShape.Field field, RecordShape shape) {
        Class<?> type = (Class<?>) field.type();
        if (field.nullable()
                && (Collections.disjoint(values.keySet(), names(values, type))
                        || (shape.ignoresUnknown() && isUnknownKind(values, type, shape.isForeign())))) {
            return null;
        }
        return make(path, values, shape(values, type));
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
            String path, Map<String, @Nullable Object> values, RecordShape.Field field, RecordShape shape) {
        String name = path + field.name();
        Object given = given(values, field);
        if (given != null && given.equals(field.orWord())) {
            return -1L;
        }
        if (field.orTrue() && given instanceof Boolean flag) {
            given = flag ? Map.of() : null;
        }
        if (field.range() != null && given instanceof Long number) {
            requireWithin(name, number, field.range());
        }
        Object value = given == null ? null : value(name, given, field.type(), manner(given, field, shape));
        if (value != null) {
            return value;
        }
        boolean isMissing = !field.nullable() && (field.byDefault() == null || values.containsKey(field.name()));
        if (isMissing && shape.isSettings() && !shape.ignoresUnknown()) {
            throw missing(name, field.type());
        }
        return field.byDefault() != null
                ? byDefault(name, field.type(), field.byDefault())
                : field.nullable() ? null : absent(name, field.type(), shape.isForeign());
    }

    private static Manner manner(Object given, RecordShape.Field field, RecordShape shape) {
        if (shape.isSettings()) {
            return Manner.SETTINGS;
        }
        return shape.isForeign() || (shape.ignoresUnknown() && field.nullable() && isConstant(given, field))
                ? Manner.FOREIGN
                : Manner.OURS;
    }

    private static BrigException missing(String name, Type type) {
        return BrigException.invalid(name, "is missing; it must be " + wanted(type));
    }

    private static Object byDefault(String name, Type type, String text) {
        if (type == boolean.class) {
            return Boolean.valueOf(text);
        }
        if (type instanceof Class<?> record && record.isRecord()) {
            return read(name + ".", Map.of(), record);
        }
        boolean isNumber = !text.isEmpty() && (type == int.class || type == long.class);
        Object value = converted(name, isNumber ? Long.valueOf(text) : text, type, Manner.OURS);
        return value == null ? absent(name, type, false) : value;
    }

    private static boolean isConstant(Object given, RecordShape.Field field) {
        return given instanceof String && field.type() instanceof Class<?> type && type.isEnum();
    }

    /** The value under any of the field's names; null if absent, or if it is empty and must not be. */
    private static @Nullable Object given(Map<String, @Nullable Object> values, RecordShape.Field field) {
        Object given = null;
        for (String name : field.names()) {
            Object value = values.get(name);
            if (value == null || (field.notEmpty() && value.equals(""))) {
                continue;
            }
            if (given != null) {
                throw BrigException.invalid(name, "is another name of '" + field.name() + "', which is there already");
            }
            given = value;
        }
        return given;
    }

    private static void requireWithin(String name, long number, Range range) {
        if ((number < range.min() || number > range.max()) && !(range.orZero() && number == 0)) {
            throw BrigException.invalid(
                    name,
                    (range.orZero() ? "must be 0, or " : "must be ")
                            + (range.max() == Long.MAX_VALUE
                                    ? "at least " + range.min()
                                    : "from " + range.min() + " to " + range.max()));
        }
    }

    private static Object absent(String name, Type type, boolean foreign) {
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
        Object nothing = foreign && type instanceof Class<?> inner && inner.isRecord()
                ? inner(name, Map.of(), inner, Manner.FOREIGN)
                : null;
        if (nothing != null) {
            return nothing;
        }
        throw BrigException.invalid(name, "is missing");
    }

    /** The value as that type; null where it is of another type and the message is not ours. */
    private static @Nullable Object value(String name, Object given, Type type, Manner manner) {
        Object value = converted(name, given, type, manner);
        if (value == null && manner != Manner.FOREIGN) {
            throw BrigException.invalid(name, "must be " + wanted(type));
        }
        return value;
    }

    /** The value as that type; null where it is of another. */
    private static @Nullable Object converted(String name, Object given, Type type, Manner manner) {
        return type instanceof ParameterizedType generic
                ? collection(name, given, generic, manner)
                : plain(name, given, (Class<?>) type, manner);
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Object plain(String name, Object given, Class<?> type, Manner manner) {
        if (type == Object.class) {
            return JsonObject.wrapped(given);
        }
        if (given instanceof JsonObject object) {
            return plain(name, object.values(), type, manner);
        }
        if (given instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> object = (Map<String, @Nullable Object>) map;
            boolean typed = type.isRecord() || type.isSealed();
            return typed ? inner(name, object, type, manner) : type == JsonObject.class ? new JsonObject(object) : null;
        }
        if (given instanceof String text) {
            return type == String.class ? text : type.isEnum() ? constant(name, text, type, manner) : null;
        }
        if (given instanceof Boolean flag) {
            return (type == boolean.class || type == Boolean.class) ? flag : null;
        }
        return given instanceof Number number ? number(number, type, manner) : null;
    }

    /** A message inside that lacks something counts as absent where it is not ours. */
    private static @Nullable Object inner(
            String name, Map<String, @Nullable Object> object, Class<?> type, Manner manner) {
        try {
            return read(manner == Manner.SETTINGS ? name + "." : "", object, type);
        } catch (BrigException refused) {
            if (manner == Manner.FOREIGN) {
                return null;
            }
            throw refused;
        }
    }

    private static @Nullable Object number(Number number, Class<?> type, Manner manner) {
        if (type == double.class || type == Double.class) {
            return number.doubleValue();
        }
        if (!(number instanceof Long) && manner != Manner.FOREIGN) {
            return null;
        }
        if (type == long.class || type == Long.class) {
            return number.longValue();
        }
        boolean fits = number.longValue() == number.intValue();
        return fits && (type == int.class || type == Integer.class) ? number.intValue() : null;
    }

    private static @Nullable Object constant(String name, String text, Class<?> type, Manner manner) {
        for (Object constant : type.getEnumConstants()) {
            if (wireName((Enum<?>) constant).equals(text)) {
                return constant;
            }
        }
        if (manner == Manner.FOREIGN) {
            return null;
        }
        throw BrigException.invalid(
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

    private static @Nullable Object collection(String name, Object given, ParameterizedType type, Manner manner) {
        boolean isMap = type.getRawType() == Map.class;
        Type element = type.getActualTypeArguments()[isMap ? 1 : 0];
        Object plain = given instanceof JsonObject object ? object.values() : given;
        boolean isSettings = manner == Manner.SETTINGS;
        if (isMap && plain instanceof Map<?, ?> map) {
            Map<String, Object> read = new LinkedHashMap<>();
            map.forEach((key, value) -> {
                Object inner = element(isSettings ? name + "." + key : name, value, element, manner);
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
            Object inner = isSettings
                    ? element(name + "[" + read.size() + "]", value, element, manner)
                    : value == null ? null : converted(name, value, element, manner);
            if (inner != null) {
                read.add(inner);
            } else if (manner != Manner.FOREIGN) {
                throw BrigException.invalid(name, "must be " + wanted(type));
            }
        }
        return Collections.unmodifiableList(read);
    }

    private static @Nullable Object element(String name, @Nullable Object value, Type type, Manner manner) {
        if (value == null && manner == Manner.SETTINGS) {
            throw missing(name, type);
        }
        return value == null ? null : value(name, value, type, manner);
    }

    private static String wanted(Type type) {
        if (type instanceof ParameterizedType generic) {
            boolean isMap = generic.getRawType() == Map.class;
            Type element = generic.getActualTypeArguments()[isMap ? 1 : 0];
            String one = wanted(element);
            return isMap
                    ? "an object"
                    : element == Object.class ? "a list" : "a list of " + one.substring(one.indexOf(' ') + 1) + "s";
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
