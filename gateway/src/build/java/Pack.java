import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compresses the file {@code args[0]} to {@code args[1]} with zstd: the same bytes on each machine. */
final class Pack {
    /** The higher levels take ten times as long for a tenth less. */
    private static final int LEVEL = 12;
    /** The largest window that every decoder accepts: the copies of a file lie far apart. */
    private static final int WINDOW_LOG = 27;
    /** Any number but 0 has the same result. */
    private static final int WORKERS = 2;

    private Pack() {}

    public static void main(String[] args) throws IOException {
        try (OutputStream file = Files.newOutputStream(Path.of(args[1]));
                ZstdOutputStream out = new ZstdOutputStream(file)
                        .setLevel(LEVEL)
                        .setLong(WINDOW_LOG)
                        .setWorkers(WORKERS)
                        .setChecksum(true)) {
            Files.copy(Path.of(args[0]), out);
        }
    }
}
