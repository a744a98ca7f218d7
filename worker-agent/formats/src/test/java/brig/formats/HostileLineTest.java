package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.NativeJson;
import brig.formats.adapter.NativeLines;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Lines that would cost far more than their bytes: other agents of the same event loop wait for each line. */
@Timeout(120)
@Isolated("one test takes the memory for long lines, which all adapters share")
class HostileLineTest {
    private static final int BUDGET_LINES = 6;

    private static String lines(ScriptedTalk talk) {
        return talk.frames(FrameType.RAW).stream()
                .map(frame -> frame.text("line"))
                .collect(Collectors.joining());
    }

    /** A tool call with that argument. */
    private static String call(String argument) {
        return "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\","
                + "\"name\":\"Bash\",\"input\":{\"a\":" + argument + "}}]}}";
    }

    @Test
    void shouldPassOnALineOfTooManyValuesUnread() {
        for (String value : List.of("{},", "[],", "1,", "\"a\",", "[[[[[]]]]],")) {
            ScriptedTalk talk = new ScriptedTalk("claude");
            String many = call("[" + value.repeat(30_000) + "1]");
            talk.says(many);
            assertEquals(many, lines(talk));
            assertEquals(List.of(), talk.frames(FrameType.TOOL));
        }
    }

    @Test
    void shouldCountStructuresThatAreTooDeepToBeKept() {
        ScriptedTalk talk = new ScriptedTalk("claude");
        String deep = call(("[".repeat(500) + "]".repeat(500)).transform(one -> "[" + (one + ",").repeat(100) + "1]"));
        talk.says(deep);
        assertEquals(deep, lines(talk));
    }

    @Test
    void shouldReadALineOfManyValues() {
        ScriptedTalk talk = new ScriptedTalk("claude");
        talk.says(call("[" + "{},".repeat(10_000) + "1]"));
        assertEquals(List.of(), talk.frames(FrameType.RAW));
        assertEquals(1, talk.frames(FrameType.TOOL).size());
    }

    @Test
    void shouldNotKeepNamesThatAnAgentChooses() {
        String name = UUID.randomUUID().toString();
        byte[] line = ("{\"" + name + "\":1}").getBytes(UTF_8);
        JsonObject read = Objects.requireNonNull(NativeJson.read(line, 0, line.length));
        String kept = read.names().iterator().next();
        assertEquals(name, kept);
        assertNotSame(kept, name.intern());
    }

    @Test
    void shouldSplitTextOfLateControlCharactersAndCutNoneOff() {
        for (String control : List.of("\u007f", "\u0080", "\u009f")) {
            ScriptedTalk talk = new ScriptedTalk("claude");
            String text = control.repeat(100_000);
            talk.says("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":"
                    + "{\"type\":\"text_delta\",\"text\":\"" + text + "\"}}}");
            assertEquals(text, talk.said("text"));
        }
    }

    @Test
    void shouldLeaveOutALineAtOnceWhenOthersHaveTheMemory() throws InterruptedException {
        // Scenario: a thread that waits would be interrupted; whoever holds the memory may be read by the same thread.
        List<String> told = new ArrayList<>();
        byte[] almost = new byte[NativeLines.LINE_BYTES_MAX - 1];
        Arrays.fill(almost, (byte) 'x');
        List<NativeLines> holders = new ArrayList<>();
        try {
            for (int i = 0; i < BUDGET_LINES; i++) {
                holders.add(new NativeLines(new Told(told)));
                holders.getLast().read(almost, 0, almost.length);
            }
            assertEquals(List.of(), told);
            NativeLines late = new NativeLines(new Told(told));
            Thread.currentThread().interrupt();
            late.read(almost, 0, 100_000);
            assertTrue(Thread.interrupted());
            assertEquals(List.of("long line"), told);
            late.read("\nnext\n".getBytes(UTF_8), 0, 6);
            assertEquals(List.of("long line", "next"), told);
        } finally {
            for (NativeLines holder : holders) {
                holder.finish();
            }
        }
    }

    private static String event(String type, String properties) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"opencode/event\",\"params\":{\"type\":\"" + type
                + "\",\"properties\":" + properties + "}}";
    }

    /** What a sub-agent of OpenCode reports with that output of its call. */
    private static String report(String output) {
        ScriptedTalk talk = new ScriptedTalk("opencode");
        talk.says(event(
                "message.part.updated",
                "{\"sessionID\":\"parent\",\"part\":{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"task\",\"state\":"
                        + "{\"status\":\"completed\",\"metadata\":{\"sessionId\":\"child\"},\"output\":\"" + output
                        + "\"}}}"));
        return talk.frames(FrameType.SUBAGENT).getLast().text("summary");
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldFindTheResultOfASubAgentHoweverOftenItSeemsToBegin() {
        assertEquals("a\nb", report("x<task_result>\\na\\nb\\n</task_result> y</task_result>"));
        assertEquals("a", report("<task_result>a</task_result>"));
        assertEquals("", report("<task_result>\\n</task_result>"));
        assertEquals("a</task_result>", report("a</task_result>"));
        String endless = "<task_result>".repeat(150_000);
        assertTrue(report(endless).startsWith("<task_result><task_result>"));
    }

    private record Told(List<String> told) implements NativeLines.Sink {
        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            told.add(length > 100 ? "line" : new String(bytes, offset, length, UTF_8));
        }

        @Override
        public void handleLongLine(byte[] bytes, int length) {
            told.add("long line");
        }
    }
}
