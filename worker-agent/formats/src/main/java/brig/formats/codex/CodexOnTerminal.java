package brig.formats.codex;

import brig.formats.adapter.AgentActivity;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.HookEvent;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.TranscriptReader;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads Codex 0.169 on a terminal. Its hooks name the rollouts of its threads, one for each sub-agent, and say when it waits.
 * A rollout has each item once, when it is complete.
 *
 * <p>Owned by the thread that reads the pipe. Decision 0195.
 */
public final class CodexOnTerminal implements TranscriptReader {
    private static final int THREADS_MAX = 400;

    private final AgentFrames frames;
    private final AgentActivity activity;
    private final Files files;
    private final SubAgents agents;
    /** By the path of its rollout. */
    private final Map<String, Rollout> threads = new HashMap<>();

    /** The rollout of a thread, and what is known from it. */
    private static final class Rollout {
        final String id;
        /** Null for the agent itself. */
        final @Nullable String agent;

        private CodexLine.@Nullable Tokens counted;
        private CodexRollout.@Nullable Meta meta;
        private @Nullable String model;

        Rollout(String id, @Nullable String agent) {
            this.id = id;
            this.agent = agent;
        }
    }

    public CodexOnTerminal(AgentFrames frames, AgentActivity activity, Files files) {
        this.frames = frames;
        this.activity = activity;
        this.files = files;
        this.agents = new SubAgents(frames);
    }

    @Override
    public void handleLine(String path, byte[] line) throws InterruptedException {
        Rollout thread = threads.get(path);
        if (thread != null) {
            JsonObject read = NativeJson.readOutput(line, 0, line.length);
            if (read != null) {
                handle(thread, read.as(CodexRollout.class));
            }
        } else if (path.equals(EVENTS)) {
            handle(HookEvent.read(line));
        }
    }

    /** A sub-agent's events name its own rollout, but for its end. */
    private void handle(HookEvent event) throws InterruptedException {
        String path = event.transcriptPath();
        boolean names = event.hookEventName().equals("SubagentStart") || event.agentId() == null;
        if (path != null && names && threads.size() < THREADS_MAX && !threads.containsKey(path)) {
            String id = event.agentId() == null ? event.sessionId() : event.agentId();
            threads.put(path, new Rollout(id, event.agentId()));
            files.follow(path, event.mode());
        }
        event.tell(activity);
    }

    private void handle(Rollout thread, CodexRollout line) throws InterruptedException {
        JsonObject payload = line.payload();
        if (payload == null) {
            return;
        }
        switch (line.type()) {
            case "session_meta" -> {
                thread.meta = payload.as(CodexRollout.Meta.class);
                handleMeta(thread, thread.meta);
            }
            case "turn_context" ->
                handleModel(thread, payload.as(CodexRollout.Context.class).model());
            case "event_msg" ->
                handle(thread, payload.as(CodexRollout.Any.class).said());
            default -> {}
        }
    }

    private void handleMeta(Rollout thread, CodexRollout.Meta meta) throws InterruptedException {
        if (thread.agent == null) {
            frames.put(new Frame.Session(thread.id, "codex", meta.cliVersion(), null));
            return;
        }
        String parent = meta.parentThreadId();
        boolean ofRoot = threads.values().stream().anyMatch(other -> other.agent == null && other.id.equals(parent));
        String type = meta.agentRole() == null ? meta.agentNickname() : meta.agentRole();
        place(thread.agent, ofRoot ? null : parent, null, type, null);
    }

    private void handleModel(Rollout thread, @Nullable String model) throws InterruptedException {
        if (thread.agent == null && model != null && !model.equals(thread.model)) {
            thread.model = model;
            String version = thread.meta == null ? null : thread.meta.cliVersion();
            frames.put(new Frame.Session(thread.id, "codex", version, model));
        }
    }

    private void place(
            String id, @Nullable String parent, @Nullable String tool, @Nullable String type, @Nullable String prompt)
            throws InterruptedException {
        agents.spawned(new SubAgents.Origin(id, id, parent, tool, type, prompt, agents.depth(parent) + 1, true));
    }

