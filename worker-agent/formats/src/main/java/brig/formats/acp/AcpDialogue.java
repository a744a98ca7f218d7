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
import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.rpc.JsonRpc;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to an ACP agent: {@code initialize}, one session, then a prompt for each message. {@link AcpMessages}
 * reads the agent's output. Messages that arrive before the session exists wait for it.
 *
 * <p>Decisions 0062, 0214.
 */
final class AcpDialogue implements Dialogue {
    private static final int VERSION = 1;
    private static final String MODEL = "model";

    @CamelCase
    private record FileAccess(boolean readTextFile, boolean writeTextFile) {}

    /** Our capabilities as a client. */
    private record Capabilities(FileAccess fs, boolean terminal) {}

    /** Name and version of Brig or of the agent. */
    @Foreign
    private record Program(@Nullable String name, @Nullable String version) {}

    @CamelCase
    private record Initialize(int protocolVersion, Capabilities clientCapabilities, Program clientInfo) {}

    @Foreign
    @CamelCase
    private record Initialized(AgentCapabilities agentCapabilities, Program agentInfo) {}

    @Foreign
    @CamelCase
    private record AgentCapabilities(SessionCapabilities sessionCapabilities) {}

    /** @param resume present if the agent can resume a session without replaying it */
    @Foreign
    private record SessionCapabilities(@Nullable Object resume) {}

    /** @param sessionId null for a new one */
    @CamelCase
    private record OpenSession(@Nullable String sessionId, String cwd, List<String> mcpServers) {}

    /** @param sessionId set only for a new session and for a copy */
    @Foreign
    @CamelCase
    private record Opened(@Default("") String sessionId, List<Option> configOptions) {
        Option model() {
            return configOptions.stream()
                    .filter(option -> option.id().equals(MODEL))
                    .findFirst()
                    .orElse(new Option(MODEL, null, List.of()));
        }
    }

    @Foreign
    @CamelCase
    private record Option(@Default("") String id, @Nullable String currentValue, List<Choice> options) {}

    @Foreign
    private record Choice(@Default("") String value) {}

    @CamelCase
    private record SetOption(String sessionId, String configId, String value) {}

    private record Text(String type, String text) {}

    @CamelCase
    private record Prompt(String sessionId, List<Text> prompt) {}

    /** The end of a turn. */
    @Foreign
    @CamelCase
    private record PromptEnded(
            @Default("") String stopReason, @Nullable Usage usage) {}

    /** Token usage of the last model call of a turn. */
    @Foreign
    @CamelCase
    private record Usage(long inputTokens, long outputTokens, long cachedReadTokens) {}

    @CamelCase
    private record Cancel(String sessionId) {}

    /** Handles a successful answer. */
    private interface Step<T> {
        void take(T answer) throws InterruptedException;
    }

    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final JsonRpc<RpcAnswer> rpc;
    private final OpenCodeEvents events;
    private final AcpMessages messages;
    private final SessionHandshake opening;
    /** The captain's system prompt, until the first message carries it. */
    private final AtomicReference<@Nullable String> preface;

    /** Owned by the thread that reads standard output. */
    private Program agent = new Program(null, null);

    AcpDialogue(Context context, boolean hasEvents) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.rpc = new JsonRpc<>(context.input(), true);
        this.events = new OpenCodeEvents(frames, new SubAgents(frames));
        this.messages = new AcpMessages(frames, rpc, hasEvents ? events : null, context);
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
        Capabilities ours = new Capabilities(new FileAccess(false, false), false);
        Initialize params = new Initialize(VERSION, ours, new Program("brig", "1"));
        request("initialize", params, Initialized.class, this::openSession);
    }

    /** Sends a request that the session depends on: an error ends the handshake. */
    private <T> void request(String method, Record params, Class<T> type, Step<T> then) {
        rpc.request(method, params, (result, error) -> {
            messages.ignoreUpdates(false);
            if (error == null) {
                then.take(result.as(type));
            } else {
                opening.fail(error.text("message"));
            }
        });
    }

    private void openSession(Initialized answer) {
        agent = answer.agentInfo();
        AgentTask task = context.task();
        boolean resumes = answer.agentCapabilities().sessionCapabilities().resume() != null;
        String method = task.session() == null
                ? "session/new"
                : task.copies() ? "session/fork" : resumes ? "session/resume" : "session/load";
        // When a session is loaded or copied, the agent replays it; its frames are already in the stream, or another
        // one's.
        messages.ignoreUpdates(task.session() != null);
        request(method, new OpenSession(task.session(), task.folder(), List.of()), Opened.class, this::handleSession);
    }

    private void handleSession(Opened opened) throws InterruptedException {
        AgentTask task = context.task();
        String earlier = task.copies() ? null : task.session();
        String id = earlier == null ? opened.sessionId() : earlier;
        events.open(id);
        Option model = opened.model();
        frames.put(new Frame.Session(id, agent.name(), agent.version(), model.currentValue()));
        String value = modelToChoose(model);
        if (value == null) {
            opening.complete(id);
            return;
        }
        SetOption params = new SetOption(id, MODEL, value);
        request("session/set_config_option", params, Opened.class, chosen -> opening.complete(id));
    }

    /**
     * The agent's name for the captain's model; null if the session uses it already. A model that the agent does not
     * offer is selected nevertheless: the agent then refuses it, and does not continue with another model.
     */
    private @Nullable String modelToChoose(Option model) {
        String wanted = context.task().model();
        if (wanted == null || (model.currentValue() != null && isModel(model.currentValue(), wanted))) {
            return null;
        }
        return model.options().stream()
                .map(Choice::value)
                .filter(value -> isModel(value, wanted))
                .findFirst()
                .orElse(wanted);
    }

    /** Agents may prefix a model's name with its provider. */
    private static boolean isModel(String value, String wanted) {
        return value.equals(wanted) || value.endsWith("/" + wanted);
    }

    @Override
    public boolean send(String content) {
        // ACP has no field for a system prompt.
        String before = preface.getAndSet(null);
        return opening.send(before == null ? content : before + "\n\n" + content);
    }

    private boolean prompt(String id, String content) {
        return rpc.request("session/prompt", new Prompt(id, List.of(new Text("text", content))), this::handleTurnEnd)
                > 0;
    }

    private void handleTurnEnd(JsonObject result, @Nullable JsonObject error) throws InterruptedException {
        Long status = events.takeModelStatus();
        if (error != null && !turn.isCancelled()) {
            frames.error(new Frame.Failure(error.text("message", "the agent gave up"), "MODEL_ERROR", null, status));
        }
        PromptEnded ended = result.as(PromptEnded.class);
        Usage last = ended.usage();
        TokenUsage usage = events.turnUsage(
                last == null
                        ? null
                        : new TokenUsage(
                                last.inputTokens(),
                                last.outputTokens(),
                                last.cachedReadTokens(),
                                messages.costSinceLast()));
        if (usage != null) {
            frames.put(Frame.Usage.of(null, usage));
        }
        boolean failed = error != null || !List.of("end_turn", "cancelled").contains(ended.stopReason());
        if (failed && error == null) {
            frames.error("AGENT_ERROR", "the agent stopped: " + ended.stopReason());
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
