package brig.protocol.json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares a JSON Schema with a record, both ways: each component is a property of its type, each property a component.
 * What is always written is required. An enum whose component is nullable may be required all the same: null stands for a
 * constant that only a newer sender knows.
 */
final class RecordSchema {
    private static final String URN = "urn:brig:v1:";

    private final JsonObject root;
    private final List<String> differences = new ArrayList<>();

    private RecordSchema(JsonObject root) {
        this.root = root;
    }

    /** The schema of that name, which ships. */
    static JsonObject named(String name) {
        try {
            return JsonObject.read(Files.readAllBytes(Path.of("src/main/resources/schemas/" + name + ".json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What differs, a sentence each; empty if nothing.
     *
     * @param root the document that references are about
     * @param tag the property of the tag, which is no component; empty for none
     */
    static List<String> differences(JsonObject root, JsonObject schema, Class<?> record, String tag) {
        RecordSchema comparison = new RecordSchema(root);
        comparison.compare(record.getSimpleName(), schema, record, tag);
        return comparison.differences;
    }

    private void compare(String where, JsonObject given, Class<?> record, String tag) {
        JsonObject schema = resolved(given);
        Map<String, RecordShape.Field> fields = new LinkedHashMap<>();
        Set<String> optional = new LinkedHashSet<>();
        collect(record, false, fields, optional);
        JsonObject properties = schema.object("properties");
        Set<String> described = new TreeSet<>(properties.names());
        described.remove(tag);
        if (!described.equals(new TreeSet<>(fields.keySet()))) {
            differences.add(where + " has " + new TreeSet<>(fields.keySet()) + ", its schema " + described);
        }
        List<String> required = schema.texts("required");
        fields.forEach((name, field) -> {
            if (!properties.has(name)) {
                return;
            }
            boolean constant = field.type() instanceof Class<?> type && type.isEnum();
            boolean mayBeAbsent = optional.contains(name) || field.nullable() || field.omitEmpty();
            if (required.contains(name) == mayBeAbsent && !(constant && required.contains(name))) {
                differences.add(where + "." + name + (mayBeAbsent ? " may be absent" : " is always there")
                        + ", required are " + required);
            }
            if (field.orWord() == null) {
                compareType(where + "." + name, properties.object(name), field.type());
            } else if (!properties.object(name).texts("type").equals(List.of("integer", "string"))
                    || !properties.object(name).text("pattern", "").equals("^" + field.orWord() + "$")) {
                differences.add(where + "." + name + " is a number or " + field.orWord());
            }
        });
    }

    /** The fields of the record with those of flat ones; of a flat choice, those of all its kinds, which then are optional. */
    private static void collect(
            Class<?> type, boolean allOptional, Map<String, RecordShape.Field> fields, Set<String> optional) {
        for (RecordShape.Field field : RecordShape.of(type).fields()) {
            if (!field.flat()) {
                fields.put(field.name(), field);
                if (allOptional) {
                    optional.add(field.name());
                }
                continue;
            }
            Class<?> inner = (Class<?>) field.type();
            if (inner.isRecord()) {
                collect(inner, allOptional || field.nullable(), fields, optional);
            } else {
                RecordShape.Kinds kinds = RecordShape.kinds(inner);
                kinds.tags().forEach(tag -> collect(kinds.named(tag), true, fields, optional));
            }
        }
    }

    private void compareType(String where, JsonObject given, Type type) {
        JsonObject schema = resolved(given);
        if (type instanceof ParameterizedType list) {
            require(where, schema, "array");
            compareType(where + "[]", schema.object("items"), list.getActualTypeArguments()[0]);
            return;
        }
        Class<?> plain = (Class<?>) type;
        if (plain == Object.class) {
            if (schema.has("type")) {
                differences.add(where + " is anything, and has a type in its schema");
            }
        } else if (plain.isEnum()) {
            Set<String> constants = Stream.of(plain.getEnumConstants())
                    .map(constant -> RecordReader.wireName((Enum<?>) constant))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!constants.equals(new TreeSet<>(schema.texts("enum")))) {
                differences.add(where + " is one of " + constants + ", by its schema of " + schema.texts("enum"));
            }
        } else if (plain.isRecord()) {
            require(where, schema, "object");
            compare(where, schema, plain, "");
        } else if (plain == String.class) {
            boolean words = !schema.texts("enum").isEmpty() || schema.text("const") != null;
            if (!words) {
                require(where, schema, "string");
            }
        } else if (plain == boolean.class || plain == Boolean.class) {
            if (!schema.flag("const")) {
                require(where, schema, "boolean");
            }
        } else {
            require(where, schema, plain == double.class || plain == Double.class ? "number" : "integer");
        }
    }

    private void require(String where, JsonObject schema, String type) {
        if (!type.equals(schema.text("type"))) {
            differences.add(where + " is of the type " + type + ", by its schema " + schema.value("type"));
        }
    }

    private JsonObject resolved(JsonObject schema) {
        String reference = schema.text("$ref");
        if (reference == null) {
            return schema;
        }
        return reference.startsWith(URN)
                ? named(reference.substring(URN.length()))
                : root.object("$defs").object(reference.substring("#/$defs/".length()));
    }
}
