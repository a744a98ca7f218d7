package brig.protocol.json;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads a few members of a large document of others, and skips what else it has. */
public final class JsonMembers {
    /** Documents of others may be deeper than messages of Brig. */
    private static final int DEPTH_MAX = 500;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    private JsonMembers() {}

    /**
     * The members of an object that have these names, which are in lower case. What is null is absent. Texts and whole
     * numbers in the range of a long are themselves, anything else is {@link Boolean#TRUE}.
     *
     * @throws BrigException {@code MALFORMED_JSON}, also where readers may disagree: a name that is there twice, or with
     *     capital letters
     */
    public static Map<String, Object> read(byte[] document, Set<String> names) {
        Map<String, Object> found = new LinkedHashMap<>();
        try (JsonParser parser = FACTORY.createParser(document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "not a JSON object");
            }
            for (JsonToken token = parser.nextToken(); token == JsonToken.FIELD_NAME; token = parser.nextToken()) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                boolean wanted = names.contains(name);
                if (!wanted && names.contains(name.toLowerCase(Locale.ROOT))) {
                    throw new BrigException(ErrorCode.MALFORMED_JSON, "a name has capital letters");
                }
                if (wanted && value != JsonToken.VALUE_NULL && found.put(name, valueOf(parser)) != null) {
                    throw new BrigException(ErrorCode.MALFORMED_JSON, "a name is there twice");
                }
                parser.skipChildren();
            }
            if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "malformed JSON");
            }
        } catch (IOException e) {
            throw Json.malformed(e);
        }
        return found;
    }

    private static Object valueOf(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? true : parser.getLongValue();
            default -> true;
        };
    }
}
