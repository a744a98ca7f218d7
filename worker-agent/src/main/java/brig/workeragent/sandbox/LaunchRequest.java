package brig.workeragent.sandbox;

import brig.protocol.spawn.TerminalSize;
import brig.workeragent.limits.ResourceLimits;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A worker to start.
 *
 * @param workerId       names its groups on the host; 1 to 64 of letters, digits, {@code _}, {@code -}; unique among
 *     the running workers
 * @param command        the program and its arguments; looked up on the PATH of the profile's environment
 * @param stdinPipe      whether the worker gets a writable standard input; else it is {@code /dev/null}
 * @param startTimeoutMs from the launch until the command runs; reached: the wall is torn down, START_TIMEOUT
 * @param identity       a host user other than the workers'; null for theirs. Only root's launcher can change to
 *     another
 * @param tty            the size of its terminal, which replaces its pipes; null for none. Its standard input then carries
 *     the records of {@code init-terminal.c}
 */
public record LaunchRequest(
        String workerId,
        WallProfile profile,
        ResourceLimits limits,
        List<String> command,
        boolean stdinPipe,
        int startTimeoutMs,
        @Nullable WorkerIdentity identity,
        @Nullable TerminalSize tty) {

    public static final int START_TIMEOUT_MS = 10_000;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** As the workers' user. */
    public LaunchRequest(
            String workerId,
            WallProfile profile,
            ResourceLimits limits,
            List<String> command,
            boolean stdinPipe,
            int startTimeoutMs) {
        this(workerId, profile, limits, command, stdinPipe, startTimeoutMs, null, null);
    }

    public LaunchRequest {
        command = List.copyOf(command);
        if (!ID.matcher(workerId).matches()) throw new IllegalArgumentException("workerId: " + workerId);
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw new IllegalArgumentException("command is empty");
        }
        if (command.stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("command contains a NUL");
        }
        if (identity != null && (identity.uid() < 1 || identity.gid() < 1)) {
            throw new IllegalArgumentException("identity: " + identity);
        }
        if (tty != null && !stdinPipe) throw new IllegalArgumentException("a terminal without standard input");
        if (startTimeoutMs < 1) throw new IllegalArgumentException("startTimeoutMs: " + startTimeoutMs);
    }

    /** With default limits, no standard input, and the default start deadline. */
    public static LaunchRequest of(String workerId, WallProfile profile, String... command) {
        return new LaunchRequest(workerId, profile, ResourceLimits.DEFAULT, List.of(command), false, START_TIMEOUT_MS);
    }
}
