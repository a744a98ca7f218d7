package brig.formats.codex;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.Dialogue;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.Questions;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.SessionHandshake;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.spawn.PermissionMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to Codex: {@code initialize}, one thread, then a turn for each message. {@link CodexThreads} reads
 * Codex' output. Messages that arrive before the thread exists wait for it.
 */
final class CodexDialogue implements Dialogue {
    private record ClientInfo(String name, String title, String version) {}

    @CamelCase
    private record Capabilities(boolean experimentalApi) {}

    @CamelCase
    private record Initialize(ClientInfo clientInfo, Capabilities capabilities) {}

    /** @param threadId null for a new one */
    @CamelCase
    private record OpenThread(
            @Nullable String threadId,
            String cwd,
            String approvalPolicy,
            String sandbox,
            @Nullable String model,
            @Nullable String developerInstructions) {}

    @Foreign
    private record Opened(OpenedThread thread, @Nullable String model) {}

    @CamelCase
    @Foreign
    private record OpenedThread(
            @Default("") String id, @Nullable String cliVersion) {}

    private record Text(String type, String text) {}

    @CamelCase
    private record StartTurn(String threadId, List<Text> input) {}

    @CamelCase
    private record InterruptTurn(String threadId, String turnId) {}

    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final JsonRpc<RpcAnswer> rpc;
    private final Questions questions;
    private final CodexThreads threads;
    /** Running turns by thread, the agent's own and its sub-agents'. */
    private final Map<String, String> running = new ConcurrentHashMap<>();

    private final SessionHandshake opening;

    CodexDialogue(Context context) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.rpc = new JsonRpc<>(context.input(), false);
        this.opening = new SessionHandshake(frames, turn, this::startTurn);
        this.questions = new Questions(frames, context);
        this.threads = new CodexThreads(frames, turn, running, this::cancelLate, questions::withdraw);
    }

    @Override
    public OutputReader reader(Pipe pipe) {
        return switch (pipe) {
            case STDERR -> NativeReader.ofText(pipe, context.frames());
            case STDOUT ->
                new NativeReader(
                        frames,
                        context.task().raw(),
                        new CodexMessages(rpc, threads, new CodexApprovals(frames, rpc, threads, questions, context)));
        };
    }

    @Override
    public void start() {
        rpc.request(
                "initialize",
                new Initialize(new ClientInfo("brig", "Brig", "1"), new Capabilities(true)),
                (result, error) -> {
                    if (error == null) {
                        rpc.notify("initialized", null);
                        openThread();
                    } else {
                        opening.fail(error.text("message"));
                    }
                });
    }

    private void openThread() {
        AgentTask task = context.task();
        OpenThread params = new OpenThread(
                task.session(),
                task.folder(),
                task.permissions().toldMode() == PermissionMode.ALLOW ? "never" : "untrusted",
                "danger-full-access",
                task.model(),
                task.systemPrompt());
        String method = task.session() == null ? "thread/start" : task.copies() ? "thread/fork" : "thread/resume";
        rpc.request(method, params, (result, error) -> {
            if (error == null) {
                handleThread(result);
            } else {
                opening.fail(error.text("message"));
            }
        });
    }

    private void handleThread(JsonObject result) throws InterruptedException {
        Opened opened = result.as(Opened.class);
        String id = opened.thread().id();
        frames.put(new Frame.Session(id, "codex", opened.thread().cliVersion(), opened.model()));
        threads.open(id);
        opening.complete(id);
    }

    @Override
    public boolean send(String content) {
        return opening.send(content);
    }

    private boolean startTurn(String id, String content) {
        return rpc.request("turn/start", new StartTurn(id, List.of(new Text("text", content))), (result, error) -> {
                    if (error != null) {
                        frames.error("AGENT_ERROR", error.text("message", "the agent refused the message"));
                        turn.end(true, null);
                    }
                })
                > 0;
    }

    @Override
    public boolean cancel() {
        if (!turn.cancel()) {
            return false;
        }
        running.forEach(this::interrupt);
        return true;
    }

    /** Cancels a turn that begins while its message is being cancelled. */
    private void cancelLate(String id, String started) {
        if (turn.isCancelled()) {
            interrupt(id, started);
        }
    }

    private void interrupt(String id, String turnId) {
        rpc.request("turn/interrupt", new InterruptTurn(id, turnId), (result, error) -> {});
    }
}
