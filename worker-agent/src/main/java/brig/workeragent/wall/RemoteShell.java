package brig.workeragent.wall;

import java.nio.file.Path;

/**
 * A wall whose shells are a way to another machine. The wall's own are in {@link #LOCAL}.
 *
 * <p>Decision 0162.
 *
 * @param place the host's folder with the socket of {@code brig-shim}
 * @param directory where the agent starts
 */
public record RemoteShell(Path place, Path directory) {
    /** The folder of the wall with its own shells, by name: for programs that must not run elsewhere. */
    public static final String LOCAL = "/run/brig/local";
}
