package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.List;

/** The groups of one worker, from before its start until none of its processes is left. */
public interface LimitsLease extends AutoCloseable {

    /** Sets what the groups hold their processes to; to be called before the worker's command runs. */
    void limit(ResourceLimits limits) throws LimitsUnavailableException;

    /** The files into which the worker's first process writes itself, before it gives up its privileges. */
    List<Path> procsFiles();

    /** False if no group limits memory; then {@code RLIMIT_DATA} has to. */
    boolean limitsMemory();

    /**
     * The worker runs.
     *
     * @param initPid process 1 of its wall, seen from the host
     * @param kill    ends everything behind that wall; any thread may call it, more than once
     */
    void handleRunning(long initPid, Runnable kill);

    /** Whether a process of this worker was killed for want of memory. Readable until the release. */
    boolean oomKilled();

    /** Releases; a second call does nothing. */
    @Override
    void close();
}
