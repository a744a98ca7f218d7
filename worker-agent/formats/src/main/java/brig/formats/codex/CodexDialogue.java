package brig.formats.codex;

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
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Talks to Codex: {@code initialize}, one thread, a turn for each message. {@link CodexThreads} reads what comes of
 * it. A message that comes before there is a thread waits for it.
 */
final class CodexDialogue implements Dialogue {
    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final JsonRpc rpc;
    private final CodexThreads threads;
    /** The turns that run, by thread: the agent's own and those of its sub-agents. */
    private final Map<String, String> running = new ConcurrentHashMap<>();

    private final SessionHandshake opening;

    CodexDialogue(Context context) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.rpc = new JsonRpc(context.input(), false);
        this.opening = new SessionHandshake(frames, turn, this::startTurn);
        this.threads = new CodexThreads(frames, turn, running, this::cancelLate);
    }

    @Override
    public OutputReader reader(Pipe pipe) {
        return switch (pipe) {
            case STDERR -> NativeReader.ofText(pipe, context.frames());
            case STDOUT ->
                new NativeReader(
                        frames,
                        context.task().raw(),
                        new CodexMessages(
                                rpc,
                                threads,
                                new CodexApprovals(frames, rpc, context.task().allow())));
        };
    }

    @Override
    public void start() {
        Map<String, ?> client = Map.of("name", "brig", "title", "Brig", "version", "1");
        rpc.request(
                "initialize",
                Map.of("clientInfo", client, "capabilities", Map.of("experimentalApi", true)),
                (result, error) -> {
                    if (error == null) {
                        rpc.notify("initialized", Map.of());
                        openThread();
                    } else {
                        opening.fail(error);
                    }
                });
    }

    private void openThread() {
        AgentTask task = context.task();
        Map<String, Object> params = AgentFrames.fields(
                "threadId",
                task.session(),
                "cwd",
                task.folder(),
                "approvalPolicy",
                task.allow() ? "never" : "untrusted",
                "sandbox",
                "danger-full-access",
                "model",
                task.model(),
                "developerInstructions",
                task.systemPrompt());
        rpc.request(task.session() == null ? "thread/start" : "thread/resume", params, (result, error) -> {
            if (error == null) {
                handleThread(result);
            } else {
                opening.fail(error);
            }
        });
    }

    private void handleThread(NativeObject result) throws InterruptedException {
        NativeObject described = result.object("thread");
        String id = described.text("id", "");
        frames.put(
                FrameType.SESSION,
                AgentFrames.fields(
                        "session_id",
                        id,
                        "agent",
                        "codex",
                        "agent_version",
                        described.text("cliVersion"),
                        "model",
                        result.text("model")));
        threads.open(id);
        opening.complete(id);
    }

    @Override
    public boolean send(String content) {
        return opening.send(content);
    }

    private boolean startTurn(String id, String content) {
        Map<String, ?> params = Map.of("threadId", id, "input", List.of(Map.of("type", "text", "text", content)));
        return rpc.request("turn/start", params, (result, error) -> {
            if (error != null) {
                frames.error("AGENT_ERROR", error.text("message", "the agent refused the message"), Map.of());
                turn.end(true, null);
            }
        });
    }

    @Override
    public boolean cancel() {
        if (!turn.cancel()) {
            return false;
        }
        running.forEach(this::interrupt);
        return true;
    }

    /** A turn begins while the message is being cancelled. */
    private void cancelLate(String id, String started) {
        if (turn.isCancelled()) {
            interrupt(id, started);
        }
    }

    private void interrupt(String id, String turnId) {
        rpc.request("turn/interrupt", Map.of("threadId", id, "turnId", turnId), (result, error) -> {});
    }
}
