package brig.workeragent.workspace;

import brig.protocol.json.Fields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The worker-agent that something on disk belongs to. A pid alone may be another process by now, so its start
 * stands beside it; and it means something only where pids are counted alike.
 *
 * @param startedMs milliseconds since 1970
 * @param pidNamespace as the kernel names it
 */
record WorkerAgentOwner(long pid, long startedMs, String pidNamespace) {

    static WorkerAgentOwner self() {
        ProcessHandle self = ProcessHandle.current();
        return new WorkerAgentOwner(self.pid(), startOf(self), namespace());
    }

    static WorkerAgentOwner read(Fields fields) {
        return new WorkerAgentOwner(
                fields.number("pid", 1, Integer.MAX_VALUE, 1),
                fields.number("started_ms", 0, Long.MAX_VALUE, 0),
                fields.text("pid_namespace", ""));
    }

    Map<String, ?> toMap() {
        return Map.of("pid", pid, "started_ms", startedMs, "pid_namespace", pidNamespace);
    }

    /** Whether that process is surely no more. One of another container may live; nothing here can tell. */
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
