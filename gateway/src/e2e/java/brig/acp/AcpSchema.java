package brig.acp;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The protocol's own JSON Schema, which comes with its TypeScript SDK: what is wrong with a message of an agent. The
 * definitions are looked up by method, because the schema as a whole lets any extension pass.
 */
public final class AcpSchema {
    private static final String URN = "urn:test:acp";

    private final JsonSchemaFactory schemas;
    /** Definitions of results that an agent gives, and of params that it sends, by method. */
    private final Map<String, String> results = new TreeMap<>();

    private final Map<String, String> params = new TreeMap<>();
    private final Map<Object, String> asked = new HashMap<>();

    private AcpSchema(String text) {
        schemas = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders -> loaders.schemas(Map.of(URN, text))));
        JsonObject definitions =
                JsonObject.read(text.getBytes(StandardCharsets.UTF_8)).object("$defs");
        for (String name : definitions.names()) {
            JsonObject definition = definitions.object(name);
            String method = definition.text("x-method", "");
            boolean agents = definition.text("x-side", "").equals("agent");
            if (name.endsWith("Response") && agents) {
                results.put(method, name);
            } else if (!name.endsWith("Response") && (!agents || method.startsWith("$/"))) {
                params.put(method, name);
            }
        }
    }

    /** Empty where npm has not brought it. */
    public static Optional<AcpSchema> load() {
        Path file = Path.of(System.getProperty("brig.npm", ""), "@agentclientprotocol/sdk/schema/v1/schema.json");
        try {
            return Files.exists(file) ? Optional.of(new AcpSchema(Files.readString(file))) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The editor asks that. */
    public void note(Object id, String method) {
        asked.put(id, method);
    }

    /** What is wrong with a line of the agent; empty where nothing is. */
    public String faults(String line) {
        JsonObject message = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        String method = message.text("method", "");
        if (method.startsWith("_")) {
            return "";
        }
        String whole = faults("", line);
        if (!method.isEmpty()) {
            return whole + faults("/$defs/" + params.get(method), part(message, "params"));
        }
        if (message.has("error")) {
            return whole + faults("/$defs/Error", part(message, "error"));
        }
        return whole + faults("/$defs/" + results.get(asked.get(message.value("id"))), part(message, "result"));
    }

    private static String part(JsonObject message, String name) {
        return new String(Json.write(message.object(name)), StandardCharsets.UTF_8);
    }

    private String faults(String pointer, String json) {
        return schemas.getSchema(SchemaLocation.of(URN + "#" + pointer)).validate(json, InputFormat.JSON).stream()
                .map(ValidationMessage::toString)
                .collect(Collectors.joining("\n"));
    }
}
