package brig.formats.acp;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.Dialogue;
import brig.formats.adapter.JsonRpc;
import brig.formats.adapter.NativeObject;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SessionHandshake;
import brig.formats.adapter.Usage;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Talks to an ACP agent: {@code initialize}, one session, a prompt for each message. {@link AcpMessages} reads what
 * comes of it. A message that comes before there is a session waits for it.
 *
 * <p>Decision 0062.
 */
final class AcpDialogue implements Dialogue {
    private static final int VERSION = 1;
    private static final String MODEL = "model";

    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final JsonRpc rpc;
    private final AcpMessages messages;
    private final SessionHandshake opening;
    /** What the captain wants of the agent, until the first message takes it along. */
    private final AtomicReference<@Nullable String> preface;

    /** Owned by the thread that reads standard output. */
    private NativeObject agent = NativeObject.EMPTY;

    AcpDialogue(Context context, boolean events) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.rpc = new JsonRpc(context.input(), true);
        this.messages = new AcpMessages(frames, rpc, events, context.task().allow());
        this.opening = new SessionHandshake(frames, turn, this::prompt);
        this.preface = new AtomicReference<>(context.task().systemPrompt());
    }

    @Override
    public OutputReader reader(Pipe pipe) {
        return switch (pipe) {
            case STDERR -> NativeReader.ofText(pipe, context.frames());
            case STDOUT -> new NativeReader(frames, context.task().raw(), messages);
        };
    }

    @Override
    public void start() {
        Map<String, ?> nothing = Map.of("fs", Map.of("readTextFile", false, "writeTextFile", false), "terminal", false);
        rpc.request(
                "initialize",
                AgentFrames.fields(
                        "protocolVersion",
                        VERSION,
                        "clientCapabilities",
                        nothing,
                        "clientInfo",
                        Map.of("name", "brig", "version", "1")),
                (result, error) -> {
                    if (error == null) {
                        agent = result;
                        openSession();
                    } else {
                        opening.fail(error);
                    }
                });
    }

    private void openSession() {
        AgentTask task = context.task();
        NativeObject can = agent.object("agentCapabilities");
        String method = task.session() == null
                ? "session/new"
                : can.object("sessionCapabilities").has("resume") ? "session/resume" : "session/load";
        // What is loaded is told again by the agent, and was told by its frames before.
        messages.ignoreUpdates(task.session() != null);
        rpc.request(
                method,
                AgentFrames.fields("sessionId", task.session(), "cwd", task.folder(), "mcpServers", List.of()),
                (result, error) -> {
                    messages.ignoreUpdates(false);
                    if (error == null) {
                        handleSession(result);
                    } else {
                        opening.fail(error);
                    }
                });
    }

    private void handleSession(NativeObject result) throws InterruptedException {
        String earlier = context.task().session();
        String id = earlier == null ? result.text("sessionId", "") : earlier;
        messages.open(id);
        NativeObject info = agent.object("agentInfo");
        frames.put(
                FrameType.SESSION,
                AgentFrames.fields(
                        "session_id",
                        id,
                        "agent",
                        info.text("name"),
                        "agent_version",
                        info.text("version"),
                        "model",
                        modelOption(result).text("currentValue")));
        String value = modelToChoose(result);
        if (value == null) {
            opening.complete(id);
            return;
        }
        rpc.request(
                "session/set_config_option",
                Map.of("sessionId", id, "configId", MODEL, "value", value),
                (chosen, error) -> {
                    if (error == null) {
                        opening.complete(id);
                    } else {
                        opening.fail(error);
                    }
                });
    }

    private static NativeObject modelOption(NativeObject result) {
        return result.objects("configOptions").stream()
                .filter(option -> option.text("id", "").equals(MODEL))
                .findFirst()
                .orElse(NativeObject.EMPTY);
    }

    /**
     * What the agent calls the model that the captain wants, null where it is the session's already. One that it does not
     * offer is chosen all the same, for the agent to refuse: it must not go on with another.
     */
    private @Nullable String modelToChoose(NativeObject result) {
        String wanted = context.task().model();
        NativeObject option = modelOption(result);
        if (wanted == null || isModel(option.text("currentValue", ""), wanted)) {
            return null;
        }
        return option.objects("options").stream()
                .map(choice -> choice.text("value", ""))
                .filter(value -> isModel(value, wanted))
                .findFirst()
                .orElse(wanted);
    }

    /** Agents put the name of the model's provider in front. */
    private static boolean isModel(String value, String wanted) {
        return value.equals(wanted) || value.endsWith("/" + wanted);
    }

    @Override
    public boolean send(String content) {
        // The protocol has no other place for it.
        String before = preface.getAndSet(null);
        return opening.send(before == null ? content : before + "\n\n" + content);
    }

    private boolean prompt(String id, String content) {
        return rpc.request(
                "session/prompt",
                Map.of("sessionId", id, "prompt", List.of(Map.of("type", "text", "text", content))),
                this::handleTurnEnd);
    }

    private void handleTurnEnd(NativeObject result, @Nullable NativeObject error) throws InterruptedException {
        Object status = messages.takeModelStatus();
        if (error != null && !turn.isCancelled()) {
            frames.error(
                    "MODEL_ERROR", error.text("message", "the agent gave up"), AgentFrames.fields("status", status));
        }
        String reason = result.text("stopReason", "");
        NativeObject tokens = result.object("usage");
        Usage usage = messages.turnUsage(
                tokens.isEmpty()
                        ? null
                        : new Usage(
                                tokens.number("inputTokens", 0),
                                tokens.number("outputTokens", 0),
                                tokens.number("cachedReadTokens", 0),
                                messages.costSinceLast()));
        if (usage != null) {
            frames.put(FrameType.USAGE, usage.fields());
        }
        boolean failed = error != null || !(reason.equals("end_turn") || reason.equals("cancelled"));
        if (failed && error == null) {
            frames.error("AGENT_ERROR", "the agent stopped: " + reason, Map.of());
        }
        turn.end(failed, usage);
    }

    @Override
    public boolean cancel() {
        if (!turn.cancel()) {
            return false;
        }
        String id = opening.session();
        return id == null || rpc.notify("session/cancel", Map.of("sessionId", id));
    }
}
