package brig.gateway.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The document that a gateway serves: what it says there is, and what is wrong with an answer by it. */
final class OpenApi {
    private static final String URN = "urn:test:openapi";

    /** One operation of the document. */
    record Described(String method, String path, JsonNode node) {
        JsonNode parameters() {
            return node.path("parameters");
        }

        JsonNode bodySchema() {
            return node.at("/requestBody/content/application~1json/schema");
        }

        JsonNode bodyExample() {
            return node.at("/requestBody/content/application~1json/example");
        }

        String pointer() {
            return "/paths/" + path.replace("~", "~0").replace("/", "~1") + "/" + method.toLowerCase(Locale.ROOT);
        }
    }

    private final JsonNode document;
    private final JsonSchemaFactory schemas;

    OpenApi(String text) throws IOException {
        document = new ObjectMapper().readTree(text);
        schemas = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders -> loaders.schemas(Map.of(URN, text))));
    }

    List<Described> operations() {
        List<Described> all = new ArrayList<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(method -> all.add(new Described(
                                method.getKey().toUpperCase(Locale.ROOT), path.getKey(), method.getValue()))));
        return all;
    }

    /** Follows references to where they lead. */
    JsonNode resolved(JsonNode node) {
        return node.has("$ref")
                ? resolved(document.at(node.path("$ref").asText().substring(1)))
                : node;
    }

    /** What is wrong with an answer; empty if it is as the document says. */
    String faults(Described operation, int status, String contentType, String body) {
        JsonNode response = operation.node().path("responses").path(String.valueOf(status));
        if (response.isMissingNode()) {
            return "status " + status + " is not documented";
        }
        String pointer = response.has("$ref")
                ? response.path("$ref").asText().substring(1)
                : operation.pointer() + "/responses/" + status;
        JsonNode content = document.at(pointer).path("content");
        if (content.isMissingNode()) {
            return body.isEmpty() ? "" : "a body where none is documented";
        }
        String media = contentType.split(";", 2)[0].trim();
        if (media.isEmpty() && content.has("text/plain")) {
            return "";
        }
        if (!content.has(media)) {
            return "type " + media + " is not documented";
        }
        return media.endsWith("json") ? faults(pointer + "/content/" + media.replace("/", "~1") + "/schema", body) : "";
    }

    /** What is wrong with a JSON text by the schema at that place. */
    String faults(String pointer, String json) {
        return schemas.getSchema(SchemaLocation.of(URN + "#" + pointer)).validate(json, InputFormat.JSON).stream()
                .map(ValidationMessage::getMessage)
                .collect(Collectors.joining("; "));
    }
}
