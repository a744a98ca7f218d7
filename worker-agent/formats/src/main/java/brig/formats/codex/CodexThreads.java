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
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles the notifications of Codex' threads: the agent's own, and one for each sub-agent. All share one connection. A
 * sub-agent's first notifications arrive before the call that started it. They are held back, so that its frames follow
 * the frame of its place in the tree.
 *
 * <p>A captain's turn ends when the turns of the agent and all its sub-agents have ended. Owned by the thread that
 * reads standard output.
 */
final class CodexThreads {
    private static final int HELD_MAX = 1000;

    private final AgentFrames frames;
    private final AgentTurn turn;
    private final Map<String, String> running;
    private final BiConsumer<String, String> started;
    private final Consumer<String> withdraw;
    private final SubAgents agents;
    private final CodexItems items;
    private final Map<String, List<CodexMessage>> held = new LinkedHashMap<>();
    private int heldCount;

    private String root = "";
    /** The agent's own turn ended; sub-agents may still work on the message. */
    private boolean rootIsOver;

    private boolean failed;
    private @Nullable TokenUsage usage;

    /**
     * @param running receives the running turns, by thread
     * @param started called for each turn that begins
     * @param withdraw called with the id of each request that Codex no longer waits for
     */
    CodexThreads(
            AgentFrames frames,
            AgentTurn turn,
            Map<String, String> running,
            BiConsumer<String, String> started,
            Consumer<String> withdraw) {
        this.frames = frames;
        this.turn = turn;
        this.running = running;
        this.started = started;
        this.withdraw = withdraw;
        this.agents = new SubAgents(frames);
        this.items = new CodexItems(frames, agents, this::agentOf);
    }

    /** Sets the agent's own thread. */
    void open(String thread) throws InterruptedException {
        root = thread;
        List<CodexMessage> early = held.remove(thread);
        for (CodexMessage message : early == null ? List.<CodexMessage>of() : early) {
            heldCount--;
            handle(message);
        }
    }

    /** Handles a notification; false if its kind is unknown. */
    boolean handle(CodexMessage message) throws InterruptedException {
        String thread = message.params().threadId();
        if (thread != null && !thread.equals(root) && !agents.knows(thread)) {
            hold(thread, message);
            return true;
        }
        boolean understood = handleOf(thread, message);
        release();
        endTurnWhenOver();
        return understood;
    }

    void handleEnd() throws InterruptedException {
        placeAll();
        agents.allKilled();
    }

    /** The sub-agent of that thread; null for the agent itself. */
    @Nullable
    String agentOf(@Nullable String thread) {
        return thread == null || thread.equals(root) ? null : thread;
    }

    /** What a file change that waits for its permission would change; null if that is not known. */
    @Nullable
    JsonObject changesOf(@Nullable String itemId) {
        return items.changesOf(itemId);
    }

