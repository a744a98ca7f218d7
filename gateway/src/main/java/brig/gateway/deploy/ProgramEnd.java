package brig.gateway.deploy;

import brig.gateway.joint.FarEnd;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** A program of this host whose input and output lead to the far end of a joint. */
public final class ProgramEnd implements FarEnd {
    private final Process process;
    private final Tail.Collector errors = new Tail.Collector();
    private final Thread erring;

    private ProgramEnd(Process process) {
        this.process = process;
        erring = Thread.startVirtualThread(() -> errors.addAll(process.getErrorStream()));
    }

    /** Starts that program. */
    public record Start(List<String> command) implements Opener {
        @Override
        public FarEnd open() throws IOException {
            return new ProgramEnd(new ProcessBuilder(command).start());
        }
    }

    @Override
    public InputStream input() {
        return process.getInputStream();
    }

    @Override
    public OutputStream output() {
        return process.getOutputStream();
    }

    @Override
    public void close() {
        process.destroy();
    }

    @Override
    public String lastWords() {
        // Process.destroy() would also close its standard error, which may hold why it ended.
        process.toHandle().destroy();
        try {
            erring.join(SystemProcesses.TERM_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return errors.tail().shown();
    }
}
