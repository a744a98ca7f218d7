package brig.workeragent.wall;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of all walls of this host.
 *
 * @param nativeFolder the folder of the wall's programs
 * @param runtimeFolder for the files that walls share
 * @param workspaceBases folders that workspaces must lie below; created if absent
 * @param uidForRoot the uid and gid of workers if this process is root
 * @param startMs time until a process executes its command
 * @param limits for each worker
 * @param limitsLevel the required level, or empty for the best of this host
 * @param diskReserveBytes of each file system with workspaces, which no worker may use; 0 for none
 * @param tools for each run of Brig's own programs
 * @param runsc gVisor's program; null to look where distributions install it
 * @param machines what virtual machines are made of
 */
public record WallSettings(
        Path nativeFolder,
        Path runtimeFolder,
        List<Path> workspaceBases,
        int uidForRoot,
        int startMs,
        Limits limits,
        String limitsLevel,
        long diskReserveBytes,
        Tools tools,
        @Nullable Path runsc,
        Machines machines) {
    /**
     * Virtual machines; as in {@code config/brig.json}.
     *
     * @param qemu QEMU's program; null for where Debian installs it
     * @param folder of their kernel
     */
    public record Machines(@Nullable Path qemu, Path folder, long memoryBytes, int processors) {}

    /** As in {@code config/brig.json}. */
    public record Tools(int timeoutMs, long memoryBytesMax) {}

    /** Limits of a worker with all its processes, 0 for none; units as in {@code config/brig.json}. */
    public record Limits(
            long memoryBytesMax,
            int pidsMax,
            int cpuPercentMax,
            long fileBytesMax,
            int openFilesMax,
            long tmpBytesMax,
            long homeBytesMax,
            long diskBytesMax) {

        /** The smaller of each pair of limits; 0 leaves it to the other. */
        public Limits within(Limits bounds) {
            return new Limits(
                    smaller(memoryBytesMax, bounds.memoryBytesMax),
                    (int) smaller(pidsMax, bounds.pidsMax),
                    (int) smaller(cpuPercentMax, bounds.cpuPercentMax),
                    smaller(fileBytesMax, bounds.fileBytesMax),
                    (int) smaller(openFilesMax, bounds.openFilesMax),
                    smaller(tmpBytesMax, bounds.tmpBytesMax),
                    smaller(homeBytesMax, bounds.homeBytesMax),
                    smaller(diskBytesMax, bounds.diskBytesMax));
        }

        private static long smaller(long one, long other) {
            return one == 0 ? other : other == 0 ? one : Math.min(one, other);
        }
    }
}