    private boolean handleOf(@Nullable String thread, CodexMessage message) throws InterruptedException {
        String agent = agentOf(thread);
        switch (message.told()) {
            case CodexNotification.TurnStarted begun ->
                handleTurn(String.valueOf(thread), begun.turn().id());
            case CodexNotification.TurnCompleted ended -> handleTurnEnd(String.valueOf(thread), ended.turn());
            case CodexNotification.PlanUpdated updated -> handlePlan(agent, updated.plan());
            case CodexNotification.UsageUpdated used ->
                handleUsage(agent, used.tokenUsage().last());
            case CodexNotification.Failed failure -> handleError(agent, failure.error(), failure.willRetry());
            case CodexNotification.Warning warning -> {
                String words = warning.message() == null ? warning.summary() : warning.message();
                frames.warned(agent, words == null ? String.valueOf(message.method()) : words);
            }
            case CodexNotification.MessageDelta piece -> items.handlePiece(agent, piece.itemId(), false, piece.delta());
            case CodexNotification.ReasoningDelta piece ->
                items.handlePiece(agent, piece.itemId(), true, piece.delta());
            case CodexNotification.OutputDelta piece -> frames.toolWrites(agent, piece.itemId(), piece.delta());
            case CodexNotification.ItemStarted begun -> {
                return items.handle(agent, begun.item(), false);
            }
            case CodexNotification.ItemCompleted done -> {
                return items.handle(agent, done.item(), true);
            }
            case CodexNotification.RequestResolved(var request) -> withdraw.accept(String.valueOf(request));
            case CodexNotification.Silent _ -> {}
            case null -> {
                return false;
            }
        }
        return true;
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

    private void handleTurnEnd(String thread, CodexNotification.Turn ended) throws InterruptedException {
        running.remove(thread);
        if (thread.equals(root)) {
            rootIsOver = true;
            failed = ended.status() == CodexNotification.Outcome.FAILED;
            placeAll();
            return;
        }
        String said = ended.items().stream()
                .filter(CodexItem.AgentMessage.class::isInstance)
                .map(item -> ((CodexItem.AgentMessage) item).text())
                .reduce(null, (earlier, later) -> later);
        Status status = switch (ended.status()) {
            case FAILED -> Status.FAILED;
            case INTERRUPTED -> Status.KILLED;
            case COMPLETED -> Status.COMPLETED;
            case null -> Status.COMPLETED;
        };
        agents.ended(thread, status, said, ended.error().message());
    }

    private void endTurnWhenOver() throws InterruptedException {
        if (rootIsOver && agents.living().isEmpty()) {
            rootIsOver = false;
            TokenUsage whole = usage;
            usage = null;
            turn.end(failed, whole);
        }
    }

    private void handlePlan(@Nullable String agent, List<CodexNotification.Step> plan) throws InterruptedException {
        frames.put(new Frame.Plan(
                agent,
                plan.stream()
                        .map(step -> new Frame.Plan.Entry(step.step(), planStatus(step.status())))
                        .toList()));
    }

    private static String planStatus(String status) {
        return status.equals("inProgress") ? "in_progress" : status;
    }

    private void handleUsage(@Nullable String agent, CodexNotification.Tokens last) throws InterruptedException {
        TokenUsage cost = new TokenUsage(last.inputTokens(), last.outputTokens(), last.cachedInputTokens(), null);
        usage = usage == null ? cost : usage.plus(cost);
        frames.put(Frame.Usage.of(agent, cost));
    }

    private void handleError(@Nullable String agent, CodexNotification.Fault error, boolean willRetry)
            throws InterruptedException {
        String message = error.message() == null ? "unknown" : error.message();
        String details = error.additionalDetails() == null ? "" : ": " + error.additionalDetails();
        Frame.Failure failure = new Frame.Failure(message + details, "MODEL_ERROR", agent, statusOf(error));
        frames.error(willRetry ? failure.again(null, null, null) : failure);
    }

    /** The HTTP status of a failure: reported beside its kind, or implied by the kind. */
    private static @Nullable Long statusOf(CodexNotification.Fault error) {
        return switch (error.kind()) {
            case "badRequest", "contextWindowExceeded" -> 400L;
            case "unauthorized" -> 401L;
            case "modelNotFound" -> 404L;
            case "usageLimitExceeded" -> 429L;
            case "internalServerError" -> 500L;
            case "serverOverloaded" -> 503L;
            case null, default ->
                error.kinds().values().stream()
                        .map(CodexNotification.Kind::httpStatusCode)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        };
    }

    private void hold(String thread, CodexMessage message) throws InterruptedException {
        held.computeIfAbsent(thread, id -> new ArrayList<>()).add(message);
        if (++heldCount >= HELD_MAX) {
            placeAll();
        }
    }

    /** Releases the held notifications of threads whose place is now known. These may reveal the place of others. */
    private void release() throws InterruptedException {
        for (String thread : List.copyOf(held.keySet())) {
            if (agents.knows(thread)) {
                List<CodexMessage> events = held.remove(thread);
                heldCount -= events == null ? 0 : events.size();
                for (CodexMessage message : events == null ? List.<CodexMessage>of() : events) {
                    handle(message);
                }
            }
        }
    }

    /** Places all remaining threads below the agent itself. */
    private void placeAll() throws InterruptedException {
        for (String thread : List.copyOf(held.keySet())) {
            agents.spawned(new SubAgents.Origin(thread, thread, null, null, null, null, 1, true));
        }
        release();
    }
}
