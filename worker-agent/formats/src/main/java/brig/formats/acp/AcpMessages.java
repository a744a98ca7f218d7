package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.ToolProgress;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an ACP agent writes: answers, updates of its session, questions. Permissions follow the profile; its files and
 * terminals are inside the wall with it, so it is not served any. Owned by the thread that reads standard output.
 */
final class AcpMessages implements NativeReader.Handler {
    /** @param optionId null where none of the agent's choices will do */
    @CamelCase
    private record Outcome(String outcome, @Nullable String optionId) {}

    private record Decided(Outcome outcome) {}

    private final AgentFrames frames;
    private final JsonRpc<RpcAnswer> rpc;
    private final boolean allow;
    private final ToolProgress tools;
    private final @Nullable OpenCodeEvents events;
    private boolean ignoring;
    private double cost;
    private double costTold;
    private boolean hasCost;

    AcpMessages(AgentFrames frames, JsonRpc<RpcAnswer> rpc, boolean withEvents, boolean allow) {
        this.frames = frames;
        this.rpc = rpc;
        this.allow = allow;
        this.tools = new ToolProgress(frames);
        this.events = withEvents ? new OpenCodeEvents(frames, new SubAgents(frames)) : null;
    }

    void ignoreUpdates(boolean ignore) {
        ignoring = ignore;
    }

    /** The agent's own session is this one. */
    void open(String session) {
        if (events != null) {
            events.open(session);
        }
    }

    /** What the turn used that is over; {@code last} is what the protocol tells of it. */
    @Nullable
    TokenUsage turnUsage(@Nullable TokenUsage last) {
        return events == null ? last : events.turnUsage(last);
    }

    /** The status that the model refused with in the turn that is over; null where nobody says. */
    @Nullable
    Long takeModelStatus() {
        return events == null ? null : events.takeModelStatus();
    }

    /** In US dollars, null where the agent does not say. */
    @Nullable
    Double costSinceLast() {
        double since = Math.rint((cost - costTold) * 1e6) / 1e6;
        costTold = cost;
        return hasCost ? Double.valueOf(Math.max(0, since)) : null;
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        String method = message.text("method");
        if (method == null) {
            return RpcAnswer.handle(rpc, message);
        }
        JsonObject params = message.object("params");
        if (message.has("id")) {
            return answer(method, message, params);
        }
        return switch (method) {
            case "session/update" -> ignoring || handleUpdate(params.object("update"));
            case "opencode/event" -> handleEvent(params);
            default -> false;
        };
    }

    @Override
    public void handleEnd() throws InterruptedException {
        if (events != null) {
            events.handleEnd();
        }
    }

    private boolean handleEvent(JsonObject event) throws InterruptedException {
        if (events != null) {
            events.handle(event);
        }
        return events != null;
    }

    private boolean handleUpdate(JsonObject update) throws InterruptedException {
        switch (update.text("sessionUpdate", "")) {
            case "agent_message_chunk" -> handleContent(update.object("content"), false);
            case "agent_thought_chunk" -> handleContent(update.object("content"), true);
            case "tool_call", "tool_call_update" -> handleTool(update);
            case "plan" -> handlePlan(update);
            case "usage_update" -> handleCost(update.object("cost"));
            case "user_message_chunk",
                    "available_commands_update",
                    "current_mode_update",
                    "config_option_update",
                    "session_info_update" -> {}
            default -> {
                return false;
            }
        }
        return true;
    }

    private void handleContent(JsonObject content, boolean thought) throws InterruptedException {
        frames.said(null, thought, content.text("text", "[" + content.text("type", "something") + "]"));
    }

    /** The title of the first word about a call is the tool's name, where the agent is OpenCode. */
    private void handleTool(JsonObject update) throws InterruptedException {
        boolean first = update.text("sessionUpdate", "").equals("tool_call");
        String title = update.text("title");
        String name = first ? title : null;
        String kind = "task".equals(name) ? null : update.text("kind");
        Progress status = switch (update.text("status", first ? "pending" : "in_progress")) {
            case "completed" -> Progress.COMPLETED;
            case "failed" -> Progress.FAILED;
            case "pending" -> Progress.PENDING;
            default -> Progress.RUNNING;
        };
        boolean over = status == Progress.COMPLETED || status == Progress.FAILED;
        String written = written(update);
        Object input = over || (first && update.object("rawInput").isEmpty()) ? null : update.value("rawInput");
        tools.update(
                new ToolCall(
                        update.text("toolCallId", ""),
                        null,
                        name,
                        first ? kind : null,
                        first ? null : title,
                        status,
                        input,
                        over ? written : null),
                over ? "" : written);
    }

    private static String written(JsonObject update) {
        String content = update.objects("content").stream()
                .map(part -> part.text("type", "").equals("diff")
                        ? "changed " + part.text("path", "")
                        : part.object("content").text("text", ""))
                .collect(Collectors.joining("\n"));
        return content.isEmpty()
                ? update.object("rawOutput")
                        .text("output", update.object("rawOutput").text("error", ""))
                : content;
    }

    private void handlePlan(JsonObject update) throws InterruptedException {
        List<Frame.Plan.Entry> entries = update.objects("entries").stream()
                .map(entry -> new Frame.Plan.Entry(entry.text("content"), entry.text("status")))
                .toList();
        frames.put(new Frame.Plan(null, entries));
    }

    private void handleCost(JsonObject told) {
        Double amount = told.decimal("amount");
        if (amount != null && told.text("currency", "USD").equals("USD")) {
            hasCost = true;
            cost = amount;
        }
    }

    private boolean answer(String method, JsonObject request, JsonObject params) throws InterruptedException {
        if (!method.equals("session/request_permission")) {
            rpc.fail(request.value("id"), new RpcError(RpcError.METHOD_NOT_FOUND, "not served by this client", null));
            return false;
        }
        String option = option(params.objects("options"));
        JsonObject call = params.object("toolCall");
        frames.put(new Frame.Permission(
                String.valueOf(request.value("id")),
                null,
                call.text("toolCallId"),
                call.text("title"),
                call.value("rawInput"),
                allow && option != null ? Decision.ALLOW : Decision.DENY));
        rpc.answer(request.value("id"), new Decided(new Outcome(option == null ? "cancelled" : "selected", option)));
        return true;
    }

    /** The choice that binds least, of those that the agent offers. */
    private @Nullable String option(List<JsonObject> options) {
        for (String kind : allow ? List.of("allow_once", "allow_always") : List.of("reject_once", "reject_always")) {
            for (JsonObject option : options) {
                if (option.text("kind", "").equals(kind)) {
                    return option.text("optionId");
                }
            }
        }
        return null;
    }
}
