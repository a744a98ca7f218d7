package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What Claude Code writes, a message a line. The agent's own text comes twice: in pieces as {@code stream_event}, and
 * whole as {@code assistant}; what came in pieces is not told again. Its sub-agents' text comes whole only.
 *
 * <p>A message of the captain is worked off when the session is idle, which 2.1.330 says where
 * {@code CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS} is set: a {@code result} ends a turn of the main loop, and those that
 * background agents cause follow it. Without that word the first {@code result} counts that no sub-agent outlives.
 *
 * <p>Owned by the thread that reads standard output.
 */
final class ClaudeMessages implements NativeReader.Handler {
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final Questions questions;
    private final Answers answers;
    private final SubAgents agents;
    private final ClaudeTasks tasks;

    private String session = "";
    /** The message of which pieces came. */
    private String streamed = "";

    private boolean saysWhenIdle;
    private boolean failed;
    /** Whether the failure of this turn was told as an error. */
    private boolean failureTold;

    private @Nullable TokenUsage usage;
    private double costBefore;

    /** Takes what Claude Code asks on its own channel; false where that is of no kind that is known. */
    @FunctionalInterface
    interface Questions {
        boolean answer(JsonObject question) throws InterruptedException;
    }

    /** Takes Claude Code's answer to what was asked of it on that channel. */
    @FunctionalInterface
    interface Answers {
        void handle(JsonObject response) throws InterruptedException;
    }

    ClaudeMessages(AgentFrames frames, AgentTurn turn, Questions questions, Answers answers) {
        this.frames = frames;
        this.turn = turn;
        this.questions = questions;
        this.answers = answers;
        this.agents = new SubAgents(frames);
        this.tasks = new ClaudeTasks(agents);
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        return switch (message.text("type", "")) {
            case "stream_event" -> handleEvent(message, message.object("event"));
            case "assistant" -> handleAssistant(message);
            case "user" -> handleUser(message);
            case "system" -> handleSystem(message);
            case "result" -> handleResult(message);
            case "control_request" -> questions.answer(message);
            case "control_response" -> {
                answers.handle(message.object("response"));
                yield true;
            }
            case "control_cancel_request", "keep_alive" -> true;
            default -> false;
        };
    }

    /** Whether that sub-agent was told of. */
    boolean knows(String agent) {
        return agents.knows(agent);
    }

    @Override
    public void handleEnd() throws InterruptedException {
        agents.allKilled();
    }

