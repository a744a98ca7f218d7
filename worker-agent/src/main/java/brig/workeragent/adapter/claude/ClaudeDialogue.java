package brig.workeragent.adapter.claude;

import brig.protocol.Json;
import brig.workeragent.adapter.Adapter.OutputReader;
import brig.workeragent.adapter.Adapter.Pipe;
import brig.workeragent.adapter.Adapter.Surroundings;
import brig.workeragent.adapter.AgentFrames;
import brig.workeragent.adapter.Dialogue;
import brig.workeragent.adapter.NativeReader;
import brig.workeragent.adapter.Turn;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Says to Claude Code what the captain says; {@link ClaudeMessages} reads what it answers. Any thread may call. */
final class ClaudeDialogue implements Dialogue {
    private final Surroundings around;
    private final AgentFrames frames;
    private final Turn turn;
    private final AtomicInteger interrupts = new AtomicInteger();

    ClaudeDialogue(Surroundings around) {
        this.around = around;
        this.frames = new AgentFrames(around.frames());
        this.turn = new Turn(frames, around);
    }

    @Override
    public OutputReader reader(Pipe pipe) {
        return switch (pipe) {
            case STDERR -> NativeReader.ofText(pipe, around.frames());
            case STDOUT -> new NativeReader(frames, around.task().raw(),
                    new ClaudeMessages(frames, turn, new ClaudeControl(frames, this::write, around.task().allow())));
        };
    }

    @Override
    public boolean send(String content) {
        turn.begin();
        boolean written = write(Map.of("type", "user", "message",
                Map.of("role", "user", "content", List.of(Map.of("type", "text", "text", content)))));
        if (!written) {
            turn.retract();
        }
        return written;
    }

    @Override
    public boolean cancel() {
        return turn.cancel() && write(Map.of("type", "control_request",
                "request_id", "brig-" + interrupts.incrementAndGet(), "request", Map.of("subtype", "interrupt")));
    }

    private boolean write(Map<String, ?> message) {
        return around.input().test(Json.writeLine(message));
    }
}
