package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What Codex tells of its threads: the agent's own, and one for each sub-agent. All speak on the same connection, and a
 * sub-agent begins to before the call that started it is told: what it says until then is held back, so that it comes
 * behind its place in the tree.
 *
 * <p>A message is worked off when the agent's turn and those of all its sub-agents are over. Owned by the thread that
 * reads standard output.
 */
final class CodexThreads {
    private static final int HELD_MAX = 1000;
    private static final Map<String, Long> STATUS_OF_KIND = Map.of(
            "badRequest",
            400L,
            "contextWindowExceeded",
            400L,
            "unauthorized",
            401L,
            "modelNotFound",
            404L,
            "usageLimitExceeded",
            429L,
            "internalServerError",
            500L,
            "serverOverloaded",
            503L);

    /** Something that a thread said. */
    private record Event(String method, JsonObject params) {}

    private final AgentFrames frames;
    private final AgentTurn turn;
    private final Map<String, String> running;
    private final BiConsumer<String, String> started;
    private final SubAgents agents;
    private final CodexItems items;
    private final Map<String, List<Event>> held = new LinkedHashMap<>();
    private int heldCount;

    private String root = "";
    /** The agent's own turn is over, and the message that it was for may not be. */
    private boolean rootIsOver;

    private boolean failed;
    private @Nullable TokenUsage usage;

    /**
     * @param running takes the turns that run, by thread
     * @param started told of each turn that begins
     */
    CodexThreads(AgentFrames frames, AgentTurn turn, Map<String, String> running, BiConsumer<String, String> started) {
        this.frames = frames;
        this.turn = turn;
        this.running = running;
        this.started = started;
        this.agents = new SubAgents(frames);
        this.items = new CodexItems(frames, agents, this::agentOf);
    }

    /** The agent's own thread is this one. */
    void open(String thread) throws InterruptedException {
        root = thread;
        List<Event> early = held.remove(thread);
        for (Event event : early == null ? List.<Event>of() : early) {
            heldCount--;
            handle(event.method(), event.params());
        }
    }

    /** Takes a notification; false where it is of no kind that is known. */
    boolean handle(String method, JsonObject params) throws InterruptedException {
        String thread = params.text("threadId");
        if (thread != null && !thread.equals(root) && !agents.knows(thread)) {
            hold(thread, new Event(method, params));
            return true;
        }
        boolean understood = handleOf(thread, method, params);
        release();
        endTurnWhenOver();
        return understood;
    }

    void handleEnd() throws InterruptedException {
        placeAll();
        agents.allKilled();
    }

    private @Nullable String agentOf(@Nullable String thread) {
        return thread == null || thread.equals(root) ? null : thread;
    }

    private boolean handleOf(@Nullable String thread, String method, JsonObject params) throws InterruptedException {
        String agent = agentOf(thread);
        switch (method) {
            case "turn/started" ->
                handleTurn(String.valueOf(thread), params.object("turn").text("id", ""));
            case "turn/completed" -> handleTurnEnd(String.valueOf(thread), params.object("turn"));
            case "turn/plan/updated" -> handlePlan(agent, params);
            case "thread/tokenUsage/updated" ->
                handleUsage(agent, params.object("tokenUsage").object("last"));
            case "error" -> handleError(agent, params);
            case "warning", "configWarning", "deprecationNotice", "guardianWarning" ->
                frames.warned(agent, params.text("message", params.text("summary", method)));
            default -> {
                return method.startsWith("item/") ? items.handle(agent, method, params) : isKnown(method);
            }
        }
        return true;
    }

    /** What says nothing to a captain. */
    private static boolean isKnown(String method) {
        return switch (method) {
            case "thread/started",
                    "thread/status/changed",
                    "thread/readState/changed",
                    "thread/settings/updated",
                    "thread/name/updated",
                    "thread/closed",
                    "thread/environment/connected",
                    "thread/environment/disconnected",
                    "turn/diff/updated",
                    "hook/started",
                    "hook/completed",
                    "account/updated",
                    "account/rateLimits/updated",
                    "remoteControl/status/changed",
                    "skills/changed",
                    "app/list/updated",
                    "mcpServer/startupStatus/updated",
                    "serverRequest/resolved" -> true;
            default -> false;
        };
    }

