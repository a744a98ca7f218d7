package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.AgentTask;
import brig.formats.adapter.NativeLines;
import brig.protocol.wire.FrameType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every adapter for a native format, with hostile output. */
@Timeout(120)
class AdapterContractTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime());

    static Stream<Recording> recordings() {
        return Stream.of(
                Recording.of("claude", "subagent-fg-forward"),
                Recording.of("claude", "think-partial"),
                Recording.of("codex", "appserver-subagents-parallel"),
                Recording.of("acp", "acp-shell-subagent"),
                Recording.of("opencode", "serve-globalevent-subagent-nested"));
    }

    private static ScriptedTalk begun(String adapter) {
        ScriptedTalk talk = new ScriptedTalk(adapter);
        talk.dialogue.start();
        talk.dialogue.send("the prompt");
        return talk;
    }

    private static List<ScriptedTalk.Frame> framesOf(String adapter, byte[] output, int pieceMax, Random random) {
        ScriptedTalk talk = begun(adapter);
        for (int at = 0; at < output.length; ) {
            int length = Math.min(pieceMax == 1 ? 1 : 1 + random.nextInt(pieceMax), output.length - at);
            talk.says(Arrays.copyOfRange(output, at, at + length));
            at += length;
        }
        talk.ends();
        return talk.frames;
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldTellTheSameWhereverTheReadsSplitTheOutput(Recording recording) {
        byte[] output = recording.output();
        List<ScriptedTalk.Frame> whole = framesOf(recording.adapter(), output, Integer.MAX_VALUE - 1, new Random(0));
        assertTrue(whole.size() > 10);
        Random random = new Random(SEED);
        for (int pieceMax : new int[] {1, 2, 7, 100, 5000}) {
            assertEquals(whole, framesOf(recording.adapter(), output, pieceMax, random), "seed " + SEED);
        }
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldTellTheSameWhenKeysComeInAnotherOrder(Recording recording) throws IOException {
        StringBuilder turned = new StringBuilder();
        for (String line : new String(recording.output(), UTF_8).lines().toList()) {
            turned.append(reversed(MAPPER.readTree(line))).append('\n');
        }
        assertEquals(
                withoutRaw(framesOf(recording.adapter(), recording.output(), 1 << 30, new Random(0))),
                withoutRaw(framesOf(recording.adapter(), turned.toString().getBytes(UTF_8), 1 << 30, new Random(0))));
    }

    /** Without raw frames: those keep the order of keys of their line. */
    private static List<ScriptedTalk.Frame> withoutRaw(List<ScriptedTalk.Frame> frames) {
        return frames.stream().filter(frame -> frame.type() != FrameType.RAW).toList();
    }

    private static JsonNode reversed(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            Collections.reverse(names);
            ObjectNode turned = JsonNodeFactory.instance.objectNode();
            names.forEach(name -> turned.set(name, reversed(object.get(name))));
            return turned;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode turned = JsonNodeFactory.instance.arrayNode();
            array.forEach(element -> turned.add(reversed(element)));
            return turned;
        }
        return node;
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "acp", "opencode"})
    void shouldKeepTheLineWhenNobodyUnderstandsIt(String adapter) {
        for (String line : List.of(
                "{\"type\":\"hologram\",\"method\":\"holo/gram\",\"x\":[1,{\"y\":null}]}",
                "{}",
                "{\"type\":7,\"method\":[]}",
                "{\"type\":\"hologram\",\"method\":\"h\",\"id\":3}")) {
            ScriptedTalk talk = begun(adapter);
            int before = talk.frames.size();
            talk.says(line);
            assertEquals(
                    List.of(new ScriptedTalk.Frame(FrameType.RAW, java.util.Map.of("line", line))),
                    talk.frames.subList(before, talk.frames.size()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "acp", "opencode"})
    void shouldGoOnWhenALineIsNoJson(String adapter) {
        ScriptedTalk talk = begun(adapter);
        byte[][] lines = {
            "no json at all".getBytes(UTF_8),
            "{\"type\":".getBytes(UTF_8),
            "[1,2]".getBytes(UTF_8),
            "null".getBytes(UTF_8),
            "7".getBytes(UTF_8),
            "{} {}".getBytes(UTF_8),
            "{\"a\":1e999999}".getBytes(UTF_8),
            {'{', '"', (byte) 0xff, '"', ':', '1', '}'},
            {0, 0, '{', '}'},
            "\uFEFF{}".getBytes(UTF_8),
            "[".repeat(100_000).getBytes(UTF_8),
            ("{\"a\":".repeat(900) + "1" + "}".repeat(900)).getBytes(UTF_8),
            "{\"a\":".repeat(5000).getBytes(UTF_8),
            "{\"type\":\"\\ud800\",\"method\":\"\\udc00\"}".getBytes(UTF_8),
            "\r".getBytes(UTF_8),
            "   ".getBytes(UTF_8),
            "{\"id\":99999999999999999999999999,\"type\":\"x\"}".getBytes(UTF_8),
            ("{\"a\":" + "9".repeat(900) + "}").getBytes(UTF_8)
        };
        for (byte[] line : lines) {
            int before = talk.frames.size();
            talk.says(line);
            talk.says("\n");
            assertTrue(line.length < 2 || talk.frames.size() > before, () -> "no frame for " + new String(line, UTF_8));
        }
        int before = talk.frames.size();
        talk.says("{\"type\":\"the next\"}");
        assertEquals("{\"type\":\"the next\"}", talk.frames.get(before).text("line"));
        talk.ends();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "acp", "opencode"})
    void shouldTakeALineOfEightMebibytesAndLeaveOutALongerOne(String adapter) {
        ScriptedTalk talk = begun(adapter);
        String line = "{\"type\":\"hologram\",\"x\":\"" + "\\u0001é".repeat(1_040_000) + "\"}";
        assertTrue(line.getBytes(UTF_8).length > NativeLines.LINE_BYTES_MAX - 100_000);
        int before = talk.frames.size();
        talk.says(line);
        String kept = talk.frames.subList(before, talk.frames.size()).stream()
                .map(frame -> frame.text("line"))
                .collect(Collectors.joining());
        assertEquals(line, kept);
        before = talk.frames.size();
        talk.says("{\"type\":\"hologram\",\"x\":\"" + "y".repeat(NativeLines.LINE_BYTES_MAX) + "\"}");
        assertEquals("LINE_TOO_LONG", talk.frames.get(before).text("code"));
        talk.says("{\"type\":\"the next\"}");
        assertEquals("{\"type\":\"the next\"}", talk.frames.getLast().text("line"));
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldOutliveWhatAnAgentCouldWriteInstead(Recording recording) throws IOException {
        // Scenario: an agent writes mutated messages, with random values in random places.
        Random random = new Random(SEED);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : new String(recording.output(), UTF_8).lines().toList()) {
            lines.add(MAPPER.readTree(line));
        }
        ScriptedTalk talk = begun(recording.adapter());
        for (int i = 0; i < 3000; i++) {
            JsonNode line = lines.get(random.nextInt(lines.size())).deepCopy();
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                mutate(line, random);
            }
            talk.says(line.toString());
            if (i % 100 == 0) {
                talk.dialogue.send("another");
            } else if (i % 100 == 50) {
                talk.dialogue.cancel();
            }
        }
        int before = talk.frames.size();
        talk.says("{\"type\":\"the next\"}");
        assertEquals("{\"type\":\"the next\"}", talk.frames.get(before).text("line"), "seed " + SEED);
        talk.ends();
    }

    private static void mutate(JsonNode node, Random random) {
        if (node instanceof ObjectNode object && !object.isEmpty()) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            String name = names.get(random.nextInt(names.size()));
            if (object.get(name).isContainerNode() && random.nextInt(4) > 0) {
                mutate(object.get(name), random);
            } else {
                object.set(name, anything(random));
            }
        } else if (node instanceof ArrayNode array && !array.isEmpty()) {
            int index = random.nextInt(array.size());
            if (array.get(index).isContainerNode() && random.nextInt(4) > 0) {
                mutate(array.get(index), random);
            } else {
                array.set(index, anything(random));
            }
        }
    }

    private static JsonNode anything(Random random) {
        JsonNodeFactory of = JsonNodeFactory.instance;
        return switch (random.nextInt(9)) {
            case 0 -> of.nullNode();
            case 1 -> of.booleanNode(random.nextBoolean());
            case 2 -> of.numberNode(random.nextLong());
            case 3 -> of.numberNode(random.nextDouble());
            case 4 -> of.textNode("\uD83D" + random.nextInt());
            case 5 -> of.textNode("x\u0001\"\\\n".repeat(random.nextInt(random.nextInt(8) == 0 ? 40_000 : 40)));
            case 6 -> of.arrayNode().add(random.nextInt()).add("x");
            case 7 -> of.objectNode().put("type", "text").put("text", "t");
            default -> of.textNode("");
        };
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldKeepEachLineInFrontOfItsFramesWhenTheProfileSaysSo(Recording recording) {
        ScriptedTalk talk = new ScriptedTalk(
                recording.adapter(), new AgentTask("/workspace", null, null, null, true, ScriptedTalk.answering(true)));
        talk.dialogue.start();
        talk.dialogue.send("the prompt");
        talk.says(recording.output());
        String kept = talk.frames(FrameType.RAW).stream()
                .map(frame -> frame.text("line") + (frame.fields().containsKey("more") ? "" : "\n"))
                .collect(Collectors.joining());
        assertEquals(new String(recording.output(), UTF_8), kept);
        assertEquals(FrameType.RAW, talk.frames.getFirst().type());
        assertTrue(talk.frames.stream().anyMatch(frame -> frame.type() != FrameType.RAW));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "acp", "opencode"})
    void shouldTellStandardErrorAsItIs(String adapter) {
        ScriptedTalk talk = begun(adapter);
        talk.saysOnStderr("{\"a warning\":");
        assertEquals("{\"a warning\":", talk.frames.getLast().text("content"));
        assertEquals("stderr", talk.frames.getLast().text("stream"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "acp", "opencode"})
    void shouldTakeNoMessageWhenStandardInputIsClosed(String adapter) {
        ScriptedTalk talk = new ScriptedTalk(adapter);
        talk.dialogue.start();
        play(talk, adapter);
        talk.inputOpen = false;
        assertFalse(talk.dialogue.send("another"));
        assertFalse(talk.dialogue.cancel(), "nothing runs that could be cancelled");
    }

    private static void play(ScriptedTalk talk, String adapter) {
        switch (adapter) {
            case "codex" -> {
                talk.says("{\"id\":1,\"result\":{}}");
                talk.says("{\"id\":2,\"result\":{\"thread\":{\"id\":\"t\"}}}");
            }
            case "acp", "opencode" -> {
                talk.says("{\"id\":1,\"result\":{}}");
                talk.says("{\"id\":2,\"result\":{\"sessionId\":\"s\"}}");
            }
            default -> {}
        }
    }
}
