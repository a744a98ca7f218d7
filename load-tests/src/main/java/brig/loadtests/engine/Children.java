package brig.loadtests.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The processes that a run started. When the run is ended by a signal they end with it, and it starts no more: what was
 * measured goes on in its threads until the last moment, and takes the end of one server as the turn of the next.
 *
 * <p>Decision 0109.
 */
public final class Children {
    /** As long as a gateway takes to end its workers. */
    private static final long PATIENCE_MS = 15_000;

    private static final Children OWN = new Children();

    private final List<Process> processes = new ArrayList<>();
    private boolean ending;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OWN.endAll(PATIENCE_MS)));
    }

    Children() {}

    /** Starts one that ends with this process. @throws IOException also where this process is about to end */
    public static Process start(ProcessBuilder command) throws IOException {
        return OWN.begin(command);
    }

    synchronized Process begin(ProcessBuilder command) throws IOException {
        if (ending) {
            throw new IOException("nothing is started any more: this run is being ended");
        }
        processes.removeIf(process -> !process.isAlive());
        Process process = command.start();
        processes.add(process);
        return process;
    }

    /** Asks each to end, and ends by force, with all that it started, what has not after that time. */
    void endAll(long patienceMs) {
        List<Process> left;
        synchronized (this) {
            ending = true;
            left = List.copyOf(processes);
        }
        left.forEach(Process::destroy);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        try {
            for (Process process : left) {
                if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                            .toList()
                            .forEach(ProcessHandle::destroyForcibly);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
