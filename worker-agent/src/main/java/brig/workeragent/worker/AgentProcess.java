package brig.workeragent.worker;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Asks;
import brig.formats.adapter.Dialogue;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.OutputPump;
import brig.workeragent.recording.Recorder;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.WalledProcess;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A running process of a worker with its pipes. Called from the worker's sequence. */
final class AgentProcess implements StopLadder.Steps {
    private final WalledProcess process;
    private final Dialogue dialogue;
    private final @Nullable StdinWriter stdin;
    private final @Nullable Recorder recorder;
    private final CompletableFuture<ProcessEnd> finished;

    /** The dialogue with a process: its format, its task, its asks, the listener for its turns, and whether it has a terminal. */
    record Conversation(
            Adapter adapter,
            AgentTask task,
            Asks asks,
            Runnable turnDone,
            @Nullable Recorder recorder,
            boolean tty) {}

    AgentProcess(String spawnId, WalledProcess process, Conversation talk, Outbox outbox, Timers timers) {
        this.process = process;
        recorder = talk.recorder();
        InputPipe pipe = process.stdin();
        stdin = pipe == null
                ? null
                : new StdinWriter(pipe, talk.tty() ? StdinWriter.Bounds.KEYS : StdinWriter.Bounds.MESSAGES);
        if (stdin != null) {
            stdin.start();
        }
        dialogue = talk.adapter()
                .open(new Adapter.Context(outbox, this::offer, talk.asks(), talk.turnDone(), talk.task()));
        OutputReader stdout = reader(Pipe.STDOUT);
        OutputReader stderr = reader(Pipe.STDERR);
        CompletableFuture<Void> out = new OutputPump(process.stdout(), stdout, outbox, timers::nowMs).start();
        CompletableFuture<Void> err = new OutputPump(process.stderr(), stderr, outbox, timers::nowMs).start();
        finished = CompletableFuture.allOf(out, err).thenCombine(process.end(), (nothing, end) -> end);
        dialogue.start();
    }

    private OutputReader reader(Pipe pipe) {
        OutputReader reader = dialogue.reader(pipe);
        return recorder == null ? reader : recorder.recorded(pipe.wireName(), reader);
    }

    private boolean offer(byte[] bytes) {
        if (recorder != null) {
            recorder.piece("stdin", bytes, 0, bytes.length);
        }
        return stdin != null && stdin.offer(bytes);
    }

    /** Completes when no process is left and all output has become frames. */
    CompletableFuture<ProcessEnd> finished() {
        return finished;
    }

    /** Sends a message to the agent; false if it accepts none. */
    boolean send(String content) {
        return dialogue.send(content);
    }

    /** Sends keys to the agent's terminal; false if they have no room. */
    boolean keys(String keys) {
        return dialogue.keys(keys);
    }

    /** Gives the agent's terminal a size; false if that has no room among the keys. */
    boolean resize(TerminalSize size, long nowMs) {
        try {
            return dialogue.resize(size, nowMs);
        } catch (InterruptedException e) {
            // Only sinks that block are interrupted.
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean cancelInBand() {
        return dialogue.cancel();
    }

    @Override
    public boolean closeStdin() {
        return stdin != null && stdin.close();
    }

    @Override
    public void terminate() {
        process.terminate();
    }

    @Override
    public void kill() {
        process.kill();
    }
}
