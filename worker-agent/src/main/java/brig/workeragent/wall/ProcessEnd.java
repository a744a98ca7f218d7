package brig.workeragent.wall;

import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * @param exitCode its exit code; 128 and the number of the signal where a signal ended it
 * @param signal the name of that signal, such as {@code SIGTERM}; null where it exited by itself
 * @param outOfMemory the kernel ended it, or a process of it, for want of memory within its limit
 */
public record ProcessEnd(int exitCode, @Nullable String signal, boolean outOfMemory) {}
