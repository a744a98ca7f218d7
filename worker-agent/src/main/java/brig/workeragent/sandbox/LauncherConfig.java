package brig.workeragent.sandbox;

import brig.workeragent.limits.DiskWatch;
import brig.workeragent.limits.LimitsBackend;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The configuration of a launcher.
 *
 * <p>Decision 0021.
 *
 * @param bwrap         bubblewrap's program; absolute
 * @param nativeFolder  the build's folder with brig-launcher and brig-init
 * @param runtimeFolder for the files that walls share; created if absent; used by one worker-agent at a time, below
 *     folders that are open to others
 * @param identity      the host user of the workers
 * @param limits        the backend that enforces their limits
 * @param gvisor        gVisor's program on this host
 * @param machines      the image of virtual machines of this host
 */
public record LauncherConfig(
        Path bwrap,
        Path nativeFolder,
        Path runtimeFolder,
        WorkerIdentity identity,
        LimitsBackend limits,
        GvisorProgram gvisor,
        MachineImage machines) {

    /** Where Debian, Ubuntu, Fedora and Arch install it. */
    public static final Path BWRAP = Path.of("/usr/bin/bwrap");

    static final String BLANK = "blank";

    public LauncherConfig {
        if (!bwrap.isAbsolute()) throw new IllegalArgumentException("bwrap: " + bwrap + " is not absolute");
        nativeFolder = nativeFolder.toAbsolutePath();
        runtimeFolder = runtimeFolder.toAbsolutePath().normalize();
    }

    /** For the operator: resources of this host without a limit for workers, one line each. */
    List<String> notHeld() {
        return Stream.concat(limits.gaps().stream(), Stream.of(DiskWatch.GAP, identity.sharedCounts()))
                .toList();
    }

    /** An empty file that no worker can read, mounted over hidden files; exists once a launcher is open. */
    public Path blank() {
        return runtimeFolder.resolve(BLANK);
    }
}
