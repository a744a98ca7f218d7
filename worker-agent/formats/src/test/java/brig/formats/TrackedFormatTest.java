package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.TrackedOutputReader;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded output of agents that another program controls. */
class TrackedFormatTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    /** Frames of ends and requests, which the controlling program handles. */
    private static final Set<FrameType> OF_A_DIALOGUE = Set.of(FrameType.DONE, FrameType.PERMISSION);

    static List<Recording> oneShots() {
        return Stream.of("opencode-json", "codex-json")
                .flatMap(format -> Recording.all(format).stream())
                .toList();
    }

    static List<Recording> claude() {
        return Recording.all("claude");
    }

    private static List<String> listen(String format, byte[] output) {
        List<String> told = new ArrayList<>();
        TrackedOutputReader reader = open(format, told, Path.of("/nowhere"));
        try {
            reader.read(output, 0, output.length, 1);
            reader.finish(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return told;
    }

    private static TrackedOutputReader open(String format, List<String> told, Path home) {
        return TrackedFormat.named(format)
                .orElseThrow()
                .open(
                        (type, body, length) -> {
                            byte[] object = new String(body, 0, length, UTF_8)
                                    .replaceFirst(",", "{")
                                    .getBytes(UTF_8);
                            Map<String, Object> fields = new LinkedHashMap<>(Json.parseObject(object));
                            fields.remove("ts");
                            told.add(type.wireName() + " " + ScriptedTalk.json(fields));
                        },
                        Map.of("HOME", home.toString()));
    }

    @ParameterizedTest
    @MethodSource("oneShots")
    void shouldTellTheSameWhenARecordingIsPlayed(Recording recording) throws IOException {
        List<String> told = listen(recording.adapter(), recording.output());
        Path file = GOLDEN.resolve(recording.adapter()).resolve(recording.name() + ".txt");
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(file.getParent());
            Files.write(file, told);
        }
        assertEquals(String.join("\n", Files.readAllLines(file)), String.join("\n", told));
        assertTrue(
                told.stream().noneMatch(frame -> frame.startsWith("raw ")), () -> "every line is understood: " + told);
    }

    @ParameterizedTest
    @MethodSource("claude")
    void shouldTellWhatTheAdapterTellsButForTheDialogue(Recording recording) {
        List<String> adapters = recording.play().frames.stream()
                .filter(frame -> !OF_A_DIALOGUE.contains(frame.type()) && !isOfCancelled(frame))
                .map(frame -> frame.type().wireName() + " " + ScriptedTalk.json(frame.fields()))
                .toList();
        List<String> told = listen("claude-stream-json", recording.output()).stream()
                .filter(frame -> !frame.startsWith("permission ") && !frame.contains("\"AGENT_ERROR\""))
                .toList();
        assertEquals(String.join("\n", adapters), String.join("\n", told));
    }

    /** The failure of a cancelled turn: an adapter that cancelled it leaves that frame out. */
    private static boolean isOfCancelled(ScriptedTalk.Frame frame) {
        return frame.type() == FrameType.ERROR && frame.text("code").equals("AGENT_ERROR");
    }

    private static final String SESSION = "5d0e3f1c-0000-4000-8000-000000000001";

    private static String said(String id, String text) {
        return "{\"type\":\"assistant\",\"isSidechain\":true,\"agentId\":\"a1\",\"sessionId\":\"" + SESSION
                + "\",\"message\":{\"id\":\"" + id
                + "\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" + text
                + "\"}]}}\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"SESSION/subagents/agent-a1.jsonl", "agent-a1.jsonl"})
    void shouldTellFromTranscriptsWhatStandardOutputDoesNot(String place, @TempDir Path home) throws Exception {
        // Scenario: the transcript exists before standard output names its sub-agent. Then it grows, also in the middle
        // of a line. Content in both is reported once, whichever comes first.
        List<String> told = new ArrayList<>();
        TrackedOutputReader listener = open("claude-stream-json", told, home);
        Path file = home.resolve(".claude/projects/-home-dev-proj").resolve(place.replace("SESSION", SESSION));
        Files.createDirectories(file.getParent());
        Files.createDirectories(home.resolve(".claude/projects/-home-dev-proj").resolve(SESSION));
        Files.writeString(
                file, said("m1", "one") + said("m0", "of another session").replace(SESSION, "other"));
        say(listener, "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"" + SESSION + "\"}\n");
        listener.look(1);
        assertEquals(1, told.size(), "it waits until it is named");
        say(
                listener,
                "{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"a1\",\"task_type\":\"local_agent\","
                        + "\"session_id\":\"" + SESSION + "\",\"tool_use_id\":\"t1\",\"spawn_depth\":1}\n");
        listener.look(1);
        String two = said("m2", "two");
        Files.writeString(file, two.substring(0, 30), StandardOpenOption.APPEND);
        listener.look(1);
        Files.writeString(file, two.substring(30) + said("m3", "three"), StandardOpenOption.APPEND);
        say(listener, said("m3", "three").replace("\"agentId\"", "\"agent_id\""));
        listener.look(1);
        say(listener, said("m2", "two").replace("\"agentId\"", "\"agent_id\""));
        listener.finish(1);
        assertEquals(
                "one three two",
                told.stream()
                        .filter(frame -> frame.startsWith("chunk "))
                        .peek(frame -> assertTrue(frame.contains("\"agent\":\"a1\""), frame))
                        .map(frame -> frame.replaceAll(".*\"content\":\"([a-z ]*)\".*", "$1"))
                        .collect(Collectors.joining(" ")));
    }

    private static void say(TrackedOutputReader listener, String line) throws InterruptedException {
        listener.read(line.getBytes(UTF_8), 0, line.getBytes(UTF_8).length, 1);
    }

    @Test
    void shouldKnowProgramsAndFormatsByName() {
        assertEquals(TrackedFormat.CODEX, TrackedFormat.of("codex").orElseThrow());
        assertEquals("opencode-json", TrackedFormat.of("opencode").orElseThrow().format());
        assertTrue(TrackedFormat.named("text").isEmpty());
    }

    @Test
    void shouldAddTheOptionsThatMakeAnAgentWriteWhatCanBeRead() {
        assertEquals(
                List.of("claude", "--output-format", "stream-json", "--verbose", "-p", "Fix it"),
                TrackedFormat.CLAUDE.spoken(List.of("claude", "-p", "Fix it")));
        assertEquals(
                List.of("claude", "--verbose", "-p", "--output-format", "stream-json", "Fix it"),
                TrackedFormat.CLAUDE.spoken(List.of("claude", "-p", "--output-format", "stream-json", "Fix it")));
        assertEquals(
                List.of("opencode", "run", "--format", "json", "Fix it"),
                TrackedFormat.OPENCODE.spoken(List.of("opencode", "run", "Fix it")));
        assertEquals(
                List.of("codex", "exec", "--json", "Fix it"),
                TrackedFormat.CODEX.spoken(List.of("codex", "exec", "Fix it")));
        for (String own : List.of("claude", "claude -p --output-format=text Fix", "claude mcp list")) {
            assertEquals(
                    List.of(own.split(" ")),
                    TrackedFormat.CLAUDE.spoken(List.of(own.split(" "))),
                    "the command of a person stays unchanged");
        }
    }
}
