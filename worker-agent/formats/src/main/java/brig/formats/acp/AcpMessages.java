package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.JsonRpc;
import brig.formats.adapter.NativeObject;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.ToolProgress;
import brig.formats.adapter.Usage;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an ACP agent writes: answers, updates of its session, questions. Permissions follow the profile; its files and
 * terminals are inside the wall with it, so it is not served any. Owned by the thread that reads standard output.
 */
final class AcpMessages implements NativeReader.Handler {
    private final AgentFrames frames;
    private final JsonRpc rpc;
    private final boolean allow;
    private final ToolProgress tools;
    private final @Nullable OpenCodeEvents events;
    private boolean ignoring;
    private double cost;
    private double costTold;
    private boolean hasCost;

    AcpMessages(AgentFrames frames, JsonRpc rpc, boolean withEvents, boolean allow) {
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
    Usage turnUsage(@Nullable Usage last) {
        return events == null ? last : events.turnUsage(last);
    }

    /** The status that the model refused with in the turn that is over; null where nobody says. */
    @Nullable
    Object takeModelStatus() {
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
    public boolean handle(NativeObject message) throws InterruptedException {
        String method = message.text("method");
        if (method == null) {
            return rpc.handleAnswer(message);
        }
        NativeObject params = message.object("params");
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

    private boolean handleEvent(NativeObject event) throws InterruptedException {
        if (events != null) {
            events.handle(event);
        }
        return events != null;
    }

    private boolean handleUpdate(NativeObject update) throws InterruptedException {
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

    private void handleContent(NativeObject content, boolean thought) throws InterruptedException {
        frames.said(null, thought, content.text("text", "[" + content.text("type", "something") + "]"));
    }

    /** The title of the first word about a call is the tool's name, where the agent is OpenCode. */
    private void handleTool(NativeObject update) throws InterruptedException {
        boolean first = update.text("sessionUpdate", "").equals("tool_call");
        String title = update.text("title");
        String name = first ? title : null;
        String kind = "task".equals(name) ? null : update.text("kind");
        ToolCall.Status status = switch (update.text("status", first ? "pending" : "in_progress")) {
            case "completed" -> ToolCall.Status.COMPLETED;
            case "failed" -> ToolCall.Status.FAILED;
            case "pending" -> ToolCall.Status.PENDING;
            default -> ToolCall.Status.RUNNING;
        };
        boolean over = status == ToolCall.Status.COMPLETED || status == ToolCall.Status.FAILED;
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

    private static String written(NativeObject update) {
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

    private void handlePlan(NativeObject update) throws InterruptedException {
        List<Map<String, Object>> entries = update.objects("entries").stream()
                .map(entry -> AgentFrames.fields("content", entry.text("content"), "status", entry.text("status")))
                .toList();
        frames.put(FrameType.PLAN, AgentFrames.fields("entries", entries));
    }

    private void handleCost(NativeObject told) {
        Double amount = told.decimal("amount");
        if (amount != null && told.text("currency", "USD").equals("USD")) {
            hasCost = true;
            cost = amount;
        }
    }

    private boolean answer(String method, NativeObject request, NativeObject params) throws InterruptedException {
        if (!method.equals("session/request_permission")) {
            rpc.refuse(request, "not served by this client");
            return false;
        }
        String option = option(params.objects("options"));
        NativeObject call = params.object("toolCall");
        frames.put(
                FrameType.PERMISSION,
                AgentFrames.fields(
                        "id",
                        String.valueOf(request.value("id")),
                        "tool",
                        call.text("toolCallId"),
                        "name",
                        call.text("title"),
                        "input",
                        call.value("rawInput"),
                        "decision",
                        allow && option != null ? "allow" : "deny"));
        rpc.respond(
                request,
                Map.of(
                        "outcome",
                        option == null
                                ? Map.of("outcome", "cancelled")
                                : Map.of("outcome", "selected", "optionId", option)));
        return true;
    }

    /** The choice that binds least, of those that the agent offers. */
    private @Nullable String option(List<NativeObject> options) {
        for (String kind : allow ? List.of("allow_once", "allow_always") : List.of("reject_once", "reject_always")) {
            for (NativeObject option : options) {
                if (option.text("kind", "").equals(kind)) {
                    return option.text("optionId");
                }
            }
        }
        return null;
    }
}
