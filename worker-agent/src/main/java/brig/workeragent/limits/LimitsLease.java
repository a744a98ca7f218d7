package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.List;

/** The groups of one worker, from before its start until none of its processes is left. */
public interface LimitsLease extends AutoCloseable {

    /** Sets what the groups hold their processes to; to be called before the worker's command runs. */
    void limit(ResourceLimits limits) throws LimitsUnavailableException;

    /** The files into which the worker's first process writes itself, before it gives up its privileges. */
    List<Path> procsFiles();

    /** False if memory is limited by nobody but {@code RLIMIT_DATA}. */
    boolean limitsMemory();

    /** Whether the kernel killed a process of this worker for want of memory. Readable until the release. */
    boolean oomKilled();

    /** Releases; a second call does nothing. */
    @Override
    void close();
}
