package brig.formats.adapter;

import brig.protocol.Limits;
import brig.protocol.wire.FrameType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames that an agent's own words become. Whatever an agent wrote fits: text is cut into several frames,
 * structures are shortened. Owned by the thread that reads the pipe.
 *
 * <p>Decision 0060.
 */
public final class AgentFrames {
    /** What the other fields of a frame with text may take. */
    private static final int TEXT_BYTES_MAX = Limits.FRAME_BYTES_MAX - 8 * 1024;

    private static final int HEAD_BYTES_MAX = 64;
    private static final int NAME_BYTES_MAX = 256;
    private static final int SENTENCE_BYTES_MAX = 4000;

    private final FrameSink sink;
    private long nowMs;

    public AgentFrames(FrameSink sink) {
        this.sink = sink;
    }

    /** The time of the frames from here on. */
    public void at(long now) {
        nowMs = now;
    }

    /** Fields in the order given; those that are null are left out. */
    public static Map<String, Object> fields(@Nullable Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            if (value != null) {
                fields.put(String.valueOf(namesAndValues[i]), value);
            }
        }
        return fields;
    }

    /** What the agent says; {@code thought} is what it thinks aloud. */
    public void said(@Nullable String agent, boolean thought, String content) throws InterruptedException {
        chunks(fields("agent", agent, "stream", thought ? "thought" : "text"), content);
    }

    /**
     * What the agent was asked, by somebody who did not ask through Brig.
     *
     * @param id the agent's own of the message
     */
    public void asked(String id, String content) throws InterruptedException {
        int at = 0;
        for (int end = FrameText.end(content, 0, TEXT_BYTES_MAX);
                end < content.length();
                end = FrameText.end(content, at, TEXT_BYTES_MAX)) {
            put(FrameType.MESSAGE, fields("message_id", id, "content", content.substring(at, end), "more", true));
            at = end;
        }
        put(FrameType.MESSAGE, fields("message_id", id, "content", content.substring(at)));
    }

    /** What the agent's program says about itself. */
    public void warned(@Nullable String agent, String sentence) throws InterruptedException {
        chunks(fields("agent", agent, "stream", "stderr"), sentence + "\n");
    }

    /** What a tool writes while it runs; the frame {@code tool} of its end has all of it again. */
    public void toolWrites(@Nullable String agent, String tool, String content) throws InterruptedException {
        chunks(fields("agent", agent, "tool", tool, "stream", "stdout"), content);
    }

    private void chunks(Map<String, Object> fields, String content) throws InterruptedException {
        for (int at = 0; at < content.length(); ) {
            int end = FrameText.end(content, at, TEXT_BYTES_MAX);
            fields.put("content", content.substring(at, end));
            put(FrameType.CHUNK, fields);
            at = end;
        }
    }

    /** A tool call; output that is too long for one frame comes in pieces, all but the last with {@code more}. */
    public void tool(ToolCall call) throws InterruptedException {
        String output = call.output() == null ? "" : call.output();
        int at = 0;
        for (int end = FrameText.end(output, 0, TEXT_BYTES_MAX / 2);
                end < output.length();
                end = FrameText.end(output, at, TEXT_BYTES_MAX / 2)) {
            put(
                    FrameType.TOOL,
                    fields(
                            "id",
                            call.id(),
                            "agent",
                            call.agent(),
                            "status",
                            "running",
                            "output",
                            output.substring(at, end),
                            "more",
                            true));
            at = end;
        }
        put(
                FrameType.TOOL,
                fields(
                        "id",
                        call.id(),
                        "agent",
                        call.agent(),
                        "name",
                        call.name(),
                        "kind",
                        call.kind(),
                        "title",
                        call.title(),
                        "status",
                        call.status().wireName(),
                        "input",
                        call.input(),
                        "output",
                        call.output() == null ? null : output.substring(at)));
    }

    /**
     * Something failed, or is tried again.
     *
     * @param more fields such as {@code retrying}
     */
    public void error(String code, String sentence, Map<String, Object> more) throws InterruptedException {
        Map<String, Object> fields = fields("error", FrameText.cut(sentence, SENTENCE_BYTES_MAX), "code", code);
        fields.putAll(more);
        put(FrameType.ERROR, fields);
    }

    /**
     * A line as the agent wrote it.
     *
     * @param more {@code malformed} or {@code truncated}
     */
    public void raw(String line, Map<String, Object> more) throws InterruptedException {
        int at = 0;
        for (int end = FrameText.end(line, 0, TEXT_BYTES_MAX);
                end < line.length();
                end = FrameText.end(line, at, TEXT_BYTES_MAX)) {
            put(FrameType.RAW, fields("line", line.substring(at, end), "more", true));
            at = end;
        }
        Map<String, Object> fields = fields("line", line.substring(at));
        fields.putAll(more);
        put(FrameType.RAW, fields);
    }

    /** Any frame. What does not fit is shortened, and the frame says so with {@code truncated}. */
    public void put(FrameType type, Map<String, ?> fields) throws InterruptedException {
        byte[] body = Frames.body(nowMs, fields);
        for (int textBytes = SENTENCE_BYTES_MAX;
                body.length + HEAD_BYTES_MAX > Limits.FRAME_BYTES_MAX;
                textBytes /= 4) {
            body = Frames.body(nowMs, shortened(fields, textBytes));
        }
        sink.append(type, body, body.length);
    }

    /** The fields with short texts; below some length, without the structures. */
    private static Map<String, Object> shortened(Map<String, ?> fields, int textBytes) {
        Map<String, Object> shorter = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            boolean structure = value instanceof Map || value instanceof List;
            if (!structure || textBytes >= NAME_BYTES_MAX) {
                shorter.put(name, shortened(value, textBytes));
            }
        });
        shorter.put("truncated", true);
        return shorter;
    }

    private static @Nullable Object shortened(@Nullable Object value, int textBytes) {
        return switch (value) {
            case String text -> FrameText.cut(text, textBytes);
            case Map<?, ?> map -> {
                Map<String, Object> shorter = new LinkedHashMap<>();
                map.entrySet().stream()
                        .limit(textBytes / 32)
                        .forEach(entry -> shorter.put(
                                FrameText.cut(String.valueOf(entry.getKey()), NAME_BYTES_MAX),
                                shortened(entry.getValue(), textBytes)));
                yield shorter;
            }
            case List<?> list -> {
                List<@Nullable Object> shorter = new ArrayList<>();
                list.stream().limit(textBytes / 32).forEach(element -> shorter.add(shortened(element, textBytes)));
                yield shorter;
            }
            case null, default -> value;
        };
    }
}
