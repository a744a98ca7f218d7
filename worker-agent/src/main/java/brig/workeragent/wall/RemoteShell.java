package brig.workeragent.wall;

import java.nio.file.Path;

/**
 * A wall whose shells are a way to another machine. The wall's own are in {@link #LOCAL}.
 *
 * <p>Decision 0162.
 *
 * @param place the host's folder with the socket of {@code brig-shim}
 * @param directory where the agent starts
 * @param hosts the machines, as {@code NAME:FOLDER} with the wall's paths, with spaces between: the agent's {@link
 *     #HOSTS_VARIABLE}
 */
public record RemoteShell(Path place, Path directory, String hosts) {
    /** Tells the agent the machines. */
    public static final String HOSTS_VARIABLE = "BRIG_HOSTS";

    /** The folder of the wall with its own shells, by name: for programs that must not run elsewhere. */
    public static final String LOCAL = "/run/brig/local";
}
