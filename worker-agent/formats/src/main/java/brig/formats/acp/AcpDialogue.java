package brig.formats.acp;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.Dialogue;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.SessionHandshake;
import brig.protocol.frame.Frame;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.rpc.JsonRpc;
import java.util.List;
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

    @CamelCase
    private record FileAccess(boolean readTextFile, boolean writeTextFile) {}

    /** What we serve the agent. */
    private record Capabilities(FileAccess fs, boolean terminal) {}

    private record ClientInfo(String name, String version) {}

    @CamelCase
    private record Initialize(int protocolVersion, Capabilities clientCapabilities, ClientInfo clientInfo) {}

    /** @param sessionId null for a new one */
    @CamelCase
    private record OpenSession(@Nullable String sessionId, String cwd, List<JsonObject> mcpServers) {}

    @CamelCase
    private record SetOption(String sessionId, String configId, String value) {}

    private record Text(String type, String text) {}

    @CamelCase
    private record Prompt(String sessionId, List<Text> prompt) {}

    @CamelCase
    private record Cancel(String sessionId) {}

    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final JsonRpc<RpcAnswer> rpc;
    private final AcpMessages messages;
    private final SessionHandshake opening;
    /** What the captain wants of the agent, until the first message takes it along. */
    private final AtomicReference<@Nullable String> preface;

    /** Owned by the thread that reads standard output. */
    private JsonObject agent = JsonObject.EMPTY;

    AcpDialogue(Context context, boolean events) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.rpc = new JsonRpc<>(context.input(), true);
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
        rpc.request(
                "initialize",
                new Initialize(
                        VERSION, new Capabilities(new FileAccess(false, false), false), new ClientInfo("brig", "1")),
                (result, error) -> {
                    if (error == null) {
                        agent = result;
                        openSession();
                    } else {
                        opening.fail(error.text("message"));
                    }
                });
    }

    private void openSession() {
        AgentTask task = context.task();
        JsonObject can = agent.object("agentCapabilities");
        String method = task.session() == null
                ? "session/new"
                : can.object("sessionCapabilities").has("resume") ? "session/resume" : "session/load";
        // What is loaded is told again by the agent, and was told by its frames before.
        messages.ignoreUpdates(task.session() != null);
        rpc.request(method, new OpenSession(task.session(), task.folder(), List.of()), (result, error) -> {
            messages.ignoreUpdates(false);
            if (error == null) {
                handleSession(result);
            } else {
                opening.fail(error.text("message"));
            }
        });
    }

    private void handleSession(JsonObject result) throws InterruptedException {
        String earlier = context.task().session();
        String id = earlier == null ? result.text("sessionId", "") : earlier;
        messages.open(id);
        JsonObject info = agent.object("agentInfo");
        frames.put(new Frame.Session(
                id, info.text("name"), info.text("version"), modelOption(result).text("currentValue")));
        String value = modelToChoose(result);
        if (value == null) {
            opening.complete(id);
            return;
        }
        rpc.request("session/set_config_option", new SetOption(id, MODEL, value), (chosen, error) -> {
            if (error == null) {
                opening.complete(id);
            } else {
                opening.fail(error.text("message"));
            }
        });
    }

    private static JsonObject modelOption(JsonObject result) {
        return result.objects("configOptions").stream()
                .filter(option -> option.text("id", "").equals(MODEL))
                .findFirst()
                .orElse(JsonObject.EMPTY);
    }

    /**
     * What the agent calls the model that the captain wants, null where it is the session's already. One that it does not
     * offer is chosen all the same, for the agent to refuse: it must not go on with another.
     */
    private @Nullable String modelToChoose(JsonObject result) {
        String wanted = context.task().model();
        JsonObject option = modelOption(result);
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
        return rpc.request("session/prompt", new Prompt(id, List.of(new Text("text", content))), this::handleTurnEnd)
                > 0;
    }

    private void handleTurnEnd(JsonObject result, @Nullable JsonObject error) throws InterruptedException {
        Long status = messages.takeModelStatus();
        if (error != null && !turn.isCancelled()) {
            frames.error(new Frame.Failure(error.text("message", "the agent gave up"), "MODEL_ERROR", null, status));
        }
        String reason = result.text("stopReason", "");
        JsonObject tokens = result.object("usage");
        TokenUsage usage = messages.turnUsage(
                tokens.isEmpty()
                        ? null
                        : new TokenUsage(
                                tokens.number("inputTokens", 0),
                                tokens.number("outputTokens", 0),
                                tokens.number("cachedReadTokens", 0),
                                messages.costSinceLast()));
        if (usage != null) {
            frames.put(Frame.Usage.of(null, usage));
        }
        boolean failed = error != null || !(reason.equals("end_turn") || reason.equals("cancelled"));
        if (failed && error == null) {
            frames.error("AGENT_ERROR", "the agent stopped: " + reason);
        }
        turn.end(failed, usage);
    }

    @Override
    public boolean cancel() {
        if (!turn.cancel()) {
            return false;
        }
        String id = opening.session();
        return id == null || rpc.notify("session/cancel", new Cancel(id));
    }
}
