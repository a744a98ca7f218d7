package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.MultiplexLine;
import brig.protocol.frame.NumberedFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The schemas of streams and connections say what the records say. */
class FrameSchemasTest {
    /** What the schema says of each type: the definition that its {@code then} names. */
    private static Map<String, JsonObject> byType(JsonObject schema) {
        Map<String, JsonObject> definitions = new TreeMap<>();
        for (JsonObject rule : schema.objects("allOf")) {
            String type = rule.object("if").object("properties").object("type").text("const", "");
            definitions.put(type, rule.object("then"));
        }
        return definitions;
    }

    private static List<String> differences(JsonObject schema, Class<?> tagged, Map<String, JsonObject> byType) {
        List<String> differences = new ArrayList<>();
        RecordShape.Kinds kinds = RecordShape.kinds(tagged);
        byType.forEach((type, definition) -> {
            Class<?> kind = kinds.named(type);
            differences.addAll(
                    kind == null
                            ? List.of("there is no record of the type " + type)
                            : RecordSchema.differences(
                                    schema, definition, kind, kind == Frame.Egress.class ? "kind" : ""));
        });
        return differences;
    }

    @Test
    void shouldDescribeEveryFrame() {
        JsonObject schema = RecordSchema.named("frame");
        Map<String, JsonObject> byType = byType(schema);
        assertEquals(new TreeSet<>(RecordShape.kinds(Frame.class).tags()), new TreeSet<>(byType.keySet()));
        assertEquals(List.of(), differences(schema, Frame.class, byType));
    }

    @Test
    void shouldDescribeWhatEveryFrameHas() {
        JsonObject schema = RecordSchema.named("frame");
        Set<String> common = new HashSet<>();
        for (RecordShape.Field field : RecordShape.of(NumberedFrame.class).fields()) {
            if (!field.flat()) {
                common.add(field.name());
                assertEquals(!field.omitEmpty(), schema.texts("required").contains(field.name()), () -> field.name());
            }
        }
        assertEquals(common, schema.object("properties").names());
    }

    @Test
    void shouldDescribeEveryLineAboutAConnection() {
        JsonObject schema = RecordSchema.named("connection");
        Set<String> types =
                new TreeSet<>(schema.object("properties").object("type").texts("enum"));
        assertEquals(new TreeSet<>(RecordShape.kinds(ConnectionLine.class).tags()), types);
        Map<String, JsonObject> byType = byType(schema);
        types.removeAll(byType.keySet());
        assertEquals(Set.of("pong"), types, "no fields are described of what has none");
        assertEquals(List.of(), differences(schema, ConnectionLine.class, byType));
    }

    @Test
    void shouldDescribeWhatACaptainSends() {
        JsonObject schema = RecordSchema.named("captain");
        JsonObject definitions = schema.object("$defs");
        assertEquals(
                List.of(), RecordSchema.differences(schema, definitions.object("auth"), CaptainLine.Auth.class, ""));
        assertEquals(
                List.of(),
                RecordSchema.differences(schema, definitions.object("message"), CaptainLine.UserMessage.class, ""));
        requireDescribed(schema, "action", CaptainLine.Action.class, List.of("action", "answerAsk"));
        requireDescribed(schema, "type", CaptainLine.AtTerminal.class, List.of("keys", "resize"));
    }

    @Test
    void shouldDescribeWhatIsSentOnAConnectionOfManySessions() {
        JsonObject schema = RecordSchema.named("multiplex");
        JsonObject definitions = schema.object("$defs");
        assertEquals(
                List.of(), RecordSchema.differences(schema, definitions.object("auth"), CaptainLine.Token.class, ""));
        requireDescribed(
                schema,
                "action",
                MultiplexLine.class,
                List.of(
                        "subscribe",
                        "send",
                        "other",
                        "answerAsk",
                        "keys",
                        "resize",
                        "ack",
                        "followAsks",
                        "followSessions",
                        "ping"));
    }

    /** Those definitions describe each record of the type, and nothing else. */
    private static void requireDescribed(JsonObject schema, String tag, Class<?> type, List<String> definitions) {
        RecordShape.Kinds kinds = RecordShape.kinds(type);
        Set<String> described = new TreeSet<>();
        for (String name : definitions) {
            JsonObject definition = schema.object("$defs").object(name);
            JsonObject action = definition.object("properties").object(tag);
            List<String> actions = action.has("const") ? List.of(action.text("const", "")) : action.texts("enum");
            for (String one : actions) {
                described.add(one);
                assertEquals(List.of(), RecordSchema.differences(schema, definition, kinds.named(one), tag), one);
            }
        }
        assertEquals(new TreeSet<>(kinds.tags()), described);
    }

    @Test
    void shouldFindWhatDiffers() {
        JsonObject schema = JsonObject.read("""
                {"required":["from","reason"],"properties":{"from":{"type":"string"},"to":{"type":"integer"},"reason":{"type":"string"},"more":{}}}
                """.getBytes(StandardCharsets.UTF_8));
        List<String> found = RecordSchema.differences(schema, schema, ConnectionLine.Gap.class, "");
        assertEquals(
                List.of(
                        "Gap has [epoch, from, reason, to], its schema [from, more, reason, to]",
                        "Gap.from is of the type integer, by its schema string",
                        "Gap.to is always there, required are [from, reason]"),
                found);
        assertTrue(RecordSchema.differences(schema, schema, Frame.Raw.class, "").size() > 1);
    }
}
