package brig.workeragent.wall;

import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * @param exitCode its exit code; 128 plus the signal number if a signal ended it
 * @param signal the name of that signal, such as {@code SIGTERM}; null if it exited by itself
 * @param outOfMemory whether the kernel killed it, or one of its processes, at its memory limit
 * @param diskFull why Brig ended it for the disk that the session used; null if it did not
 */
public record ProcessEnd(
        int exitCode,
        @Nullable String signal,
        boolean outOfMemory,
        @Nullable String diskFull) {

    /** One that Brig did not end for its disk. */
    public ProcessEnd(int exitCode, @Nullable String signal, boolean outOfMemory) {
        this(exitCode, signal, outOfMemory, null);
    }
}
