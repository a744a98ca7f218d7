package brig.gateway.provider.http;

import brig.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/**
 * What a request sends.
 *
 * @param type of the content
 * @param bytes how many there are
 * @param content is opened once for each attempt
 * @param sent is told on the event loop how many were taken so far
 */
public record Body(String type, long bytes, Content content, LongConsumer sent) {
    static final String JSON = "application/json";

    /** Opens it. Reading may block. */
    @FunctionalInterface
    public interface Content {
        InputStream open() throws IOException;
    }

    public static Body json(Record record) {
        byte[] bytes = Json.write(record);
        return new Body(JSON, bytes.length, () -> new ByteArrayInputStream(bytes), sent -> {});
    }
}
