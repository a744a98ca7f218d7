package brig.workeragent.worker;

import brig.workeragent.adapter.Adapter;
import brig.workeragent.adapter.Adapter.OutputReader;
import brig.workeragent.adapter.Adapter.Pipe;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.OutputPump;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.WalledProcess;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A running process of a worker with the threads on its pipes. Called from the worker's sequence. */
final class AgentProcess implements StopLadder.Steps {
    private final WalledProcess process;
    private final Adapter adapter;
    private final @Nullable StdinWriter stdin;
    private final CompletableFuture<ProcessEnd> finished;

    AgentProcess(String spawnId, WalledProcess process, Adapter adapter, Outbox outbox, Timers timers) {
        this.process = process;
        this.adapter = adapter;
        OutputStream pipe = process.stdin();
        stdin = pipe == null ? null : new StdinWriter(pipe);
        if (stdin != null) {
            stdin.start("stdin-" + spawnId);
        }
        OutputReader stdout = adapter.reader(Pipe.STDOUT, outbox);
        OutputReader stderr = adapter.reader(Pipe.STDERR, outbox);
        CompletableFuture<Void> out =
                new OutputPump(process.stdout(), stdout, outbox, timers::nowMs).start("stdout-" + spawnId);
        CompletableFuture<Void> err =
                new OutputPump(process.stderr(), stderr, outbox, timers::nowMs).start("stderr-" + spawnId);
        finished = CompletableFuture.allOf(out, err).thenCombine(process.end(), (nothing, end) -> end);
    }

    /** Completes when no process is left and all output has become frames. */
    CompletableFuture<ProcessEnd> finished() {
        return finished;
    }

    /** Writes a message to standard input; false where there is none, or the agent does not read it. */
    boolean write(String content) {
        return stdin != null && stdin.offer(adapter.input(content));
    }

    @Override
    public boolean cancelInBand() {
        Optional<byte[]> cancel = adapter.cancelInput();
        return stdin != null && cancel.isPresent() && stdin.offer(cancel.get());
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
