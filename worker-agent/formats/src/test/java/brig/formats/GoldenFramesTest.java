package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The frames of each recorded run of a real agent, in files that a reviewer reads. A line that begins with > was
 * written to the agent. {@code ./gradlew -Dgolden.update=true :worker-agent:formats:test -Ptests=GoldenFrames} rewrites
 * the files.
 */
class GoldenFramesTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final int TEXT_MAX = 400;

    static List<Recording> recordings() {
        return Stream.of("claude", "codex", "acp", "opencode")
                .flatMap(adapter -> Recording.all(adapter).stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldTellTheSameWhenARecordingIsPlayed(Recording recording) throws IOException {
        List<String> told = new ArrayList<>();
        for (Object what : recording.play().happened) {
            told.add(
                    switch (what) {
                        case ScriptedTalk.Frame frame ->
                            frame.type().wireName() + " " + ScriptedTalk.json(shortened(frame.fields()));
                        // The order of keys is not part of the contract.
                        case Map<?, ?> message -> "> " + ScriptedTalk.json(shortened(sorted(message)));
                        default -> "-- " + what;
                    });
        }
        Path file = GOLDEN.resolve(recording.adapter()).resolve(recording.name() + ".txt");
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(file.getParent());
            Files.write(file, told);
        }
        assertEquals(String.join("\n", Files.readAllLines(file)), String.join("\n", told));
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void shouldUnderstandEveryLineWhenTheVersionIsTheRecordedOne(Recording recording) {
        List<String> unknown = recording.play().frames(FrameType.RAW).stream()
                .map(frame -> frame.text("line"))
                .toList();
        assertTrue(unknown.isEmpty(), () -> unknown.size() + " lines such as " + unknown.getFirst());
    }

    private static Map<?, ?> sorted(Map<?, ?> message) {
        Map<String, Object> sorted = new TreeMap<>();
        message.forEach((name, value) -> sorted.put(
                String.valueOf(name),
                switch (value) {
                    case Map<?, ?> inner -> sorted(inner);
                    case List<?> list ->
                        list.stream()
                                .map(element -> element instanceof Map<?, ?> inner ? sorted(inner) : element)
                                .toList();
                    case null, default -> value;
                }));
        return sorted;
    }

    /** Shortens long texts and adds their length. */
    private static Map<String, Object> shortened(Map<?, ?> fields) {
        Map<String, Object> shorter = new LinkedHashMap<>();
        fields.forEach((name, value) -> shorter.put(String.valueOf(name), shortened(value)));
        return shorter;
    }

    private static Object shortened(Object value) {
        return switch (value) {
            case String text
            when text.length() > TEXT_MAX ->
                text.substring(0, TEXT_MAX) + "… (" + text.length() + ", hash " + text.hashCode() + ")";
            case Map<?, ?> map -> shortened(map);
            case List<?> list -> list.stream().map(GoldenFramesTest::shortened).toList();
            case null, default -> value;
        };
    }
}
