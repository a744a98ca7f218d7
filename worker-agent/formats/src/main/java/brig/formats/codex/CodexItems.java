package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.SubAgents;
import brig.protocol.NewestMap;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns the items of a turn into frames: begun, streamed in pieces, completed. Text that came in pieces is not repeated
 * at completion. Owned by the thread that reads standard output.
 */
final class CodexItems {
    private static final int OPEN_MAX = 1000;
    private static final int CHANGES_MAX = 16;

    private final AgentFrames frames;
    private final SubAgents agents;
    private final Function<@Nullable String, @Nullable String> agentOfThread;
    /** Items whose pieces were streamed. */
    private final Set<String> inPieces = new HashSet<>();
    /** File changes that are not complete, by item. */
    private final Map<String, JsonObject> changes = new NewestMap<>(CHANGES_MAX);

    CodexItems(AgentFrames frames, SubAgents agents, Function<@Nullable String, @Nullable String> agentOfThread) {
        this.frames = frames;
        this.agents = agents;
        this.agentOfThread = agentOfThread;
    }

    void handlePiece(@Nullable String agent, String id, boolean thought, String piece) throws InterruptedException {
        if (inPieces.size() >= OPEN_MAX) {
            inPieces.clear();
        }
        inPieces.add(id);
        frames.said(agent, thought, piece);
    }

    /** Handles an item; false if its type is unknown. */
    boolean handle(@Nullable String agent, @Nullable CodexItem item, boolean complete) throws InterruptedException {
        switch (item) {
            case CodexItem.AgentMessage said -> handleText(agent, said.id(), complete, false, said.text());
            case CodexItem.Reasoning thought -> {
                String summary = String.join("\n", thought.summary());
                handleText(
                        agent,
                        thought.id(),
                        complete,
                        true,
                        summary.isEmpty() ? String.join("\n", thought.content()) : summary);
            }
            case CodexItem.Silent _ -> {}
            case CodexItem.SubAgentActivity activity -> handleActivity(agent, activity);
            case CodexItem.CollabCall called -> {
                ToolInput.ForAgents input = new ToolInput.ForAgents(called.prompt(), called.receiverThreadIds());
                frames.tool(called.call().told(agent, complete, toolName(called.tool()), called.prompt(), input, null));
                handleCollab(called, complete);
            }
            case CodexItem.CommandExecution run -> {
                ToolInput.Command input = new ToolInput.Command(run.command(), run.cwd());
                frames.tool(
                        run.call().told(agent, complete, "exec_command", run.command(), input, run.aggregatedOutput()));
            }
            case CodexItem.FileChange change -> {
                String paths = change.changes().stream()
                        .map(file -> file.text("path", ""))
                        .collect(Collectors.joining(", "));
                ToolInput.Changes input = new ToolInput.Changes(change.changes());
                if (complete) {
                    changes.remove(change.call().id());
                } else {
                    changes.put(change.call().id(), JsonObject.of(input));
                }
                frames.tool(change.call().told(agent, complete, "apply_patch", paths, input, null));
            }
            case CodexItem.ServedCall called -> {
                String name = (called.server() == null ? called.namespace() : called.server()) + "." + called.tool();
                frames.tool(called.call().told(agent, complete, name, null, called.arguments(), contentOf(called)));
            }
            case CodexItem.WebSearch search ->
                frames.tool(search.call().told(agent, complete, "webSearch", search.query(), null, null));
            case CodexItem.ImageView view ->
                frames.tool(view.call().told(agent, complete, "imageView", view.path(), null, null));
            case CodexItem.ImageGeneration image ->
                frames.tool(image.call().told(agent, complete, "imageGeneration", image.revisedPrompt(), null, null));
            case CodexItem.FunctionOutput output ->
                frames.tool(output.call().told(agent, complete, output.name(), null, null, output.output()));
            case null -> {
                return false;
            }
        }
        return true;
    }

    /** The changes of an announced item; null if they are not known. */
    @Nullable
    JsonObject changesOf(@Nullable String itemId) {
        return itemId == null ? null : changes.get(itemId);
    }

    private void handleText(@Nullable String agent, String id, boolean complete, boolean thought, String text)
            throws InterruptedException {
        if (complete && !inPieces.remove(id)) {
            frames.said(agent, thought, text);
        }
    }

    private static @Nullable String contentOf(CodexItem.ServedCall called) {
        String content = textOf(called.result().content());
        String items = textOf(called.contentItems());
        return called.error().message() != null
                ? called.error().message()
                : content.isEmpty() ? items.isEmpty() ? null : items : content;
    }

    private static String textOf(List<CodexItem.Part> parts) {
        return parts.stream().map(CodexItem.Part::text).collect(Collectors.joining("\n"));
    }

    static String toolName(String tool) {
        return switch (tool) {
            case "spawnAgent" -> "spawn_agent";
            case "wait" -> "wait_agent";
            case "closeAgent" -> "close_agent";
            case "sendInput" -> "send_input";
            default -> tool;
        };
    }

    /** Handles a call that concerns other threads: it may name a new sub-agent's place or report states. */
    private void handleCollab(CodexItem.CollabCall called, boolean complete) throws InterruptedException {
        List<String> threads = called.receiverThreadIds();
        if (complete && threads != null && called.tool().equals("spawnAgent")) {
            String parent = agentOfThread.apply(called.senderThreadId());
            for (String thread : threads) {
                spawned(thread, parent, called.call().id(), null, called.prompt());
            }
        }
        for (Map.Entry<String, CodexItem.AgentState> state :
                called.agentsStates().entrySet()) {
            String thread = state.getKey();
            String said = state.getValue().message();
            switch (state.getValue().status()) {
                case ERRORED -> agents.ended(thread, Status.FAILED, null, said);
                case INTERRUPTED, SHUTDOWN -> agents.ended(thread, Status.KILLED, null, null);
                case RUNNING, COMPLETED -> {}
                case null -> {}
            }
        }
    }

    private void spawned(
            String thread,
            @Nullable String parent,
            @Nullable String tool,
            @Nullable String type,
            @Nullable String prompt)
            throws InterruptedException {
        agents.spawned(
                new SubAgents.Origin(thread, thread, parent, tool, type, prompt, agents.depth(parent) + 1, true));
    }

    private void handleActivity(@Nullable String agent, CodexItem.SubAgentActivity activity)
            throws InterruptedException {
        String thread = activity.agentThreadId();
        switch (activity.kind()) {
            case STARTED -> spawned(thread, agent, activity.id(), activity.agentPath(), null);
            case COMPLETED -> agents.ended(thread, Status.COMPLETED, null, null);
            case INTERRUPTED -> agents.ended(thread, Status.KILLED, null, null);
            case null -> {}
        }
    }
}
