package brig.workeragent.bubblewrap;

import brig.protocol.control.Posture;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pipe.OutputPipe;
import brig.workeragent.sandbox.ProcessExit;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.WalledProcess;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process of {@code brig.workeragent.sandbox}. */
final class SandboxProcess implements WalledProcess {
    /** The launcher died, and the kernel killed everything behind its walls. */
    private static final ProcessEnd LOST = new ProcessEnd(137, "SIGKILL", false);

    private static final Logger LOG = LoggerFactory.getLogger(SandboxProcess.class);

    private final brig.workeragent.sandbox.BubblewrapProcess process;
    private final CompletableFuture<ProcessEnd> end;

    /** @param atEnd called when no process is left behind the wall; {@link #end} completes after its result */
    SandboxProcess(brig.workeragent.sandbox.BubblewrapProcess process, Supplier<CompletableFuture<Void>> atEnd) {
        this(process, atEnd, () -> null);
    }

    /** @param diskFull why it was ended for its disk; null if it was not */
    SandboxProcess(
            brig.workeragent.sandbox.BubblewrapProcess process,
            Supplier<CompletableFuture<Void>> atEnd,
            Supplier<@Nullable String> diskFull) {
        this.process = process;
        this.end = end(process.exit(), atEnd)
                .thenApply(
                        ended -> new ProcessEnd(ended.exitCode(), ended.signal(), ended.outOfMemory(), diskFull.get()));
    }

    static CompletableFuture<ProcessEnd> end(
            CompletableFuture<ProcessExit> exit, Supplier<CompletableFuture<Void>> atEnd) {
        return exit.handle((ended, failure) -> ended == null ? LOST : endOf(ended))
                .thenCompose(ended -> givenBack(atEnd).thenApply(nothing -> ended));
    }

    private static CompletableFuture<Void> givenBack(Supplier<CompletableFuture<Void>> atEnd) {
        try {
            return atEnd.get();
        } catch (RuntimeException e) {
            LOG.warn("some resources of a wall were not released: {}", e.toString());
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public OutputPipe stdout() {
        return process.stdout();
    }

    @Override
    public OutputPipe stderr() {
        return process.stderr();
    }

    @Override
    public @Nullable InputPipe stdin() {
        return process.stdin();
    }

    @Override
    public Posture posture() {
        return process.posture();
    }

    @Override
    public void terminate() {
        process.terminate();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
        return end.copy();
    }

    private static ProcessEnd endOf(ProcessExit exit) {
        // A build that lost one compiler to the kernel and went on is not a failure of the agent.
        boolean ownDeath = exit.code() != 0;
        return new ProcessEnd(exit.code(), exit.signal(), exit.oomKilled() && ownDeath);
    }
}
