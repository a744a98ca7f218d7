package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.IfAbsent;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Binds configuration to records. JSON with comments is laid over the shipped defaults and bound to a record whose
 * components are the keys. Unknown keys, wrong types, missing values and values that a record's constructor rejects are
 * refused with the path of the key.
 *
 * <p>Hand-written binding is a page of code; a data-binding library would add a tenth of a second to each start of the
 * CLI.
 *
 * <p>Decision 0002.
 */
public final class Settings {
    private Settings() {}

    /** Lays {@code over} on {@code base}: objects are merged key by key, other values replaced. */
    @SuppressWarnings("unchecked")
    public static Map<String, @Nullable Object> overlay(
            Map<String, @Nullable Object> base, Map<String, @Nullable Object> over) {
        Map<String, @Nullable Object> merged = new LinkedHashMap<>(base);
        over.forEach((key, value) -> {
            if (value instanceof Map<?, ?> inner && merged.get(key) instanceof Map<?, ?> outer) {
                merged.put(key, overlay((Map<String, @Nullable Object>) outer, (Map<String, @Nullable Object>) inner));
            } else {
                merged.put(key, value);
            }
        });
        return merged;
    }

    /** As {@link #overlay(Map, Map)}, for objects. */
    public static JsonObject overlay(JsonObject base, JsonObject over) {
        return new JsonObject(overlay(base.values(), over.values()));
    }

    /** Binds an object to a record. @throws BrigException {@code INVALID_FIELD} with the path of the key */
    public static <R extends Record> R bind(JsonObject values, Class<R> type) {
        return bindRecord("", values.values(), type);
    }

    /** Binds an object to a record. @throws BrigException {@code INVALID_FIELD} with the path of the key */
    public static <R extends Record> R bind(Map<String, @Nullable Object> values, Class<R> type) {
        return bindRecord("", values, type);
    }

    private static <R extends Record> R bindRecord(String path, Map<?, ?> values, Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        List<String> known = new ArrayList<>();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] arguments = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            known.add(components[i].getName());
            types[i] = components[i].getType();
        }
        for (Object key : values.keySet()) {
            if (!known.contains(String.valueOf(key))) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD, "unknown key '" + path + key + "'; known are " + known);
            }
        }
        for (int i = 0; i < components.length; i++) {
            String name = components[i].getName();
            IfAbsent absent = components[i].getAnnotation(IfAbsent.class);
            Type wanted = components[i].getGenericType();
            arguments[i] = absent != null && !values.containsKey(name)
                    ? absent(path + name, absent.value(), wanted)
                    : bindValue(path + name, values.get(name), wanted);
        }
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            String why = e.getCause() instanceof IllegalArgumentException refused ? refused.getMessage() : e.toString();
            throw new BrigException(ErrorCode.INVALID_FIELD, path + why);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " is no plain record", e);
        }
    }

    private static Object absent(String path, String value, Type type) {
        if (type instanceof ParameterizedType collection) {
            return collection.getRawType() == Map.class ? Map.of() : List.of();
        }
        Class<?> wanted = (Class<?>) type;
        if (wanted.isRecord()) {
            return bindRecord(path + ".", Map.of(), wanted.asSubclass(Record.class));
        }
        if (wanted == boolean.class) {
            return Boolean.valueOf(value);
        }
        return wanted == String.class ? value : bindValue(path, value.isEmpty() ? 0L : Long.parseLong(value), wanted);
    }

    private static Object bindValue(String path, @Nullable Object value, Type type) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return bindList(path, value, list.getActualTypeArguments()[0]);
        }
        if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            return bindMap(path, value, map.getActualTypeArguments()[1]);
        }
        Class<?> wanted = (Class<?>) type;
        if (wanted == Object.class && value != null) {
            return Objects.requireNonNull(JsonObject.wrapped(value));
        }
        if (wanted == JsonObject.class && value instanceof Map<?, ?> object) {
            return JsonObject.element(object);
        }
        boolean fits = switch (value) {
            case String text -> wanted == String.class;
            case Boolean flag -> wanted == boolean.class;
            case Long number -> wanted == long.class;
            case null, default -> false;
        };
        if (fits && value != null) {
            return value;
        }
        if ((wanted == int.class || wanted == Integer.class)
                && value instanceof Long number
                && number == number.intValue()) {
            return number.intValue();
        }
        Object object = value instanceof JsonObject wrapped ? wrapped.values() : value;
        if (wanted.isRecord() && object instanceof Map<?, ?> inner) {
            return bindRecord(path + ".", inner, wanted.asSubclass(Record.class));
        }
        String what = wanted.isRecord() || wanted == JsonObject.class
                ? "an object"
                : wanted == String.class ? "a string" : wanted.getSimpleName();
        throw new BrigException(
                ErrorCode.INVALID_FIELD,
                "key '" + path + (value == null ? "' is missing; it must be " : "' must be ") + what);
    }

    private static List<Object> bindList(String path, @Nullable Object value, Type element) {
        if (!(value instanceof List<?> list)) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "key '" + path + "' must be a list");
        }
        List<Object> bound = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            bound.add(bindValue(path + "[" + i + "]", list.get(i), element));
        }
        return List.copyOf(bound);
    }

    private static Map<String, Object> bindMap(String path, @Nullable Object value, Type element) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "key '" + path + "' must be an object");
        }
        Map<String, Object> bound = new LinkedHashMap<>();
        map.forEach((key, inner) -> bound.put(String.valueOf(key), bindValue(path + "." + key, inner, element)));
        return Collections.unmodifiableMap(bound);
    }
}
