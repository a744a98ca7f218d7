package brig.gateway.api;

import brig.protocol.control.FindingStatus;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import brig.protocol.record.WriteNull;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares records with JSON Schemas, field by field and both ways. */
final class RecordSchema {
    /**
     * A field of a record as its JSON has it.
     *
     * @param asked whether a request must have it
     * @param written whether an answer always has it
     */
    record Field(Type type, boolean asked, boolean written) {}

    /** What no answer of some place says, although others with the same type do. */
    private static final Map<Class<?>, Set<String>> NEVER =
            Map.of(WorkspaceMode.class, Set.of("folder", "snapshot"), FindingStatus.class, Set.of("WARN", "NONE"));

    private final UnaryOperator<JsonNode> resolved;
    private final List<String> faults = new ArrayList<>();

    /** @param resolved what a node with a {@code $ref} refers to; any other node itself */
    RecordSchema(UnaryOperator<JsonNode> resolved) {
        this.resolved = resolved;
    }

    List<String> faults() {
        return faults;
    }

    /** The fields of the record, those of flat records among them. */
    static Map<String, Field> fields(Class<?> type) {
        Map<String, Field> fields = new LinkedHashMap<>();
        addFields(type, false, fields);
        return fields;
    }

    private static void addFields(Class<?> type, boolean optional, Map<String, Field> fields) {
        if (!type.isRecord()) {
            Tagged tagged = type.getAnnotation(Tagged.class);
            fields.put(tagged.value(), new Field(String.class, false, false));
            kinds(type).forEach(kind -> addFields(kind, true, fields));
            return;
        }
        for (RecordComponent component : type.getRecordComponents()) {
            boolean nullable = optional || component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            if (component.isAnnotationPresent(Flat.class)) {
                addFields(component.getType(), nullable, fields);
            } else {
                boolean byDefault = component.isAnnotationPresent(Default.class);
                boolean isObject = !component.getType().isPrimitive()
                        && component.getType() != List.class
                        && component.getType() != Map.class;
                fields.put(
                        name(component, type.isAnnotationPresent(CamelCase.class)),
                        new Field(
                                component.getGenericType(),
                                isObject && !nullable && !byDefault,
                                (!nullable || component.isAnnotationPresent(WriteNull.class))
                                        && !optional
                                        && !byDefault
                                        && !component.isAnnotationPresent(OmitEmpty.class)));
            }
        }
    }

