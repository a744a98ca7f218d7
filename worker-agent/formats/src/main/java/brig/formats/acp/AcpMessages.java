package brig.formats.acp;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.Questions;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.ToolProgress;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of an ACP agent: answers, session updates, requests. The
 * agent has its files and terminals inside the wall, so Brig serves neither. Owned by the thread that reads standard
 * output.
 */
final class AcpMessages implements NativeReader.Handler {
    /** @param answers null if the questions are declined */
    private record Answered(@Nullable List<List<String>> answers) {}

    private final AgentFrames frames;
    private final JsonRpc<RpcAnswer> rpc;
    private final @Nullable OpenCodeEvents events;
    private final AcpPermissions permissions;
    private final Questions questions;
    private final ToolProgress tools;
    private boolean ignoring;
    private double cost;
    private double costTold;
    private boolean hasCost;

    /** @param events handles the agent's bus events; null if it has none */
    AcpMessages(AgentFrames frames, JsonRpc<RpcAnswer> rpc, @Nullable OpenCodeEvents events, Context context) {
        this.frames = frames;
        this.rpc = rpc;
        this.events = events;
        this.permissions = new AcpPermissions(frames, rpc, context);
        this.questions = new Questions(frames, context);
        this.tools = new ToolProgress(frames);
    }

    /** Whether what is told of a session is of its past. */
    void ignoreUpdates(boolean ignore) {
        ignoring = ignore;
    }

    /** The cost since the last call, in US dollars; null if the agent does not report it. */
    @Nullable
    Double costSinceLast() {
        double since = Math.rint((cost - costTold) * 1e6) / 1e6;
        costTold = cost;
        return hasCost ? Double.valueOf(Math.max(0, since)) : null;
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        if (message.text("method") == null) {
            return RpcAnswer.handle(rpc, message);
        }
        AcpCall.Line line = message.as(AcpCall.Line.class);
        return line.id() == null ? handleNotification(line.call()) : handleRequest(line.id(), line.call());
    }

    private boolean handleNotification(@Nullable AcpCall call) throws InterruptedException {
        return switch (call) {
            case AcpCall.SessionUpdate(var update) -> ignoring || (update != null && handleUpdate(update));
            case AcpCall.BusEvent(var event) -> ignoring || handleEvent(event);
            case AcpCall.CancelRequest(var id) -> {
                questions.withdraw(String.valueOf(id));
                permissions.withdraw(id == null ? "" : id);
                yield true;
            }
            case AcpCall.RequestPermission _, AcpCall.AskQuestions _ -> false;
            case null -> false;
        };
    }

    private boolean handleRequest(Object id, @Nullable AcpCall call) throws InterruptedException {
        return switch (call) {
            case AcpCall.RequestPermission asked -> {
                permissions.decide(id, asked, agentOf(asked.sessionId()));
                yield true;
            }
            case AcpCall.AskQuestions asked -> {
                questions.ask(
                        new Questions.Request(
                                String.valueOf(id),
                                agentOf(asked.sessionID()),
                                asked.tool().callID(),
                                "question",
                                asked.questions().stream()
                                        .map(AcpCall.Asked::told)
                                        .toList()),
                        answers -> rpc.answer(id, new Answered(answers)));
                yield true;
            }
            case AcpCall.SessionUpdate _, AcpCall.BusEvent _, AcpCall.CancelRequest _ -> refuse(id);
            case null -> refuse(id);
        };
    }

    private boolean refuse(Object id) {
        rpc.fail(id, new RpcError(RpcError.METHOD_NOT_FOUND, "not served by this client", null));
        return false;
    }

    private @Nullable String agentOf(String session) throws InterruptedException {
        return events == null ? null : events.agentOf(session);
    }

    @Override
    public void handleEnd() throws InterruptedException {
        if (events != null) {
            events.handleEnd();
        }
    }

    private boolean handleEvent(@Nullable OpenCodeEvent event) throws InterruptedException {
        if (events != null && event != null) {
            events.handle(event);
        }
        return events != null;
    }

    private boolean handleUpdate(AcpUpdate update) throws InterruptedException {
        switch (update) {
            case AcpUpdate.AgentMessageChunk(var content) -> handleContent(content, false);
            case AcpUpdate.AgentThoughtChunk(var content) -> handleContent(content, true);
            case AcpUpdate.ToolCall(var call) -> handleTool(call, true);
            case AcpUpdate.ToolCallUpdate(var call) -> handleTool(call, false);
            case AcpUpdate.Plan(var entries) ->
                frames.put(new Frame.Plan(
                        null,
                        entries.stream()
                                .map(entry -> new Frame.Plan.Entry(entry.content(), entry.status()))
                                .toList()));
            case AcpUpdate.UsageUpdate(var told) -> handleCost(told);
            case AcpUpdate.Untold nothing -> {}
        }
        return true;
    }

    private void handleContent(AcpUpdate.Content content, boolean thought) throws InterruptedException {
        frames.said(null, thought, content.text() == null ? "[" + content.type() + "]" : content.text());
    }

    /** OpenCode's first update of a call has the tool's name as its title. */
    private void handleTool(AcpUpdate.CallFields call, boolean first) throws InterruptedException {
        Progress status = switch (call.status()) {
            case COMPLETED -> Progress.COMPLETED;
            case FAILED -> Progress.FAILED;
            case PENDING -> Progress.PENDING;
            case IN_PROGRESS -> Progress.RUNNING;
            case null -> first ? Progress.PENDING : Progress.RUNNING;
        };
        boolean over = status == Progress.COMPLETED || status == Progress.FAILED;
        boolean toldYet = !first || !JsonObject.element(call.rawInput()).isEmpty();
        tools.update(
                new ToolCall(
                        call.toolCallId() == null ? "" : call.toolCallId(),
                        null,
                        first ? call.title() : null,
                        first && !"task".equals(call.title()) ? call.kind() : null,
                        first ? null : call.title(),
                        status,
                        toldYet && !over ? call.rawInput() : null,
                        over ? call.written() : null),
                over ? "" : call.written());
        if (over && call.toolCallId() != null) {
            permissions.handleCallOver(call.toolCallId());
        }
    }

    private void handleCost(AcpUpdate.Cost told) {
        if (told.amount() != null && told.currency().equals("USD")) {
            hasCost = true;
            cost = told.amount();
        }
    }
}
