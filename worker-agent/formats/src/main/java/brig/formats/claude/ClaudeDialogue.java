package brig.formats.claude;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.Dialogue;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SessionHandshake;
import brig.protocol.json.Json;

/**
 * Sends captains' messages to Claude Code; {@link ClaudeMessages} reads its output. The captain's system prompt goes
 * over the control channel: an argument is readable for everybody on the host and limited in length. Messages wait
 * until Claude Code has accepted it. Thread-safe.
 *
 * <p>Decision 0011.
 */
final class ClaudeDialogue implements Dialogue {
    private final Context context;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final SessionHandshake opening;
    private final ClaudeControl control;

    ClaudeDialogue(Context context) {
        this.context = context;
        this.frames = new AgentFrames(context.frames());
        this.turn = new AgentTurn(frames, context);
        this.opening = new SessionHandshake(frames, turn, (session, content) -> say(content));
        this.control = new ClaudeControl(frames, opening, this::write, context);
    }

    @Override
    public OutputReader reader(Pipe pipe) {
        return switch (pipe) {
            case STDERR -> NativeReader.ofText(pipe, context.frames());
            case STDOUT -> new NativeReader(frames, context.task().raw(), new ClaudeMessages(frames, turn, control));
        };
    }

    @Override
    public void start() {
        String system = context.task().systemPrompt();
        if (system != null) {
            control.initialize(system);
        }
    }

    @Override
    public boolean send(String content) {
        if (context.task().systemPrompt() != null) {
            return opening.send(content);
        }
        turn.begin();
        boolean written = say(content);
        if (!written) {
            turn.retract();
        }
        return written;
    }

    private boolean say(String content) {
        return write(ClaudeInput.User.of(content));
    }

    @Override
    public boolean cancel() {
        return turn.cancel() && control.interrupt();
    }

    private boolean write(Record message) {
        return context.input().test(Json.writeLine(message));
    }
}
