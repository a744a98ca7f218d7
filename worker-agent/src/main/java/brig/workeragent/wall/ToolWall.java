package brig.workeragent.wall;

import brig.protocol.BrigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs of the host, such as git, on untrusted files of workers. Each run has a wall of its own: no network,
 * the workers' user, only the host files that the job names, limits and a deadline. So code that a worker smuggles into
 * a run, such as a filter in a nested repository, gains nothing. The output of a run is untrusted too. Blocks;
 * thread-safe.
 *
 * <p>Decision 0104.
 */
public interface ToolWall {
    /**
     * A job.
     *
     * @param script for {@code sh}; it starts in {@code /workspace}
     * @param arguments its {@code $1} and so on
     * @param folder a folder of the host, which is {@code /workspace} inside
     * @param readOnly whether the folder is read-only
     * @param mounts further files and folders
     * @param environment variables in addition to the usual ones
     * @param timesLonger factor for its {@code worker.tools.timeoutMs}
     * @param user the user, if not the workers': the owner of files that no worker could have written
     */
    record Job(
            String script,
            List<String> arguments,
            Path folder,
            boolean readOnly,
            List<Confinement.Mount> mounts,
            Map<String, String> environment,
            int timesLonger,
            @Nullable HostUser user) {}

    /** Reads standard output as far as needed: a run whose output is not read to its end is ended. */
    @FunctionalInterface
    interface Output<T> {
        T read(InputStream stdout) throws IOException;
    }

    /**
     * The result of a run.
     *
     * @param cutOff whether it was ended because the rest of its output was not needed
     * @param complaint the beginning of standard error
     */
    record Said<T>(int exitCode, boolean cutOff, T output, String complaint) {
        public boolean failed() {
            return exitCode != 0 && !cutOff;
        }
    }

    /**
     * Runs a job to its end; nothing of it is left afterwards.
     *
     * @param input its standard input
     * @throws BrigException {@code WORKSPACE_UNREADABLE} if it exceeded its time or memory; {@code SANDBOX_UNAVAILABLE}
     *     and similar codes if there is no wall, and so no run
     */
    <T> Said<T> run(Job job, byte[] input, Output<T> output);

    /** The limits of a run, for people. */
    String bounds();
}
