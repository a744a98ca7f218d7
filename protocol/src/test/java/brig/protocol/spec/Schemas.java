package brig.protocol.spec;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JSON Schemas that ship, by name: {@code frame}, {@code request}, … */
final class Schemas {
    private static final Path FOLDER = Path.of("src/main/resources/schemas");
    private static final String URN = "urn:brig:v1:";
    private static final Map<String, String> TEXTS = read();
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012,
            builder -> builder.schemaLoaders(loaders -> loaders.schemas(TEXTS.entrySet().stream()
                    .collect(Collectors.toMap(entry -> URN + entry.getKey(), Map.Entry::getValue)))));

    private Schemas() {}

    static Set<String> names() {
        return TEXTS.keySet();
    }

    static String text(String name) {
        return TEXTS.get(name);
    }

    /** What that schema finds wrong with a JSON text; empty if nothing. */
    static String faults(String name, String json) {
        if (!TEXTS.containsKey(name)) {
            return "no schema " + name;
        }
        JsonSchema schema = FACTORY.getSchema(SchemaLocation.of(URN + name));
        return schema.validate(json, InputFormat.JSON).stream()
                .map(ValidationMessage::getMessage)
                .collect(Collectors.joining("; "));
    }

    private static Map<String, String> read() {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.toList()) {
                texts.put(file.getFileName().toString().replace(".json", ""), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }
}