    private boolean handleEvent(JsonObject message, JsonObject event) throws InterruptedException {
        String agent = agentOf(message);
        switch (event.text("type", "")) {
            case "message_start" -> streamed = event.object("message").text("id", "");
            case "content_block_start" -> {
                JsonObject block = event.object("content_block");
                if (block.text("type", "").equals("tool_use")) {
                    frames.tool(new ToolCall(
                            block.text("id", ""), agent, block.text("name"), null, Progress.PENDING, null, null));
                }
            }
            case "content_block_delta" -> {
                JsonObject delta = event.object("delta");
                frames.said(agent, false, delta.text("text", ""));
                frames.said(agent, true, delta.text("thinking", ""));
            }
            case "content_block_stop", "message_delta", "message_stop", "ping", "error" -> {}
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean handleAssistant(JsonObject message) throws InterruptedException {
        String agent = agentOf(message);
        JsonObject content = message.object("message");
        boolean told = agent == null && content.text("id", "").equals(streamed);
        boolean understood = true;
        for (JsonObject block : content.objects("content")) {
            switch (block.text("type", "")) {
                case "text" -> {
                    if (message.flag("is_api_error_message") || message.flag("isApiErrorMessage")) {
                        frames.error(new Frame.Failure(
                                block.text("text", ""), "MODEL_ERROR", agent, statusOf(message, "api_error_status")));
                        failureTold |= agent == null;
                    } else if (!told) {
                        frames.said(agent, false, block.text("text", ""));
                    }
                }
                case "thinking" -> {
                    if (!told) {
                        frames.said(agent, true, block.text("thinking", ""));
                    }
                }
                case "tool_use" -> handleToolUse(agent, block);
                case "redacted_thinking" -> {}
                default -> understood = false;
            }
        }
        return understood;
    }

    private void handleToolUse(@Nullable String agent, JsonObject block) throws InterruptedException {
        JsonObject input = block.object("input");
        frames.tool(new ToolCall(
                block.text("id", ""),
                agent,
                block.text("name"),
                input.text("description"),
                Progress.RUNNING,
                block.value("input"),
                null));
        agents.called(agent, block.text("id", ""));
        tasks.called(agent, block);
        if (block.text("name", "").equals("TodoWrite")) {
            List<Frame.Plan.Entry> entries = input.objects("todos").stream()
                    .map(todo -> new Frame.Plan.Entry(todo.text("content"), todo.text("status")))
                    .toList();
            frames.put(new Frame.Plan(agent, entries));
        }
    }

    /** The model is told results of tools as words of the user; its user's own words are not told back. */
    private boolean handleUser(JsonObject message) throws InterruptedException {
        String agent = agentOf(message);
        for (JsonObject block : message.object("message").objects("content")) {
            if (block.text("type", "").equals("tool_result")) {
                frames.tool(new ToolCall(
                        block.text("tool_use_id", ""),
                        agent,
                        null,
                        null,
                        block.flag("is_error") ? Progress.FAILED : Progress.COMPLETED,
                        null,
                        resultText(block)));
                tasks.answered(agent, block, message.object("tool_use_result"), resultText(block));
            }
        }
        return true;
    }

    private static String resultText(JsonObject block) {
        String text = block.text("content");
        return text != null
                ? text
                : block.elements("content").stream()
                        .map(part -> part instanceof String words
                                ? words
                                : JsonObject.element(part)
                                        .text(
                                                "text",
                                                "[" + JsonObject.element(part).text("type", "something") + "]"))
                        .collect(Collectors.joining("\n"));
    }

    private boolean handleSystem(JsonObject message) throws InterruptedException {
        switch (message.text("subtype", "")) {
            case "init" -> handleInit(message);
            case "session_state_changed" -> handleState(message.text("state", ""));
            case "api_retry" ->
                frames.error(new Frame.Failure(
                                "the model answered with an error: " + message.text("error", "unknown"),
                                "MODEL_ERROR",
                                message.text("agent_id"),
                                statusOf(message, "error_status"))
                        .again(
                                message.number("attempt", 0),
                                message.number("max_retries", 0),
                                message.number("retry_delay_ms", 0)));
            case "permission_denied" ->
                frames.put(new Frame.Permission(
                        message.text("tool_use_id", ""),
                        message.text("agent_id"),
                        message.text("tool_use_id"),
                        message.text("tool_name"),
                        null,
                        Decision.DENY));
            case "status", "background_tasks_changed", "thinking_tokens", "compact_boundary" -> {}
            default -> {
                return tasks.handle(message);
            }
        }
        return true;
    }

    private static @Nullable Long statusOf(JsonObject message, String field) {
        return message.has(field) ? message.number(field, 0) : null;
    }

    private void handleInit(JsonObject message) throws InterruptedException {
        String named = message.text("session_id", "");
        if (!named.equals(session)) {
            session = named;
            frames.put(
                    new Frame.Session(session, "claude", message.text("claude_code_version"), message.text("model")));
        }
    }

    private void handleState(String state) throws InterruptedException {
        saysWhenIdle = true;
        if (state.equals("idle")) {
            endTurn();
        }
    }

    private boolean handleResult(JsonObject message) throws InterruptedException {
        TokenUsage cost = costOf(message);
        usage = usage == null ? cost : usage.plus(cost);
        frames.put(Frame.Usage.of(null, cost));
        failed = message.flag("is_error");
        if (failed && !failureTold && !turn.isCancelled()) {
            List<String> errors = message.texts("errors");
            frames.error(new Frame.Failure(
                    errors.isEmpty()
                            ? message.text("result", "the agent gave up: " + message.text("subtype", "error"))
                            : String.join("\n", errors),
                    "AGENT_ERROR",
                    null,
                    statusOf(message, "api_error_status")));
        }
        failureTold = false;
        if (!saysWhenIdle && agents.living().isEmpty()) {
            endTurn();
        }
        return true;
    }

    /** Tokens are those of the turn, but the cost is that of the whole session. */
    private TokenUsage costOf(JsonObject message) {
        JsonObject tokens = message.object("usage");
        Double costNow = message.decimal("total_cost_usd");
        Double cost = costNow == null ? null : Math.max(0, Math.rint((costNow - costBefore) * 1e6) / 1e6);
        costBefore = costNow == null ? costBefore : costNow;
        long cached = tokens.number("cache_read_input_tokens", 0);
        long input = tokens.number("input_tokens", 0) + tokens.number("cache_creation_input_tokens", 0) + cached;
        return new TokenUsage(input, tokens.number("output_tokens", 0), cached, cost);
    }

    private void endTurn() throws InterruptedException {
        TokenUsage whole = usage;
        usage = null;
        turn.end(failed, whole);
        failed = false;
    }

    /** The sub-agent that a message is of; one that was never announced is announced now. */
    private @Nullable String agentOf(JsonObject message) throws InterruptedException {
        return tasks.agentOf(message);
    }
}
