package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import brig.workeragent.mock.ClaudeLine.Block;
import brig.workeragent.mock.ClaudeLine.SystemEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes lines of Claude Code, limited to what matters. Thread-safe. */
final class MockOutput {
    private static final String SESSION = "00000000-0000-4000-8000-000000000001";

    private final OutputStream out;
    private int messages;

    MockOutput(OutputStream out) {
        this.out = out;
    }

    synchronized void bytes(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void line(Record line) {
        bytes(Json.writeLine(line));
    }

    private void system(SystemEvent event) {
        line(new ClaudeLine.SystemLine(event, SESSION));
    }

    void complain(String sentence) {
        System.err.println("brig-mock: " + sentence);
    }

    void state(String state) {
        system(new SystemEvent.SessionStateChanged(state));
    }

    void init() {
        system(new SystemEvent.Init("mock", "brig-mock"));
    }

    void controlAnswered(String request) {
        line(new ClaudeLine.ControlResponse(new ClaudeLine.Answer.Success(request)));
    }

    /** Begins a message of the main agent, whose text comes in pieces. */
    void beginMessage() {
        messages++;
        event(new ClaudeLine.Event.MessageStart(new ClaudeLine.MessageId("msg_" + messages)));
    }

    void piece(String text, boolean thought) {
        event(new ClaudeLine.Event.ContentBlockDelta(
                thought ? new ClaudeLine.Delta.ThinkingDelta(text) : new ClaudeLine.Delta.TextDelta(text)));
    }

    private void event(ClaudeLine.Event event) {
        line(new ClaudeLine.StreamEvent(event, SESSION));
    }

    /** The full text of a message that was written in pieces, or a message of a sub-agent. */
    void text(@Nullable String agent, String text) {
        assistant(agent, new Block.Text(text), null);
    }

    void apiError(String text, int status) {
        assistant(null, new Block.Text(text), status);
    }

    void toolUse(@Nullable String agent, String id, String name, Map<String, String> input) {
        assistant(agent, new Block.ToolUse(id, name, input), null);
    }

    /** @param status HTTP status of the model's answer, if it is an error */
    private void assistant(@Nullable String agent, Block block, @Nullable Integer status) {
        line(new ClaudeLine.Assistant(
                new ClaudeLine.Assistant.Said("msg_" + messages, List.of(block)),
                agent,
                callOf(agent),
                SESSION,
                status != null,
                status));
    }

    private static @Nullable String callOf(@Nullable String agent) {
        return agent == null ? null : "call_" + agent;
    }

    void toolResult(@Nullable String agent, String id, String content, boolean failed) {
        line(new ClaudeLine.User(
                new ClaudeLine.User.ToolAnswer("user", List.of(new Block.ToolResult(id, content, failed))),
                agent,
                callOf(agent),
                SESSION));
    }

    void permission(@Nullable String agent, String id, String tool, String name, Map<String, String> input) {
        line(new ClaudeLine.ControlRequest(id, new ClaudeLine.Question.CanUseTool(name, tool, input, agent)));
    }

    void permissionWithdrawn(String id) {
        line(new ClaudeLine.ControlCancelRequest(id));
    }

    void taskStarted(String id, @Nullable String parent, int depth, String prompt, boolean background) {
        system(new SystemEvent.TaskStarted(
                id, "call_" + id, "local_agent", "general-purpose", prompt, depth, parent, background));
    }

    void taskEnded(String id, String status, String summary) {
        system(new SystemEvent.TaskNotification(id, status, summary));
    }

    void retry(int attempt, int status) {
        system(new SystemEvent.ApiRetry(attempt, 2, 50, status, "scripted"));
    }

    void result(boolean failed, @Nullable String why, int words) {
        line(new ClaudeLine.Result(
                failed ? "error_during_execution" : "success",
                failed,
                why == null ? List.of() : List.of(why),
                SESSION,
                new ClaudeLine.Result.Usage(100, words),
                0.001 * messages));
    }

    /** A line that is not JSON. */
    void noise(String text) {
        bytes((text + "\n").getBytes(UTF_8));
    }
}
