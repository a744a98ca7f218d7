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
 * Reads Claude Code's output, one message per line. The agent's own text comes twice: in pieces as {@code
 * stream_event}, and whole as {@code assistant}; text that came in pieces is not repeated. Text of sub-agents comes
 * only whole.
 *
 * <p>A captain's turn ends when the session is idle. Version 2.1.330 reports that if {@code
 * CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS} is set. A {@code result} ends only a turn of the main loop; turns that
 * background agents cause may follow. Without the report, the turn ends at the first {@code result} after which no
 * sub-agent runs.
 *
 * <p>Owned by the thread that reads standard output.
 */
final class ClaudeMessages implements NativeReader.Handler {
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final Control control;
    private final SubAgents agents;
    private final ClaudeTasks tasks;

    private String session = "";
    /** The message whose pieces were streamed. */
    private String streamed = "";

    private boolean saysWhenIdle;
    private boolean failed;
    /** Whether an {@code error} frame already reported the failure of this turn. */
    private boolean failureTold;

    private @Nullable TokenUsage usage;
    private double costBefore;

    /** Handles messages of the control channel. */
    @FunctionalInterface
    interface Control {
        /** Answers a request; false if its kind is unknown. */
        boolean answer(ClaudeMessage.ControlRequest question) throws InterruptedException;

        /** The agent no longer waits for the answer to that request. */
        default void withdraw(String requestId) {}

        /** Handles the answer to a request of ours. */
        default void handleAnswer(ClaudeMessage.Answer answer) throws InterruptedException {}
    }

    ClaudeMessages(AgentFrames frames, AgentTurn turn, Control control) {
        this.frames = frames;
        this.turn = turn;
        this.control = control;
        this.agents = new SubAgents(frames);
        this.tasks = new ClaudeTasks(agents);
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        return handle(ClaudeMessage.read(message));
    }

    /** Handles a message of standard output; null is one of unknown type. */
    boolean handle(@Nullable ClaudeMessage message) throws InterruptedException {
        return switch (message) {
            case ClaudeMessage.StreamEvent said -> handleEvent(said);
            case ClaudeMessage.Assistant said -> handleAssistant(said);
            case ClaudeMessage.User said -> handleUser(said);
            case ClaudeMessage.Notice said -> handleNotice(said.said());
            case ClaudeMessage.Result said -> handleResult(said);
            case ClaudeMessage.ControlRequest asked -> control.answer(asked);
            case ClaudeMessage.ControlResponse answered -> {
                control.handleAnswer(answered.response());
                yield true;
            }
            case ClaudeMessage.ControlCancelRequest(var requestId) -> {
                control.withdraw(requestId);
                yield true;
            }
            case ClaudeMessage.KeepAlive _ -> true;
            case null -> false;
        };
    }

    /** Whether that sub-agent was reported. */
    boolean knows(String agent) {
        return agents.knows(agent);
    }

    @Override
    public void handleEnd() throws InterruptedException {
        agents.allKilled();
    }

    private boolean handleEvent(ClaudeMessage.StreamEvent message) throws InterruptedException {
        String agent = tasks.agentOf(message.place());
        switch (message.event()) {
            case ClaudeEvent.MessageStart start -> streamed = start.message().id();
            case ClaudeEvent.ContentBlockStart start -> {
                if (start.contentBlock() instanceof ClaudeBlock.ToolUse call) {
                    frames.tool(new ToolCall(call.id(), agent, call.name(), null, Progress.PENDING, null, null));
                }
            }
            case ClaudeEvent.ContentBlockDelta more -> {
                frames.said(agent, false, more.delta().text());
                frames.said(agent, true, more.delta().thinking());
            }
            case ClaudeEvent.ContentBlockStop _,
                    ClaudeEvent.MessageDelta _,
                    ClaudeEvent.MessageStop _,
                    ClaudeEvent.Ping _,
                    ClaudeEvent.Failed _ -> {}
            case null -> {
                return false;
            }
        }
        return true;
    }

    private boolean handleAssistant(ClaudeMessage.Assistant message) throws InterruptedException {
        String agent = tasks.agentOf(message.place());
        boolean told = agent == null && message.message().id().equals(streamed);
        boolean understood = true;
        for (ClaudeMessage.Piece piece : message.message().content()) {
            switch (piece.block()) {
                case ClaudeBlock.Text text -> {
                    if (message.isApiErrorMessage()) {
                        frames.error(new Frame.Failure(text.text(), "MODEL_ERROR", agent, message.apiErrorStatus()));
                        failureTold |= agent == null;
                    } else if (!told) {
                        frames.said(agent, false, text.text());
                    }
                }
                case ClaudeBlock.Thinking thought -> {
                    if (!told) {
                        frames.said(agent, true, thought.thinking());
                    }
                }
                case ClaudeBlock.ToolUse call -> handleToolUse(agent, call);
                case ClaudeBlock.RedactedThinking _ -> {}
                case ClaudeBlock.ToolResult _ -> understood = false;
                case null -> understood = false;
            }
        }
        return understood;
    }

