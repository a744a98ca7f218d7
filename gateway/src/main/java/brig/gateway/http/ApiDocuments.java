package brig.gateway.http;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The interface descriptions that the gateway serves: OpenAPI for HTTP requests, AsyncAPI for streams. The files refer
 * to JSON Schemas beside them; the served document includes these.
 */
public final class ApiDocuments {
    private static final String FILE = "schemas/";
    private static final String URN = "urn:brig:v1:";
    private static final String COMPONENTS = "#/components/schemas/";

    private @Nullable Buffer openApi;
    private @Nullable Buffer asyncApi;

    public void openApi(Call call) {
        if (openApi == null) {
            openApi = bundle("openapi");
        }
        call.response()
                .putHeader("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
                .end(openApi);
    }

    public void asyncApi(Call call) {
        if (asyncApi == null) {
            asyncApi = bundle("asyncapi");
        }
        call.response()
                .putHeader("Content-Type", "application/vnd.aai.asyncapi+json;version=3.0.0")
                .end(asyncApi);
    }

    /** The named document with all schemas that it refers to, directly or indirectly. */
    public static Buffer bundle(String name) {
        ArrayDeque<String> wanted = new ArrayDeque<>();
        JsonObject document = moved(read(name), "", wanted);
        JsonObject components = document.object("components");
        JsonObject schemas = components.object("schemas");
        TreeSet<String> added = new TreeSet<>();
        while (!wanted.isEmpty()) {
            String schema = wanted.remove();
            if (added.add(schema)) {
                schemas = schemas.with(schema, moved(read(FILE + schema), COMPONENTS + schema, wanted));
            }
        }
        return Buffer.buffer(Json.write(document.with("components", components.with("schemas", schemas))));
    }

    private static JsonObject read(String name) {
        try (InputStream in = Json.class.getResourceAsStream("/" + name + ".json")) {
            if (in == null) {
                throw new IllegalStateException(name + ".json is missing");
            }
            return JsonObject.read(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A copy with references within the document and without file identifiers; {@code place} is where the copied schema
     * is in it.
     */
    private static JsonObject moved(JsonObject object, String place, ArrayDeque<String> wanted) {
        JsonObject copy = JsonObject.EMPTY;
        for (String key : object.names()) {
            Object inner = object.value(key);
            if (!key.equals("$id") && !key.equals("$schema")) {
                copy = copy.with(
                        key,
                        key.equals("$ref") && inner instanceof String ref
                                ? movedRef(ref, place, wanted)
                                : movedValue(inner, place, wanted));
            }
        }
        return copy;
    }

    private static @Nullable Object movedValue(@Nullable Object value, String place, ArrayDeque<String> wanted) {
        return switch (value) {
            case JsonObject object -> moved(object, place, wanted);
            case List<?> list ->
                list.stream().map(inner -> movedValue(inner, place, wanted)).toList();
            case null, default -> value;
        };
    }

    private static String movedRef(String ref, String place, ArrayDeque<String> wanted) {
        String[] parts = ref.split("#", 2);
        String fragment = parts.length == 2 ? parts[1] : "";
        if (parts[0].isEmpty()) {
            return place.isEmpty() ? ref : place + fragment;
        }
        String schema = parts[0].startsWith(URN)
                ? parts[0].substring(URN.length())
                : parts[0].substring(FILE.length(), parts[0].length() - ".json".length());
        wanted.add(schema);
        return COMPONENTS + schema + fragment;
    }
}
