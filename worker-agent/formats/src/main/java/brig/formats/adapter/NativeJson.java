package brig.formats.adapter;

import brig.protocol.Limits;
import brig.protocol.json.JsonObject;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses an agent's JSON and keeps what a frame can hold: text without unpaired surrogates, numbers that every reader
 * represents exactly, no nesting deeper than a frame's. Unlike {@code Json}, which reads what clients send, it drops
 * what does not fit instead of refusing it.
 *
 * <p>Decisions 0060, 0178.
 */
public final class NativeJson {
    /** Names are not interned: the JVM's table of them is shared, and an agent chooses the names. */
    private static final JsonFactory FACTORY = factory().build();

    /**
     * For long lines. Jackson keeps names in a table, which saves memory where names repeat, but takes long for many
     * names that are made to collide.
     */
    private static final JsonFactory WITHOUT_NAMES =
            factory().disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES).build();

    private static final int LONG_BYTES = 64 * 1024;

    /**
     * The most values of a line that an agent writes now. A line of a megabyte can hold 500,000, which takes a hundred
     * times as long as the same bytes of text, and other agents wait meanwhile.
     */
    public static final int LINE_VALUES_MAX = 20_000;

    /** A frame holds the parsed value some levels down, and {@link Limits#JSON_DEPTH_MAX} bounds the frame. */
    private static final int DEPTH_MAX = Limits.JSON_DEPTH_MAX - 8;

    private static final String OMITTED = "…";

    private static JsonFactoryBuilder factory() {
        return new JsonFactoryBuilder()
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER);
    }

    private final JsonParser parser;
    private int valuesLeft;

    private NativeJson(JsonParser parser, int valuesMax) {
        this.parser = parser;
        this.valuesLeft = valuesMax;
    }

    /** Parses an object; null if the bytes are not one. */
    public static @Nullable JsonObject read(byte[] bytes, int offset, int length) {
        return read(bytes, offset, length, Integer.MAX_VALUE);
    }

    /** The same for a line that an agent writes now; null also if it has more than {@link #LINE_VALUES_MAX} values. */
    public static @Nullable JsonObject readOutput(byte[] bytes, int offset, int length) {
        return read(bytes, offset, length, LINE_VALUES_MAX);
    }

    private static @Nullable JsonObject read(byte[] bytes, int offset, int length, int valuesMax) {
        JsonFactory factory = length > LONG_BYTES ? WITHOUT_NAMES : FACTORY;
        try (JsonParser parser = factory.createParser(bytes, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            JsonObject object = new NativeJson(parser, valuesMax).readObject(1);
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

    private JsonObject readObject(int depth) throws IOException {
        JsonObject.Builder object = JsonObject.builder();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = FrameText.wellFormed(parser.currentName());
            parser.nextToken();
            object.put(name, readValue(depth));
        }
        return object.build();
    }

    private List<@Nullable Object> readArray(int depth) throws IOException {
        List<@Nullable Object> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            values.add(readValue(depth));
        }
        return values;
    }

    private @Nullable Object readValue(int depth) throws IOException {
        count();
        if (depth == DEPTH_MAX && parser.currentToken().isStructStart()) {
            skipStructure();
            return OMITTED;
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> readObject(depth + 1);
            case START_ARRAY -> readArray(depth + 1);
            case VALUE_STRING -> FrameText.wellFormed(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> readNumber();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("no value at " + parser.currentToken());
        };
    }

    private void skipStructure() throws IOException {
        for (int open = 1; open > 0; ) {
            JsonToken token = parser.nextToken();
            if (token.isStructStart()) {
                count();
                open++;
            } else if (token.isStructEnd()) {
                open--;
            }
        }
    }

    private void count() throws IOException {
        if (valuesLeft-- == 0) {
            throw new JsonParseException(parser, "too many values");
        }
    }

    /** A number, or its text if some reader could not represent it exactly. */
    private Object readNumber() throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
            double number = parser.getDoubleValue();
            return Double.isFinite(number) ? number : parser.getText();
        }
        boolean isLong = parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        return isLong && Math.abs(parser.getLongValue()) <= Limits.SEQ_MAX ? parser.getLongValue() : parser.getText();
    }
}