    private void handleToolUse(@Nullable String agent, ClaudeBlock.ToolUse call) throws InterruptedException {
        ClaudeBlock.Arguments input = call.arguments();
        frames.tool(
                new ToolCall(call.id(), agent, call.name(), input.description(), Progress.RUNNING, call.input(), null));
        agents.called(agent, call.id());
        tasks.called(agent, call);
        if ("TodoWrite".equals(call.name())) {
            List<Frame.Plan.Entry> entries = input.todos().stream()
                    .map(todo -> new Frame.Plan.Entry(todo.content(), todo.status()))
                    .toList();
            frames.put(new Frame.Plan(agent, entries));
        }
    }

    /** Tool results arrive as user messages; the captain's own messages make no frames. */
    private boolean handleUser(ClaudeMessage.User message) throws InterruptedException {
        String agent = tasks.agentOf(message.place());
        for (ClaudeBlock.ToolResult result : message.message().all(ClaudeBlock.ToolResult.class)) {
            String text = resultText(result);
            frames.tool(new ToolCall(
                    result.toolUseId(),
                    agent,
                    null,
                    null,
                    result.isError() ? Progress.FAILED : Progress.COMPLETED,
                    null,
                    text));
            tasks.answered(agent, result, message.toolUseResult(), text);
        }
        return true;
    }

    private static String resultText(ClaudeBlock.ToolResult result) {
        return switch (result.content()) {
            case String text -> text;
            case List<?> parts -> parts.stream().map(ClaudeMessages::partText).collect(Collectors.joining("\n"));
            case null, default -> "";
        };
    }

    private static String partText(@Nullable Object part) {
        JsonObject object = JsonObject.element(part);
        return part instanceof String words ? words : object.text("text", "[" + object.text("type", "something") + "]");
    }

    private boolean handleNotice(@Nullable ClaudeNotice said) throws InterruptedException {
        switch (said) {
            case ClaudeNotice.Init init -> handleInit(init);
            case ClaudeNotice.SessionStateChanged changed -> handleState(changed.state());
            case ClaudeNotice.ApiRetry retry ->
                frames.error(new Frame.Failure(
                                "the model answered with an error: " + retry.error(),
                                "MODEL_ERROR",
                                retry.agentId(),
                                retry.errorStatus())
                        .again(retry.attempt(), retry.maxRetries(), retry.retryDelayMs()));
            case ClaudeNotice.PermissionDenied denied ->
                frames.put(new Frame.Permission(
                        denied.toolUseId() == null ? "" : denied.toolUseId(),
                        denied.agentId(),
                        denied.toolUseId(),
                        denied.toolName(),
                        null,
                        Decision.DENY));
            case ClaudeNotice.Task task -> tasks.handle(task);
            case ClaudeNotice.Status _,
                    ClaudeNotice.BackgroundTasksChanged _,
                    ClaudeNotice.ThinkingTokens _,
                    ClaudeNotice.CompactBoundary _ -> {}
            case null -> {
                return false;
            }
        }
        return true;
    }

    private void handleInit(ClaudeNotice.Init init) throws InterruptedException {
        if (!init.sessionId().equals(session)) {
            session = init.sessionId();
            frames.put(new Frame.Session(session, "claude", init.claudeCodeVersion(), init.model()));
        }
    }

    private void handleState(String state) throws InterruptedException {
        saysWhenIdle = true;
        if (state.equals("idle")) {
            endTurn();
        }
    }

    private boolean handleResult(ClaudeMessage.Result result) throws InterruptedException {
        TokenUsage cost = costOf(result);
        usage = usage == null ? cost : usage.plus(cost);
        frames.put(Frame.Usage.of(null, cost));
        failed = result.isError();
        if (failed && !failureTold && !turn.isCancelled()) {
            String why = result.result() == null ? "the agent gave up: " + result.subtype() : result.result();
            frames.error(new Frame.Failure(
                    result.errors().isEmpty() ? why : String.join("\n", result.errors()),
                    "AGENT_ERROR",
                    null,
                    result.apiErrorStatus()));
        }
        failureTold = false;
        if (!saysWhenIdle && agents.living().isEmpty()) {
            endTurn();
        }
        return true;
    }

    /** Claude Code reports the turn's tokens, but the whole session's cost. */
    private TokenUsage costOf(ClaudeMessage.Result result) {
        ClaudeMessage.Tokens tokens = result.usage();
        Double costNow = result.totalCostUsd();
        Double cost = costNow == null ? null : Math.max(0, Math.rint((costNow - costBefore) * 1e6) / 1e6);
        costBefore = costNow == null ? costBefore : costNow;
        long cached = tokens.cacheReadInputTokens();
        long input = tokens.inputTokens() + tokens.cacheCreationInputTokens() + cached;
        return new TokenUsage(input, tokens.outputTokens(), cached, cost);
    }

    private void endTurn() throws InterruptedException {
        TokenUsage whole = usage;
        usage = null;
        turn.end(failed, whole);
        failed = false;
    }
}