    private void handle(Rollout thread, CodexRollout.@Nullable Event event) throws InterruptedException {
        switch (event) {
            case CodexRollout.TaskStarted _ -> {
                if (thread.agent == null) {
                    activity.works();
                } else {
                    agents.resumed(thread.agent);
                    agents.active(thread.agent);
                }
            }
            case CodexRollout.TaskComplete(String last) -> handleEnd(thread, Status.COMPLETED, last);
            case CodexRollout.TurnAborted _ -> handleEnd(thread, Status.KILLED, null);
            case CodexRollout.TokenCount(CodexRollout.Info(CodexLine.Tokens total)) -> {
                if (total != null) {
                    handleUsage(thread, total);
                }
            }
            case CodexRollout.ItemCompleted(CodexRollout.Item item) -> handle(thread, item);
            case CodexRollout.Failed(String message) ->
                frames.error(new Frame.Failure(message, "MODEL_ERROR", thread.agent, null));
            case null -> {}
        }
    }

    private void handleEnd(Rollout thread, Status status, @Nullable String last) throws InterruptedException {
        if (thread.agent == null) {
            activity.idles();
        } else {
            agents.ended(thread.agent, status, last, null);
        }
    }

    /** The count is of the whole thread; one that did not grow was told before. */
    private void handleUsage(Rollout thread, CodexLine.Tokens total) throws InterruptedException {
        CodexLine.Tokens before = thread.counted == null ? new CodexLine.Tokens(0, 0, 0) : thread.counted;
        long input = total.inputTokens() - before.inputTokens();
        long output = total.outputTokens() - before.outputTokens();
        if (input > 0 || output > 0) {
            thread.counted = total;
            long cached = total.cachedInputTokens() - before.cachedInputTokens();
            frames.put(Frame.Usage.of(
                    thread.agent, new TokenUsage(Math.max(0, input), Math.max(0, output), Math.max(0, cached), null)));
        }
    }

    private void handle(Rollout thread, CodexRollout.@Nullable Item item) throws InterruptedException {
        activity.goesOn();
        String agent = thread.agent;
        switch (item) {
            case CodexRollout.UserMessage asked -> {
                if (agent == null) {
                    frames.asked(asked.id(), text(asked.content()));
                }
            }
            case CodexRollout.AgentMessage said -> frames.said(agent, false, text(said.content()));
            case CodexRollout.Reasoning thought ->
                frames.said(
                        agent,
                        true,
                        String.join(
                                "\n", thought.summaryText().isEmpty() ? thought.rawContent() : thought.summaryText()));
            case CodexRollout.CommandExecution run -> {
                String command = run.command().isEmpty() ? null : run.command().getLast();
                tool(
                        agent,
                        run.call(),
                        "exec_command",
                        command,
                        new ToolInput.Command(command, run.cwd()),
                        run.aggregatedOutput());
            }
            case CodexRollout.FileChange change -> {
                String paths = change.changes() == null
                        ? null
                        : String.join(", ", change.changes().names());
                tool(agent, change.call(), "apply_patch", paths, change.changes(), null);
            }
            case CodexRollout.McpToolCall called ->
                tool(agent, called.call(), called.server() + "." + called.tool(), null, called.arguments(), null);
            case CodexRollout.WebSearch search -> tool(agent, search.call(), "web_search", search.query(), null, null);
            case CodexRollout.CollabCall called -> {
                ToolInput.ForAgents input = new ToolInput.ForAgents(called.prompt(), called.receiverThreadIds());
                tool(agent, called.call(), CodexItems.toolName(called.tool()), called.prompt(), input, null);
                List<String> started = called.receiverThreadIds();
                for (String id : started != null && called.tool().equals("spawn_agent") ? started : List.<String>of()) {
                    place(id, agent, called.call().id(), null, called.prompt());
                }
            }
            case null -> {}
        }
    }

    private void tool(
            @Nullable String agent,
            CodexItem.Call call,
            String name,
            @Nullable String title,
            @Nullable Object input,
            @Nullable String output)
            throws InterruptedException {
        Progress progress = switch (call.status()) {
            case FAILED, DECLINED, INTERRUPTED -> Progress.FAILED;
            case COMPLETED -> Progress.COMPLETED;
            case null -> Progress.COMPLETED;
        };
        agents.called(agent, call.id());
        frames.tool(new ToolCall(call.id(), agent, name, title, progress, input, output));
    }

    private static String text(List<CodexRollout.Part> content) {
        return content.stream().map(CodexRollout.Part::text).collect(Collectors.joining("\n"));
    }

    @Override
    public void handleEnd() throws InterruptedException {
        agents.allKilled();
    }
}
