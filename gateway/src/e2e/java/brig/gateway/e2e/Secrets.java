package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks for a secret where it could have come to: files, and the arguments, environments and memory of processes. Needs root. */
final class Secrets {
    private static final int PIECE = 1 << 22;

    private final String secret;

    Secrets(String secret) {
        this.secret = secret;
    }

    /** The files below that folder that have it. Links are not followed. */
    List<Path> filesIn(Path folder) throws IOException {
        Path parent = Files.createTempDirectory("brig-search-");
        try {
            Run found = Run.of(List.of("grep", "-rlaF", "--", secret, folder.toString()), "", parent);
            return found.out().lines().map(Path::of).toList();
        } finally {
            TestFolders.delete(parent);
        }
    }

    /** Those that were started with it. */
    List<ProcessHandle> inStart(List<ProcessHandle> processes) throws IOException {
        List<ProcessHandle> found = new ArrayList<>();
        for (ProcessHandle process : processes) {
            if (read(process, "environ").contains(secret)
                    || read(process, "cmdline").contains(secret)) {
                found.add(process);
            }
        }
        return found;
    }

    private static String read(ProcessHandle process, String what) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), what), ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /** Those that have it in what they may write to. */
    List<ProcessHandle> inMemory(List<ProcessHandle> processes) {
        return processes.stream().filter(this::remembers).toList();
    }

    private boolean remembers(ProcessHandle process) {
        byte[] piece = new byte[PIECE];
        try (RandomAccessFile memory = new RandomAccessFile("/proc/" + process.pid() + "/mem", "r")) {
            for (String region : read(process, "maps").lines().toList()) {
                String[] words = region.split(" ");
                String[] ends = words[0].split("-");
                if (words[1].startsWith("rw")
                        && remembers(memory, Long.parseLong(ends[0], 16), Long.parseLong(ends[1], 16), piece)) {
                    return true;
                }
            }
            return false;
        } catch (IOException gone) {
            return false;
        }
    }

    private boolean remembers(RandomAccessFile memory, long from, long to, byte[] piece) {
        for (long at = from; at < to; at += PIECE - secret.length()) {
            try {
                memory.seek(at);
                int count = memory.read(piece, 0, (int) Math.min(PIECE, to - at));
                if (count > 0 && new String(piece, 0, count, ISO_8859_1).contains(secret)) {
                    return true;
                }
            } catch (IOException unmapped) {
                return false;
            }
        }
        return false;
    }
}
