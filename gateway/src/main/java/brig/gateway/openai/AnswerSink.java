package brig.gateway.openai;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.telemetry.Transport;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One turn of a session, told as a model tells its answer: the agent's own words are the text; what it thinks, its
 * tools, its sub-agents and what the wall refused are shown beside it. The first {@code done} ends it. A client that
 * leaves is told nothing more, and the turn still goes to its end. Owned by the event loop.
 */
public final class AnswerSink implements FrameSink {
    /** Streams of what an agent says; a program that is no known agent says it on its standard output. */
    private static final Set<String> OWN = Set.of("text", "stdout");

    private final Consumer<End> ended;
    private final ToolNotes tools = new ToolNotes();
    private @Nullable Answer answer;
    private @Nullable ApiError error;
    private boolean over;

    /** How it ended: with so many tokens, or by a failure. */
    public record End(Answer.Usage usage, @Nullable ApiError failure) {}

    /** @param ended called once, when the turn is over; the answer is not ended yet */
    public AnswerSink(Answer answer, Consumer<End> ended) {
        this.answer = answer;
        this.ended = ended;
    }

    /** Nobody waits for the answer any more. */
    public void abandon() {
        answer = null;
    }

    @Override
    public boolean isWritable() {
        return answer == null || answer.isWritable();
    }

    @Override
    public Transport transport() {
        return Transport.MODEL;
    }

    @Override
    public void write(FrameBatch batch) {
        ByteBuf lines = batch.lines();
        byte[] bytes = ByteBufUtil.getBytes(lines);
        lines.release();
        handleLines(bytes);
    }

    /** Takes whole frames, each with its newline. */
    void handleLines(byte[] bytes) {
        int start = 0;
        for (int i = 0; i < bytes.length && !over; i++) {
            if (bytes[i] == '\n') {
                handleFrame(new Fields(Json.parseObject(bytes, start, i - start)));
                start = i + 1;
            }
        }
    }

    private void handleFrame(Fields frame) {
        switch (frame.text("type", "")) {
            case "chunk" -> handleChunk(frame);
            case "tool" -> think(tools.handle(frame));
            case "subagent" -> handleSubAgent(frame);
            case "egress" -> handleEgress(frame);
            case "error" -> handleError(frame);
            case "done" -> handleDone(frame);
            case "state" -> {
                if (frame.text("state", "").equals("terminated")) {
                    end();
                }
            }
            default -> {}
        }
    }

    private void handleChunk(Fields frame) {
        String stream = frame.text("stream", "");
        boolean own = !frame.has("agent") && !frame.has("tool") && OWN.contains(stream);
        String content = frame.text("content", "");
        if (answer != null && own) {
            answer.text(content);
        } else {
            think(frame.has("tool") ? tools.handleOutput(frame.text("tool", ""), content) : content);
        }
    }

    private void handleSubAgent(Fields frame) {
        if (frame.text("status", "").equals("spawned")) {
            note("sub-agent " + frame.text("subagent_type", "") + ": " + frame.text("prompt", ""));
        }
    }

    private void handleEgress(Fields frame) {
        String kind = frame.text("kind", "");
        if (kind.equals("blocked") || kind.equals("ask")) {
            note(kind + ": " + frame.text("method", "") + " " + frame.text("host", ""));
        }
    }

    private void handleError(Fields frame) {
        if (frame.flag("retrying") || frame.has("agent")) {
            note(frame.text("code", "") + ": " + frame.text("error", ""));
        } else {
            error = ApiError.ofAgent(
                    frame.text("code", ""), frame.text("error", ""), (int) frame.number("status", 0, 999, 0));
        }
    }

    private void handleDone(Fields frame) {
        long exitCode = frame.number("exitCode", Integer.MIN_VALUE, Integer.MAX_VALUE, 0);
        if (error != null && exitCode != 0) {
            end(new End(Answer.Usage.UNKNOWN, error));
            return;
        }
        if (exitCode != 0) {
            note("exit code " + exitCode);
        }
        Fields usage = frame.object("usage");
        end(new End(
                new Answer.Usage(
                        usage.number("input_tokens", 0, Long.MAX_VALUE, 0),
                        usage.number("output_tokens", 0, Long.MAX_VALUE, 0)),
                null));
    }

    private void end(End end) {
        if (!over) {
            over = true;
            ended.accept(end);
        }
    }

    private void note(String text) {
        think("\n[" + text + "]\n");
    }

    private void think(String text) {
        if (answer != null && !text.isEmpty()) {
            answer.thought(text);
        }
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        note("frames " + from + " to " + to + " are lost: " + reason.wireName());
    }

    @Override
    public void notice(ErrorCode code, String message) {
        note(code + ": " + message);
    }

    @Override
    public void throttled(boolean throttled) {
        // A client that reads slowly knows it.
    }

    @Override
    public void flush() {
        // Each piece goes out as it is written.
    }

    @Override
    public void end() {
        end(new End(Answer.Usage.UNKNOWN, error != null ? error : ApiError.workerLost()));
    }
}
