package brig.workeragent.sandbox;

import brig.workeragent.limits.LimitsBackend;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a launcher stands on.
 *
 * <p>Decision 0021.
 *
 * @param bwrap         bubblewrap's program; absolute
 * @param nativeFolder  where the build put brig-launcher and brig-init
 * @param runtimeFolder for the files that walls share; made if absent; one worker-agent at a time uses it,
 *                      and every folder above it is open to others
 * @param identity      the host user of the workers
 * @param limits        who enforces their limits
 */
public record LauncherConfig(
        Path bwrap, Path nativeFolder, Path runtimeFolder, WorkerIdentity identity, LimitsBackend limits) {

    /** Where Debian, Ubuntu, Fedora and Arch install it. */
    public static final Path BWRAP = Path.of("/usr/bin/bwrap");

    static final String BLANK = "blank";

    public LauncherConfig {
        if (!bwrap.isAbsolute()) throw new IllegalArgumentException("bwrap: " + bwrap + " is not absolute");
        nativeFolder = nativeFolder.toAbsolutePath();
        runtimeFolder = runtimeFolder.toAbsolutePath().normalize();
    }

    /** For the operator: what nothing on this host bounds for a worker, one line each. */
    List<String> notHeld() {
        return Stream.concat(limits.gaps().stream(), Stream.of(identity.sharedCounts()))
                .toList();
    }

    /** An empty file that no worker can read, to mount over what none is to see; there once a launcher is open. */
    public Path blank() {
        return runtimeFolder.resolve(BLANK);
    }
}