    private void handleTurn(String thread, String id) throws InterruptedException {
        running.put(thread, id);
        if (thread.equals(root)) {
            rootIsOver = false;
        } else {
            agents.resumed(thread);
            agents.active(thread);
        }
        started.accept(thread, id);
    }

    private void handleTurnEnd(String thread, JsonObject ended) throws InterruptedException {
        running.remove(thread);
        String status = ended.text("status", "");
        if (thread.equals(root)) {
            rootIsOver = true;
            failed = status.equals("failed");
            placeAll();
            return;
        }
        String said = ended.objects("items").stream()
                .filter(item -> item.text("type", "").equals("agentMessage"))
                .map(item -> item.text("text", ""))
                .reduce(null, (earlier, later) -> later);
        agents.ended(
                thread,
                switch (status) {
                    case "failed" -> Status.FAILED;
                    case "interrupted" -> Status.KILLED;
                    default -> Status.COMPLETED;
                },
                said,
                ended.object("error").text("message"));
    }

    private void endTurnWhenOver() throws InterruptedException {
        if (rootIsOver && agents.living().isEmpty()) {
            rootIsOver = false;
            TokenUsage whole = usage;
            usage = null;
            turn.end(failed, whole);
        }
    }

    private void handlePlan(@Nullable String agent, JsonObject params) throws InterruptedException {
        List<Frame.Plan.Entry> entries = params.objects("plan").stream()
                .map(step -> new Frame.Plan.Entry(step.text("step"), planStatus(step.text("status", "pending"))))
                .toList();
        frames.put(new Frame.Plan(agent, entries));
    }

    private static String planStatus(String status) {
        return status.equals("inProgress") ? "in_progress" : status;
    }

    private void handleUsage(@Nullable String agent, JsonObject last) throws InterruptedException {
        TokenUsage cost = new TokenUsage(
                last.number("inputTokens", 0),
                last.number("outputTokens", 0),
                last.number("cachedInputTokens", 0),
                null);
        usage = usage == null ? cost : usage.plus(cost);
        frames.put(Frame.Usage.of(agent, cost));
    }

    private void handleError(@Nullable String agent, JsonObject params) throws InterruptedException {
        JsonObject error = params.object("error");
        String details = error.text("additionalDetails");
        Frame.Failure failure = new Frame.Failure(
                error.text("message", "unknown") + (details == null ? "" : ": " + details),
                "MODEL_ERROR",
                agent,
                statusOf(error));
        frames.error(params.flag("willRetry") ? failure.again(null, null, null) : failure);
    }

    /** Codex names a kind of failure, with the status beside it or as what the kind stands for. */
    private static @Nullable Long statusOf(JsonObject error) {
        String kindAlone = error.text("codexErrorInfo");
        if (kindAlone != null) {
            return STATUS_OF_KIND.get(kindAlone);
        }
        JsonObject info = error.object("codexErrorInfo");
        return info.names().stream()
                .map(kind -> info.object(kind).value("httpStatusCode"))
                .filter(Long.class::isInstance)
                .map(Long.class::cast)
                .findFirst()
                .orElse(null);
    }

    private void hold(String thread, Event event) throws InterruptedException {
        held.computeIfAbsent(thread, id -> new ArrayList<>()).add(event);
        if (++heldCount >= HELD_MAX) {
            placeAll();
        }
    }

    /** Those whose place is known now say what they had to say; that may tell the place of others. */
    private void release() throws InterruptedException {
        for (String thread : List.copyOf(held.keySet())) {
            if (agents.knows(thread)) {
                List<Event> events = held.remove(thread);
                heldCount -= events == null ? 0 : events.size();
                for (Event event : events == null ? List.<Event>of() : events) {
                    handle(event.method(), event.params());
                }
            }
        }
    }

    /** Nobody will tell where they belong: below the agent itself. */
    private void placeAll() throws InterruptedException {
        for (String thread : List.copyOf(held.keySet())) {
            agents.spawned(new SubAgents.Origin(thread, thread, null, null, null, null, 1, true));
        }
        release();
    }
}
