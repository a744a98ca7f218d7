package brig.workeragent.limits;

import brig.workeragent.limits.ProcessTable.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Estimates a wall's memory from outside without a group, on the high side where the kernel gives no figure. Not
 * included: shared memory of which a process maps only a part, and kernel memory for pipes, descriptors and locks.
 * Formats: proc(5).
 *
 * <p>Decision 0027.
 */
final class WallMemory {

    private static final long KIB = 1024;
    private static final long PAGE_BYTES = 4 * KIB;
    /** Folders that the worker may fill; all of them tmpfs of its own. */
    private static final List<String> FOLDERS = List.of("/tmp", "/home/worker", "/dev/shm");
    /** A tmpfs inode with its directory entry; measured: 0.8 KiB. */
    private static final long FILE_BYTES = KIB;

    private static final String SHARED = "/dev/zero (deleted)";
    /** gVisor's memory of all that runs behind it, tmpfs included. */
    private static final String SECOND_KERNEL = "/memfd:runsc-memory (deleted)";
    /** Begins no line. */
    private static final String NOTHING = "\n";
    /** A wall with no more sockets than this is not examined further. */
    private static final int SOCKETS_IGNORED = 256;
    /** The default buffer limit of one socket: the usual {@code net.core.wmem_default}. */
    private static final long SOCKET_BYTES = 212_992;
    /** Below this use of TCP buffers on the whole host, queues are not added up, which takes 10 ms. */
    private static final long TCP_BYTES_IGNORED = 16 * KIB * KIB;

    private WallMemory() {}

    /** Bytes of a process tree and of its namespaces. */
    static long bytesOf(long root, List<Entry> tree) {
        return ofProcesses(tree) + ofFiles(root) + ofSockets(Path.of("/proc/" + root));
    }

    /** Bytes that the processes map. */
    static long ofProcesses(List<Entry> tree) {
        Map<String, Long> shared = new HashMap<>();
        long bytes = tree.stream().mapToLong(each -> ofProcess(each, shared)).sum();
        return bytes + shared.values().stream().mapToLong(Long::longValue).sum();
    }

    /** For a process that cannot be examined: its resident memory, which is higher. */
    private static long ofProcess(Entry process, Map<String, Long> shared) {
        Path folder = Path.of("/proc/" + process.pid());
        try {
            boolean isOfSecondKernel = addShared(folder, shared);
            long tables = KIB * sum(folder.resolve("status"), List.of("VmPTE:"), NOTHING);
            // Memory shared by several processes counts once (PSS); files in a tmpfs are counted there.
            String counted = isOfSecondKernel ? NOTHING : "Pss_Shmem:";
            return tables + KIB * sum(folder.resolve("smaps_rollup"), List.of("Pss:", "SwapPss:"), counted);
        } catch (IOException | UncheckedIOException closed) {
            return process.residentBytes();
        }
    }

    /** The fields with these names, without the other one. */
    private static long sum(Path file, List<String> names, String without) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.mapToLong(line -> {
                        long sign =
                                line.startsWith(without) ? -1 : names.stream().anyMatch(line::startsWith) ? 1 : 0;
                        return sign == 0 ? 0 : sign * Long.parseLong(line.replaceAll("\\D", ""));
                    })
                    .sum();
        }
    }

    /**
     * Adds anonymous shared memory. It persists while no process maps its pages, so its whole length counts, once for all
     * that share it.
     *
     * @return whether the process maps the memory of a second kernel, which is a file without a folder
     */
    private static boolean addShared(Path folder, Map<String, Long> shared) throws IOException {
        boolean[] isOfSecondKernel = {false};
        try (Stream<String> lines = Files.lines(folder.resolve("maps"))) {
            lines.forEach(line -> {
                isOfSecondKernel[0] |= line.endsWith(SECOND_KERNEL);
                if (!line.endsWith(SHARED)) return;
                String[] fields = line.split(" +", 6);
                String[] ends = fields[0].split("-", 2);
                long end = Long.parseLong(fields[2], 16)
                        + Long.parseUnsignedLong(ends[1], 16)
                        - Long.parseUnsignedLong(ends[0], 16);
                shared.merge(fields[3] + " " + fields[4], end, Math::max);
            });
        }
        return isOfSecondKernel[0];
    }

    /** Bytes of the folders in memory that a wall may fill. */
    static long ofFiles(long root) {
        long bytes = 0;
        for (String folder : FOLDERS) {
            TmpfsUse use = TmpfsUse.of("/proc/" + root + "/root" + folder);
            bytes += use.bytes() + use.files() * FILE_BYTES;
        }
        return bytes;
    }

    private static long ofSockets(Path process) {
        try {
            Map<String, Long> counts = new HashMap<>();
            for (String line : Files.readAllLines(process.resolve("net/sockstat"))) {
                // "TCP: inuse 4 orphan 0 tw 0 alloc 12 mem 45"
                String[] words = line.split(" ", -1);
                for (int i = 1; i + 1 < words.length; i += 2) {
                    counts.put(words[0] + words[i], Long.parseLong(words[i + 1]));
                }
            }
            long many = Math.max(0, counts.getOrDefault("sockets:used", 0L) - SOCKETS_IGNORED) * SOCKET_BYTES;
            // Of all network namespaces together.
            long tcpOfHost = counts.getOrDefault("TCP:mem", 0L) * PAGE_BYTES;
            return tcpOfHost < TCP_BYTES_IGNORED
                    ? many
                    : many + queued(process.resolve("net/tcp")) + queued(process.resolve("net/tcp6"));
        } catch (IOException | UncheckedIOException gone) {
            return 0;
        }
    }

    /** Bytes sent but not delivered, and received but not read: {@code TX:RX} in hexadecimal. */
    private static long queued(Path connections) throws IOException {
        if (!Files.exists(connections)) return 0;
        try (Stream<String> lines = Files.lines(connections)) {
            return lines.skip(1)
                    .map(line -> line.trim().split(" +", 6)[4].split(":", 2))
                    .mapToLong(queues -> Long.parseLong(queues[0], 16) + Long.parseLong(queues[1], 16))
                    .sum();
        }
    }
}
