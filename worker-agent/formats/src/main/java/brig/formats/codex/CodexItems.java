package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a turn of a thread, item by item: begun, written piece by piece, completed. Text that came in pieces
 * is not told again when it is complete. Owned by the thread that reads standard output.
 */
final class CodexItems {
    private static final int OPEN_MAX = 1000;

    private final AgentFrames frames;
    private final SubAgents agents;
    private final Function<@Nullable String, @Nullable String> agentOfThread;
    /** Items of which pieces came. */
    private final Set<String> inPieces = new HashSet<>();

    CodexItems(AgentFrames frames, SubAgents agents, Function<@Nullable String, @Nullable String> agentOfThread) {
        this.frames = frames;
        this.agents = agents;
        this.agentOfThread = agentOfThread;
    }

    boolean handle(@Nullable String agent, String method, JsonObject params) throws InterruptedException {
        switch (method) {
            case "item/agentMessage/delta" -> handlePiece(agent, params, false);
            case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta" -> handlePiece(agent, params, true);
            case "item/commandExecution/outputDelta" ->
                frames.toolWrites(agent, params.text("itemId", ""), params.text("delta", ""));
            case "item/started" -> {
                return handleItem(agent, params.object("item"), false);
            }
            case "item/completed" -> {
                return handleItem(agent, params.object("item"), true);
            }
            case "item/reasoning/summaryPartAdded",
                    "item/plan/delta",
                    "item/fileChange/outputDelta",
                    "item/fileChange/patchUpdated",
                    "item/commandExecution/terminalInteraction",
                    "item/mcpToolCall/progress",
                    "item/autoApprovalReview/started",
                    "item/autoApprovalReview/completed" -> {}
            default -> {
                return false;
            }
        }
        return true;
    }

    private void handlePiece(@Nullable String agent, JsonObject params, boolean thought) throws InterruptedException {
        if (inPieces.size() >= OPEN_MAX) {
            inPieces.clear();
        }
        inPieces.add(params.text("itemId", ""));
        frames.said(agent, thought, params.text("delta", ""));
    }

    private boolean handleItem(@Nullable String agent, JsonObject item, boolean complete) throws InterruptedException {
        String id = item.text("id", "");
        String title = null;
        String name = item.text("type", "");
        Object input = null;
        String output = null;
        switch (name) {
            case "agentMessage" -> {
                return handleText(agent, item, complete, false, item.text("text", ""));
            }
            case "reasoning" -> {
                String summary = String.join("\n", item.texts("summary"));
                return handleText(
                        agent,
                        item,
                        complete,
                        true,
                        summary.isEmpty() ? String.join("\n", item.texts("content")) : summary);
            }
            case "userMessage",
                    "hookPrompt",
                    "plan",
                    "contextCompaction",
                    "enteredReviewMode",
                    "exitedReviewMode",
                    "sleep" -> {
                return true;
            }
            case "subAgentActivity" -> {
                handleActivity(agent, item);
                return true;
            }
            case "collabAgentToolCall" -> {
                name = toolName(item.text("tool", ""));
                title = item.text("prompt");
                input = new ToolInput.ForAgents(item.text("prompt"), item.value("receiverThreadIds"));
            }
            case "commandExecution" -> {
                name = "exec_command";
                title = item.text("command");
                input = new ToolInput.Command(item.text("command"), item.text("cwd"));
                output = item.text("aggregatedOutput");
            }
            case "fileChange" -> {
                name = "apply_patch";
                title = item.objects("changes").stream()
                        .map(change -> change.text("path", ""))
                        .collect(Collectors.joining(", "));
                input = new ToolInput.Changes(item.objects("changes"));
            }
            case "mcpToolCall", "dynamicToolCall" -> {
                name = item.text("server", item.text("namespace", "tool")) + "." + item.text("tool", "");
                input = item.value("arguments");
                output = contentOf(item);
            }
            case "webSearch" -> title = item.text("query");
            case "imageView" -> title = item.text("path");
            case "imageGeneration" -> title = item.text("revisedPrompt");
            case "functionCallOutput" -> {
                name = item.text("name", name);
                output = item.text("output");
            }
            default -> {
                return false;
            }
        }
        frames.tool(new ToolCall(
                id, agent, name, title, statusOf(item, complete), complete ? null : input, complete ? output : null));
        if (name.equals("spawn_agent") || item.has("agentsStates")) {
            handleCollab(item, complete);
        }
        return true;
    }

    private boolean handleText(@Nullable String agent, JsonObject item, boolean complete, boolean thought, String text)
            throws InterruptedException {
        if (complete && !inPieces.remove(item.text("id", ""))) {
            frames.said(agent, thought, text);
        }
        return true;
    }

    private static Progress statusOf(JsonObject item, boolean complete) {
        return switch (item.text("status", "")) {
            case "failed", "declined", "interrupted" -> Progress.FAILED;
            case "completed" -> Progress.COMPLETED;
            default -> complete ? Progress.COMPLETED : Progress.RUNNING;
        };
    }

    private static @Nullable String contentOf(JsonObject item) {
        String error = item.object("error").text("message");
        String content = item.object("result").objects("content").stream()
                .map(part -> part.text("text", ""))
                .collect(Collectors.joining("\n"));
        String items = item.objects("contentItems").stream()
                .map(part -> part.text("text", ""))
                .collect(Collectors.joining("\n"));
        return error != null ? error : content.isEmpty() ? items.isEmpty() ? null : items : content;
    }

    private static String toolName(String tool) {
        return switch (tool) {
            case "spawnAgent" -> "spawn_agent";
            case "wait" -> "wait_agent";
            case "closeAgent" -> "close_agent";
            case "sendInput" -> "send_input";
            default -> tool;
        };
    }

    /** A call about other threads: the one that starts a sub-agent says its place, and some say how others fare. */
    private void handleCollab(JsonObject item, boolean complete) throws InterruptedException {
        if (complete && item.text("tool", "").equals("spawnAgent")) {
            String parent = agentOfThread.apply(item.text("senderThreadId"));
            for (String thread : item.texts("receiverThreadIds")) {
                agents.spawned(new SubAgents.Origin(
                        thread,
                        thread,
                        parent,
                        item.text("id"),
                        null,
                        item.text("prompt"),
                        agents.depth(parent) + 1,
                        true));
            }
        }
        JsonObject states = item.object("agentsStates");
        for (String thread : states.names()) {
            JsonObject state = states.object(thread);
            switch (state.text("status", "")) {
                case "errored" -> agents.ended(thread, Status.FAILED, null, state.text("message"));
                case "interrupted", "shutdown" -> agents.ended(thread, Status.KILLED, null, null);
                default -> {}
            }
        }
    }

    /** How the second kind of multi-agent mode tells of a sub-agent. */
    private void handleActivity(@Nullable String agent, JsonObject item) throws InterruptedException {
        String thread = item.text("agentThreadId", "");
        switch (item.text("kind", "")) {
            case "started" ->
                agents.spawned(new SubAgents.Origin(
                        thread,
                        thread,
                        agent,
                        item.text("id"),
                        item.text("agentPath"),
                        null,
                        agents.depth(agent) + 1,
                        true));
            case "completed" -> agents.ended(thread, Status.COMPLETED, null, null);
            case "interrupted" -> agents.ended(thread, Status.KILLED, null, null);
            default -> {}
        }
    }
}