    private static List<Class<?>> kinds(Class<?> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses())
                .flatMap(kind -> kind.isRecord() ? List.<Class<?>>of(kind).stream() : kinds(kind).stream())
                .toList();
    }

    private static String name(RecordComponent component, boolean camelCase) {
        Name given = component.getAnnotation(Name.class);
        return given != null
                ? given.value()
                : camelCase
                        ? component.getName()
                        : component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    /** The properties that an object of that schema may have, wherever it says so. */
    Map<String, JsonNode> properties(JsonNode schema) {
        Map<String, JsonNode> properties = new LinkedHashMap<>();
        JsonNode own = resolved.apply(schema);
        if (schema.has("$ref")) {
            properties.putAll(properties(own));
        }
        schema.path("allOf").forEach(part -> properties.putAll(properties(part)));
        schema.path("properties")
                .properties()
                .forEach(property -> properties.merge(
                        property.getKey(), property.getValue(), (before, more) -> before.size() > 1 ? before : more));
        return properties;
    }

    private Set<String> required(JsonNode schema) {
        Set<String> names = new TreeSet<>();
        JsonNode own = resolved.apply(schema);
        if (schema.has("$ref")) {
            names.addAll(required(own));
        }
        schema.path("allOf").forEach(part -> names.addAll(required(part)));
        schema.path("required").forEach(name -> names.add(name.asText()));
        return names;
    }

    /** A message that Brig reads: it must have what the schema says it must. */
    void compareRequest(String place, Class<?> record, JsonNode schema, Set<String> beside) {
        Set<String> asked = fields(record).entrySet().stream()
                .filter(field -> field.getValue().asked())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        asked.removeAll(beside);
        Set<String> required = required(schema);
        required.removeAll(beside);
        if (!asked.equals(required) && !record.isAnnotationPresent(Foreign.class)) {
            faults.add(place + ": the record needs " + asked + ", the schema " + required);
        }
        compare(place, record, schema, beside, true);
    }

    /** A message that Brig writes: what the schema says is always there is always written. */
    void compareAnswer(String place, Class<?> record, JsonNode schema) {
        compare(place, record, schema, Set.of(), false);
    }

    private void compare(String place, Class<?> record, JsonNode schema, Set<String> beside, boolean request) {
        Map<String, Field> fields = fields(record);
        Map<String, JsonNode> properties = properties(schema);
        properties.keySet().removeAll(beside);
        fields.keySet().stream()
                .filter(name -> !properties.containsKey(name) && !beside.contains(name))
                .filter(name -> !record.isAnnotationPresent(Foreign.class))
                .forEach(name -> faults.add(place + "." + name + ": only in the record"));
        properties.keySet().stream()
                .filter(name -> !fields.containsKey(name))
                .forEach(name -> faults.add(place + "." + name + ": only in the schema"));
        fields.forEach((name, field) -> {
            if (properties.containsKey(name)) {
                compareType(place + "." + name, field.type(), properties.get(name), request);
            }
        });
        if (!request) {
            required(schema).stream()
                    .filter(name ->
                            fields.containsKey(name) && !fields.get(name).written())
                    .forEach(name -> faults.add(place + "." + name + ": may be left out, and the schema needs it"));
        }
    }

    private void compareType(String place, Type type, JsonNode property, boolean request) {
        JsonNode own = resolved.apply(property);
        if (type instanceof ParameterizedType generic) {
            boolean isMap = generic.getRawType() == Map.class;
            requireType(place, own, isMap ? "object" : "array");
            if (!isMap) {
                compareType(place + "[]", generic.getActualTypeArguments()[0], own.path("items"), request);
            }
            return;
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isEnum()) {
            Set<String> named = new TreeSet<>();
            own.path("enum").forEach(name -> named.add(name.asText()));
            Set<String> constants = Arrays.stream(plain.getEnumConstants())
                    .map(constant -> wireName((Enum<?>) constant))
                    .collect(Collectors.toCollection(TreeSet::new));
            Set<String> never = new TreeSet<>(constants);
            never.removeAll(named);
            boolean fits = own.has("const")
                    ? constants.contains(own.path("const").asText())
                    : constants.containsAll(named)
                            && NEVER.getOrDefault(plain, Set.of()).containsAll(never);
            if (!fits) {
                faults.add(place + ": the record has " + constants + ", the schema " + named);
            }
        } else if (plain.isRecord()) {
            compare(place, plain, property, Set.of(), request);
        } else if (plain == JsonObject.class) {
            requireType(place, own, "object");
        } else if (plain == boolean.class || plain == Boolean.class) {
            requireType(place, own, "boolean");
        } else if (plain == double.class || plain == Double.class) {
            requireType(place, own, "number");
        } else if (plain.isPrimitive() || Number.class.isAssignableFrom(plain)) {
            requireType(place, own, "integer");
        } else if (plain == String.class) {
            requireType(place, own, "string");
        }
    }

    private static String wireName(Enum<?> constant) {
        return constant instanceof brig.protocol.WireName named
                ? named.wireName()
                : constant.name().toLowerCase(Locale.ROOT);
    }

    private void requireType(String place, JsonNode schema, String wanted) {
        JsonNode type = schema.path("type");
        Set<String> types = new TreeSet<>();
        if (type.isArray()) {
            type.forEach(one -> types.add(one.asText()));
        } else if (type.isTextual()) {
            types.add(type.asText());
        }
        List<JsonNode> values = new ArrayList<>();
        if (schema.has("const")) {
            values.add(schema.path("const"));
        }
        schema.path("enum").forEach(values::add);
        boolean fits = types.isEmpty()
                ? !values.isEmpty() && values.stream().allMatch(value -> wanted.equals(typeOf(value)))
                : types.contains(wanted);
        if (!fits) {
            faults.add(place + ": the record has " + wanted + ", the schema " + schema);
        }
    }

    private static String typeOf(JsonNode value) {
        return value.isBoolean() ? "boolean" : value.isIntegralNumber() ? "integer" : value.isTextual() ? "string" : "";
    }
}
