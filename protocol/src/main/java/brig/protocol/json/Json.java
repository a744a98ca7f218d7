package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A strict JSON reader and a one-line writer over plain maps and lists. The reader requires well-formed UTF-8, unique
 * keys, bounded depth, numbers in range and nothing after the value. For messages only: the frame path never parses
 * whole frames.
 *
 * <p>Values are {@code Map<String, Object>}, {@code List<Object>}, {@code String}, {@code Long}, {@code Double}, {@code
 * Boolean} and null.
 *
 * <p>Decision 0142.
 */
public final class Json {
    /** The factory for all strict JSON reading and writing in Brig. */
    public static final JsonFactory STRICT = factory(false);

    private static final JsonFactory COMMENTED = factory(true);

    private Json() {}

    private static JsonFactory factory(boolean comments) {
        return new JsonFactoryBuilder()
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                .configure(JsonReadFeature.ALLOW_JAVA_COMMENTS, comments)
                .configure(JsonReadFeature.ALLOW_TRAILING_COMMA, comments)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(Limits.JSON_DEPTH_MAX)
                        .build())
                .build();
    }

    /**
     * Reads exactly one object. @throws BrigException {@code MALFORMED_JSON} with the place, or {@code INVALID_UTF8}
     */
    public static Map<String, @Nullable Object> parseObject(byte[] bytes, int offset, int length) {
        return parse(STRICT, bytes, offset, length);
    }

    /** {@link #parseObject(byte[], int, int)} of a whole array. */
    public static Map<String, @Nullable Object> parseObject(byte[] bytes) {
        return parse(STRICT, bytes, 0, bytes.length);
    }

    /** Reads one object into a record or tagged type. @throws BrigException as {@link #parseObject}, or for a field */
    public static <T> T read(byte[] bytes, int offset, int length, Class<T> type) {
        return RecordReader.read(parse(STRICT, bytes, offset, length), type);
    }

    /** {@link #read(byte[], int, int, Class)} of a whole array. */
    public static <T> T read(byte[] bytes, Class<T> type) {
        return read(bytes, 0, bytes.length, type);
    }

    /** Reads a configuration file, in which {@code //} and {@code /* *}{@code /} comments are allowed. */
    public static Map<String, @Nullable Object> parseCommented(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(COMMENTED, bytes, 0, bytes.length);
    }

    private static Map<String, @Nullable Object> parse(JsonFactory factory, byte[] bytes, int offset, int length) {
        if (!Utf8.isValid(bytes, offset, length)) {
            throw notUtf8();
        }
        try (JsonParser parser = factory.createParser(bytes, offset, length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "not a JSON object");
            }
            Map<String, @Nullable Object> object = readObject(parser);
            if (parser.nextToken() != null) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "something stands behind the JSON object");
            }
            return object;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** The parser's complaint without the input text, which may contain a secret. */
    public static BrigException malformed(IOException e) {
        if (e instanceof com.fasterxml.jackson.core.JsonProcessingException fault && fault.getLocation() != null) {
            long at = Math.max(
                    fault.getLocation().getByteOffset(), fault.getLocation().getCharOffset());
            return new BrigException(ErrorCode.MALFORMED_JSON, "malformed JSON near byte " + Math.max(at, 0));
        }
        return new BrigException(ErrorCode.MALFORMED_JSON, "malformed JSON");
    }

    public static BrigException notUtf8() {
        return new BrigException(ErrorCode.INVALID_UTF8, "not UTF-8");
    }

    private static @Nullable Object readValue(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> readObject(parser);
            case START_ARRAY -> readArray(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> readDouble(parser);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("no value at " + parser.currentToken());
        };
    }

    /** Reads a number; one beyond the range of a double is refused, because JSON cannot represent infinity. */
    private static double readDouble(JsonParser parser) throws IOException {
        double number = parser.getDoubleValue();
        if (Double.isInfinite(number)) {
            throw new BrigException(ErrorCode.MALFORMED_JSON, "a number is too large");
        }
        return number;
    }

    private static Map<String, @Nullable Object> readObject(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            object.put(name, readValue(parser));
        }
        return object;
    }

    private static List<@Nullable Object> readArray(JsonParser parser) throws IOException {
        List<@Nullable Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(readValue(parser));
        }
        return array;
    }

    /** The object as one line of JSON, without a newline or other control characters. */
    public static byte[] write(Map<String, ?> object) {
        return withoutLateControls(plain(object));
    }

    /** The record as one line of JSON, without a newline or other control characters. */
    public static byte[] write(Record record) {
        return withoutLateControls(plain(record));
    }

    /** The object as one line of JSON, without a newline or other control characters. */
    public static byte[] write(JsonObject object) {
        return withoutLateControls(plain(object));
    }

    /** The object as one line of JSON with a newline. */
    public static byte[] writeLine(JsonObject object) {
        return line(write(object));
    }

    /** The record as one line of JSON with a newline. */
    public static byte[] writeLine(Record record) {
        return line(write(record));
    }

    /** The canonical form of RFC 8785, the same for all equal objects. Null counts as absent. */
    public static byte[] canonical(Record record) {
        return canonical(parseObject(plain(record)));
    }

    /** The tag of a record of a tagged type; of any other record, its name in snake case. */
    public static String tag(Record record) {
        return RecordShape.of(record.getClass()).tag();
    }

    private static byte[] withoutLateControls(byte[] json) {
        ByteArrayOutputStream escaped = null;
        int copied = 0;
        for (int at = 0; at < json.length; at++) {
            int control = Utf8.lateControl(json, at, json.length);
            if (control < 0) {
                continue;
            }
            escaped = escaped == null ? new ByteArrayOutputStream(json.length + 64) : escaped;
            escaped.write(json, copied, at - copied);
            escaped.writeBytes(escape(control));
            at += control == 0x7f ? 0 : 1;
            copied = at + 1;
        }
        if (escaped == null) {
            return json;
        }
        escaped.write(json, copied, json.length - copied);
        return escaped.toByteArray();
    }

    /** The escape of a control character below U+0100. */
    private static byte[] escape(int control) {
        HexFormat hex = HexFormat.of();
        return new byte[] {
            '\\', 'u', '0', '0', (byte) hex.toLowHexDigit(control >> 4), (byte) hex.toLowHexDigit(control)
        };
    }

    private static byte[] plain(Object object) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator generator = STRICT.createGenerator(out)) {
            writeValue(generator, object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static byte[] line(byte[] json) {
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    /**
     * The canonical form of RFC 8785, the same for all equal objects: keys sorted by UTF-16 units at every level, no
     * white space between tokens. Null entries are left out, since null counts as absent here.
     */
    public static byte[] canonical(Map<String, ?> object) {
        return plain(sorted(object));
    }

    private static Map<String, Object> sorted(Map<?, ?> object) {
        Map<String, Object> sorted = new TreeMap<>();
        object.forEach((key, value) -> {
            if (value != null) {
                sorted.put(String.valueOf(key), inOrder(value));
            }
        });
        return sorted;
    }

    private static Object inOrder(Object value) {
        return switch (value) {
            case Map<?, ?> map -> sorted(map);
            case List<?> list ->
                list.stream()
                        .map(element -> element == null ? null : inOrder(element))
                        .toList();
            default -> value;
        };
    }

    private static void writeValue(JsonGenerator generator, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> generator.writeNull();
            case Map<?, ?> map -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    generator.writeFieldName(String.valueOf(entry.getKey()));
                    writeValue(generator, entry.getValue());
                }
                generator.writeEndObject();
            }
            case Iterable<?> list -> {
                generator.writeStartArray();
                for (Object element : list) {
                    writeValue(generator, element);
                }
                generator.writeEndArray();
            }
            case Integer number -> generator.writeNumber(number);
            case Long number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            case Boolean flag -> generator.writeBoolean(flag);
            case CharSequence text -> generator.writeString(text.toString());
            case Enum<?> constant -> generator.writeString(RecordReader.wireName(constant));
            case Record record -> {
                RecordShape shape = RecordShape.of(record.getClass());
                generator.writeStartObject();
                if (shape.tagField() != null) {
                    generator.writeStringField(shape.tagField(), shape.tag());
                }
                writeFields(generator, record, shape);
                generator.writeEndObject();
            }
            case JsonObject object -> writeValue(generator, object.values());
            default -> throw new IllegalArgumentException("not JSON: " + value.getClass());
        }
    }

    private static void writeFields(JsonGenerator generator, Record record, RecordShape shape) throws IOException {
        if (shape.content() != null) {
            generator.writeObjectFieldStart(shape.content());
        }
        for (RecordShape.Field field : shape.fields()) {
            Object value = field.valueOf(record);
            if (field.flat() && value instanceof Record inner) {
                RecordShape inside = RecordShape.of(inner.getClass());
                if (field.tagged() && inside.tagField() != null) {
                    generator.writeStringField(inside.tagField(), inside.tag());
                }
                writeFields(generator, inner, inside);
            } else if (value == null ? field.writeNull() : !isOmitted(field, value)) {
                generator.writeFieldName(field.name());
                writeValue(
                        generator, field.orWord() != null && Long.valueOf(-1).equals(value) ? field.orWord() : value);
            }
        }
        if (shape.content() != null) {
            generator.writeEndObject();
        }
    }

    private static boolean isOmitted(RecordShape.Field field, Object value) {
        if (field.byDefault() != null) {
            return field.byDefault()
                    .equals(value instanceof Enum<?> constant ? RecordReader.wireName(constant) : value);
        }
        return field.omitEmpty() && isEmpty(value);
    }

    private static boolean isEmpty(Object value) {
        return switch (value) {
            case Boolean flag -> !flag;
            case Number number -> number.doubleValue() == 0;
            case CharSequence text -> text.isEmpty();
            case List<?> list -> list.isEmpty();
            case Map<?, ?> map -> map.isEmpty();
            case JsonObject object -> object.isEmpty();
            default -> false;
        };
    }
}
