package brig.workeragent.workspace;

import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The worker-agent that owns something on disk. Since pids are reused, its start time is stored too; both are
 * meaningful only within one PID namespace.
 *
 * @param startedMs milliseconds since 1970
 * @param pidNamespace as the kernel names it
 */
@Extensible
record WorkerAgentOwner(
        @Range(min = 1, max = Integer.MAX_VALUE) long pid,
        @Range long startedMs,
        @Default("") String pidNamespace) {

    static WorkerAgentOwner self() {
        ProcessHandle self = ProcessHandle.current();
        return new WorkerAgentOwner(self.pid(), startOf(self), namespace());
    }

    /** Whether that process is certainly gone. One of another container may be alive, which cannot be told here. */
    boolean isGone() {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        boolean sameProcess = process.isPresent() && startOf(process.get()) == startedMs;
        return !pidNamespace.isEmpty() && pidNamespace.equals(namespace()) && !sameProcess;
    }

    private static long startOf(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    private static String namespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException unreadable) {
            return "";
        }
    }
}
