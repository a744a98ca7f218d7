package brig.formats.adapter;

import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes an agent's output as frames. It makes output of any size fit: text is split into several frames, structures
 * are shortened. Owned by the thread that reads the pipe.
 *
 * <p>Decision 0060.
 */
public final class AgentFrames {
    /** The bound for text in a frame; the rest is reserved for its other fields. */
    private static final int TEXT_BYTES_MAX = Limits.FRAME_BYTES_MAX - 8 * 1024;

    private static final int HEAD_BYTES_MAX = 64;
    private static final int NAME_BYTES_MAX = 256;
    private static final int SENTENCE_BYTES_MAX = 4000;

    private static final Pattern MESSAGE_ID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    private final FrameSink sink;
    private long nowMs;

    public AgentFrames(FrameSink sink) {
        this.sink = sink;
    }

    /** Sets the timestamp of the following frames. */
    public void at(long now) {
        nowMs = now;
    }

    /** Text of the agent; {@code thought} marks its reasoning. */
    public void said(@Nullable String agent, boolean thought, String content) throws InterruptedException {
        chunks(agent, null, thought ? Channel.THOUGHT : Channel.TEXT, content);
    }

    /**
     * A message to the agent that did not come through Brig.
     *
     * @param id the agent's own id of the message
     */
    public void asked(String id, String content) throws InterruptedException {
        String named = MESSAGE_ID.matcher(id).matches() ? id : "agent.message";
        int at = 0;
        for (int end = FrameText.end(content, 0, TEXT_BYTES_MAX);
                end < content.length();
                end = FrameText.end(content, at, TEXT_BYTES_MAX)) {
            put(new Frame.Message(named, content.substring(at, end), true, null, null));
            at = end;
        }
        put(new Frame.Message(named, content.substring(at), false, null, null));
    }

    /** A warning from the agent's program. */
    public void warned(@Nullable String agent, String sentence) throws InterruptedException {
        chunks(agent, null, Channel.STDERR, sentence + "\n");
    }

    /** Output of a running tool; the {@code tool} frame at its end repeats all of it. */
    public void toolWrites(@Nullable String agent, String tool, String content) throws InterruptedException {
        chunks(agent, tool, Channel.STDOUT, content);
    }

    private void chunks(@Nullable String agent, @Nullable String tool, Channel channel, String content)
            throws InterruptedException {
        for (int at = 0; at < content.length(); ) {
            int end = FrameText.end(content, at, TEXT_BYTES_MAX);
            put(new Frame.Chunk(agent, tool, channel, content.substring(at, end)));
            at = end;
        }
    }

    /** A tool call. Output too long for one frame is split; all pieces but the last have {@code more}. */
    public void tool(ToolCall call) throws InterruptedException {
        String output = call.output() == null ? "" : call.output();
        int at = 0;
        for (int end = FrameText.end(output, 0, TEXT_BYTES_MAX / 2);
                end < output.length();
                end = FrameText.end(output, at, TEXT_BYTES_MAX / 2)) {
            put(new Frame.Tool(
                    call.id(),
                    call.agent(),
                    null,
                    null,
                    null,
                    Progress.RUNNING,
                    null,
                    output.substring(at, end),
                    true));
            at = end;
        }
        put(new Frame.Tool(
                call.id(),
                call.agent(),
                call.name(),
                call.kind(),
                call.title(),
                call.status(),
                call.input(),
                call.output() == null ? null : output.substring(at),
                false));
    }

    /** A checkpoint of the agent's terminal; all pieces but the last have {@code more}. */
    public void screen(int cols, int rows, String content) throws InterruptedException {
        int at = 0;
        for (int end = FrameText.end(content, 0, TEXT_BYTES_MAX);
                end < content.length();
                end = FrameText.end(content, at, TEXT_BYTES_MAX)) {
            put(new Frame.Screen(cols, rows, content.substring(at, end), true));
            at = end;
        }
        put(new Frame.Screen(cols, rows, content.substring(at), false));
    }

    public void error(String code, String sentence) throws InterruptedException {
        error(new Frame.Failure(sentence, code));
    }

    /** A failure or a retry. */
    public void error(Frame.Failure failure) throws InterruptedException {
        put(failure.saying(FrameText.cut(failure.error(), SENTENCE_BYTES_MAX)));
    }

    /** The agent's line, unchanged. */
    public void raw(String line) throws InterruptedException {
        raw(line, false);
    }

    /** A line that is not JSON. */
    public void malformed(String line) throws InterruptedException {
        raw(line, true);
    }

    private void raw(String line, boolean malformed) throws InterruptedException {
        int at = rawPieces(line);
        put(new Frame.Raw(line.substring(at), false, malformed));
    }

    /** The beginning of a line that is too long. */
    public void truncated(String line) throws InterruptedException {
        Frame last = new Frame.Raw(line.substring(rawPieces(line)), false, false);
        append(last.type(), Frames.body(truncated(Frames.fields(nowMs, last))));
    }

    /** Writes all pieces but the last. @return the index at which the last piece begins */
    private int rawPieces(String line) throws InterruptedException {
        int at = 0;
        for (int end = FrameText.end(line, 0, TEXT_BYTES_MAX);
                end < line.length();
                end = FrameText.end(line, at, TEXT_BYTES_MAX)) {
            put(new Frame.Raw(line.substring(at, end), true, false));
            at = end;
        }
        return at;
    }

    /** Writes any frame. A frame that does not fit is shortened and marked with {@code truncated}. */
    public void put(Frame frame) throws InterruptedException {
        byte[] body = Frames.body(nowMs, frame);
        if (body.length + HEAD_BYTES_MAX > Limits.FRAME_BYTES_MAX) {
            JsonObject fields = Frames.fields(nowMs, frame);
            for (int textBytes = SENTENCE_BYTES_MAX;
                    body.length + HEAD_BYTES_MAX > Limits.FRAME_BYTES_MAX;
                    textBytes /= 4) {
                body = Frames.body(shortened(fields, textBytes));
            }
        }
        append(frame.type(), body);
    }

    private void append(FrameType type, byte[] body) throws InterruptedException {
        sink.append(type, body, body.length);
    }

    /** The fields with shortened texts; below a certain length, without structures. */
    private static JsonObject shortened(JsonObject fields, int textBytes) {
        JsonObject.Builder shorter = JsonObject.builder();
        for (String name : fields.names()) {
            Object value = fields.value(name);
            boolean structure = value instanceof JsonObject || value instanceof List;
            if (!structure || textBytes >= NAME_BYTES_MAX) {
                shorter.put(name, FrameText.shortened(value, textBytes));
            }
        }
        return truncated(shorter.build());
    }

    private static JsonObject truncated(JsonObject fields) {
        return fields.with("truncated", true);
    }
}
