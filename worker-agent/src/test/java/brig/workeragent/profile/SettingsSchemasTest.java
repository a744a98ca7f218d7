package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.WireName;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Name;
import brig.protocol.record.Range;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The schemas of profiles and policies and their records say the same: fields, which of them must be there, types and bounds. */
class SettingsSchemasTest {
    private final List<String> faults = new ArrayList<>();
    private JsonObject root = JsonObject.EMPTY;

    private List<String> faults(String schema, Class<?> record) throws IOException {
        root = JsonObject.read(Files.readAllBytes(Path.of("../config").resolve(schema)));
        compare("", root, record);
        return faults;
    }

    @Test
    void shouldDescribePolicies() throws IOException {
        assertEquals(List.of(), faults("policies/policy.schema.json", Policy.class));
    }

    @Test
    void shouldDescribeProfiles() throws IOException {
        // Whoever writes the object has both; a profile without it counts as one with neither.
        assertEquals(
                List.of(".install needs [] in the record, [npm, programs] in the schema"),
                faults("agents/agent.schema.json", AgentProfile.class));
    }

    private void compare(String where, JsonObject schema, Class<?> record) {
        Set<String> fields = new TreeSet<>();
        Set<String> needed = new TreeSet<>();
        JsonObject properties = schema.object("properties");
        for (RecordComponent component : record.getRecordComponents()) {
            Name given = component.getAnnotation(Name.class);
            // What requests have too is written in files as all settings are, in the name that is read beside that of
            // requests.
            boolean isOfRequests = given != null && List.of(given.old()).contains(component.getName());
            String name = given == null || isOfRequests ? component.getName() : given.value();
            fields.add(name);
            boolean mayBeAbsent = component.isAnnotationPresent(Default.class)
                    || component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            if (!mayBeAbsent) {
                needed.add(name);
            }
            String place = where + "." + name;
            JsonObject property = resolved(properties.object(name));
            compareType(place, property, component.getGenericType());
            Range range = component.getAnnotation(Range.class);
            if (range != null) {
                compareRange(place, property, range);
            }
        }
        require(where + " has", fields, properties.names());
        require(where + " needs", needed, new TreeSet<>(schema.texts("required")));
    }

    private void compareType(String where, JsonObject property, Type type) {
        if (type instanceof ParameterizedType generic) {
            boolean isMap = generic.getRawType() == Map.class;
            require(where + " is", isMap ? "object" : "array", property.text("type", ""));
            if (isMap && property.value("additionalProperties") instanceof JsonObject values) {
                compareType(where + ".*", resolved(values), generic.getActualTypeArguments()[1]);
            } else if (!isMap && generic.getActualTypeArguments()[0] != Object.class) {
                compareType(where + "[]", resolved(property.object("items")), generic.getActualTypeArguments()[0]);
            }
            return;
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isRecord()) {
            compare(where, property, plain);
            return;
        }
        if (plain.isEnum()) {
            Set<String> names = new TreeSet<>();
            for (Object constant : plain.getEnumConstants()) {
                names.add(((WireName) constant).wireName());
            }
            require(where + " is", names, new TreeSet<>(property.texts("enum")));
            return;
        }
        String wanted = plain == String.class
                ? "string"
                : plain == boolean.class || plain == Boolean.class
                        ? "boolean"
                        : plain == Double.class ? "number" : "integer";
        boolean words = plain == String.class && !property.texts("enum").isEmpty();
        require(where + " is", wanted, words ? "string" : number(property).text("type", ""));
    }

    private void compareRange(String where, JsonObject property, Range range) {
        JsonObject bounds = number(property);
        boolean zero = property.has("anyOf") || bounds.number("minimum", 1) == 0;
        long min = range.orZero() && bounds.number("minimum", -1) == 0 ? 0 : range.min();
        require(
                where + " is within",
                min + " to " + range.max(),
                bounds.number("minimum", -1) + " to " + bounds.number("maximum", -1));
        require(where + " may be 0:", range.orZero() || range.min() == 0, zero);
    }

    /** Of a number that may also be 0, what it is else. */
    private static JsonObject number(JsonObject property) {
        return property.has("anyOf") ? property.objects("anyOf").getLast() : property;
    }

    private JsonObject resolved(JsonObject schema) {
        String reference = schema.text("$ref");
        if (reference == null) {
            return schema;
        }
        JsonObject place = root;
        for (String name : reference.substring("#/".length()).split("/")) {
            place = place.object(name);
        }
        return place;
    }

    private void require(String what, Object inRecord, Object inSchema) {
        if (!inRecord.equals(inSchema)) {
            faults.add(what + " " + inRecord + " in the record, " + inSchema + " in the schema");
        }
    }
}
