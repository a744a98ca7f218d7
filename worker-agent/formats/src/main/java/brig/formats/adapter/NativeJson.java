package brig.formats.adapter;

import brig.protocol.Limits;
import brig.protocol.json.JsonObject;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses an agent's JSON and keeps what a frame can hold: text without unpaired surrogates, numbers that every reader
 * represents exactly, no nesting deeper than a frame's. Unlike {@code Json}, which reads what clients send, it drops
 * what does not fit instead of refusing it.
 */
public final class NativeJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    /** A frame holds the parsed value some levels down, and {@link Limits#JSON_DEPTH_MAX} bounds the frame. */
    private static final int DEPTH_MAX = Limits.JSON_DEPTH_MAX - 8;

    private static final String OMITTED = "…";

    private NativeJson() {}

    /** Parses an object; null if the bytes are not one. */
    public static @Nullable JsonObject read(byte[] bytes, int offset, int length) {
        try (JsonParser parser = FACTORY.createParser(bytes, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            JsonObject object = readObject(parser, 1);
            return parser.nextToken() == null ? object : null;
        } catch (IOException malformed) {
            return null;
        }
    }

    /** Parses a line; an empty object if the line is not one. */
    public static JsonObject readLine(byte[] line) {
        JsonObject read = read(line, 0, line.length);
        return read == null ? JsonObject.EMPTY : read;
    }

    private static JsonObject readObject(JsonParser parser, int depth) throws IOException {
        JsonObject.Builder object = JsonObject.builder();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = FrameText.wellFormed(parser.currentName());
            parser.nextToken();
            object.put(name, readValue(parser, depth));
        }
        return object.build();
    }

    private static List<@Nullable Object> readArray(JsonParser parser, int depth) throws IOException {
        List<@Nullable Object> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            values.add(readValue(parser, depth));
        }
        return values;
    }

    private static @Nullable Object readValue(JsonParser parser, int depth) throws IOException {
        if (depth == DEPTH_MAX && parser.currentToken().isStructStart()) {
            parser.skipChildren();
            return OMITTED;
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> readObject(parser, depth + 1);
            case START_ARRAY -> readArray(parser, depth + 1);
            case VALUE_STRING -> FrameText.wellFormed(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> readNumber(parser);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("no value at " + parser.currentToken());
        };
    }

    /** A number, or its text if some reader could not represent it exactly. */
    private static Object readNumber(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
            double number = parser.getDoubleValue();
            return Double.isFinite(number) ? number : parser.getText();
        }
        boolean isLong = parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        return isLong && Math.abs(parser.getLongValue()) <= Limits.SEQ_MAX ? parser.getLongValue() : parser.getText();
    }
}
