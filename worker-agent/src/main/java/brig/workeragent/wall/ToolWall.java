package brig.workeragent.wall;

import brig.protocol.BrigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs of the host, such as git, on what a worker could have written. Each run has a wall of its own: no network,
 * the workers' user, what the job names of the host's files, limits and a deadline. So a program that the worker smuggles
 * into a run (a filter in a nested repository, for one) has no more than the worker had. What a run says may come from it
 * too. Blocks; any thread may call.
 *
 * <p>Decision 0104.
 */
public interface ToolWall {
    /**
     * What is run.
     *
     * @param script for {@code sh}; it starts in {@code /workspace}
     * @param arguments its {@code $1} and so on
     * @param folder a folder of the host, which is {@code /workspace} inside
     * @param readOnly whether it may only be read
     * @param mounts further files and folders
     * @param environment variables beside the usual ones
     * @param timesLonger how many times {@code worker.tools.timeoutMs} it has
     * @param user as whom, where it is not the workers' user: the owner of files that no worker could have written
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

    /** Reads standard output, not further than it wants to: a run whose output is not read to its end is ended. */
    @FunctionalInterface
    interface Output<T> {
        T read(InputStream stdout) throws IOException;
    }

    /**
     * What came of a run.
     *
     * @param cutOff it was ended, for nobody wanted the rest of its output
     * @param complaint the beginning of standard error
     */
    record Said<T>(int exitCode, boolean cutOff, T output, String complaint) {
        public boolean failed() {
            return exitCode != 0 && !cutOff;
        }
    }

    /**
     * Runs a job to its end; nothing of it is left then.
     *
     * @param input on its standard input
     * @throws BrigException {@code WORKSPACE_UNREADABLE} where it took more than the time or the memory that it may;
     *     {@code SANDBOX_UNAVAILABLE} and its like where there is no wall, and so no run
     */
    <T> Said<T> run(Job job, byte[] input, Output<T> output);

    /** What a run is held to, for people. */
    String bounds();
}
