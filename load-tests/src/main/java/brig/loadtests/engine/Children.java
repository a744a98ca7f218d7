package brig.loadtests.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The child processes of a run. When a signal ends the run, they end with it and no more are started: the measuring
 * threads continue until the last moment, and would take one server's end as the cue to start the next.
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

    /** Starts a process that ends with this one. @throws IOException also if this process is about to end */
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

    /** Asks each to end, and after that time kills the rest with their children. */
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
