package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.List;

/** The groups of one worker, from before its start until none of its processes is left. */
public interface LimitsLease extends AutoCloseable {

    /** Sets the limits of the groups; call it before the worker's command runs. */
    void limit(ResourceLimits limits) throws LimitsUnavailableException;

    /** The files into which the worker's first process writes itself, before it drops its privileges. */
    List<Path> procsFiles();

    /** False if no group limits memory; then {@code RLIMIT_DATA} has to. */
    boolean limitsMemory();

    /**
     * The worker runs.
     *
     * @param initPid process 1 of its wall, as a pid of the host
     * @param kill    ends everything behind that wall; idempotent and thread-safe
     */
    void handleRunning(long initPid, Runnable kill);

    /** Whether the kernel killed a process of this worker for lack of memory. Readable until the release. */
    boolean oomKilled();

    /** Releases the groups; idempotent. */
    @Override
    void close();
}
