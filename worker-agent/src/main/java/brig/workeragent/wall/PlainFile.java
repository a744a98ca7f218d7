package brig.workeragent.wall;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads small files of a folder that agents may change concurrently. It follows no links and never blocks. The JDK
 * would block the thread for ever if a file is replaced by a pipe between check and open.
 *
 * <p>Decision 0141.
 */
public final class PlainFile {
    private static final Charset PATHS = Charset.forName(System.getProperty("sun.jnu.encoding"));
    /** Missing, a link, a file among the parent folders, a socket. Format: errno(3), the numbers of Linux. */
    private static final Set<Integer> NONE = Set.of(2, 40, 20, 6);

    static {
        load();
    }

    private PlainFile() {}

    @SuppressWarnings("restricted") // A library of our own.
    private static void load() {
        String home = System.getProperty("brig.home", "");
        Path folder = Path.of(System.getProperty("brig.native", home + "/lib/native"));
        System.load(folder.resolve("libbrig-files.so").toAbsolutePath().toString());
    }

    /**
     * The beginning of a file.
     *
     * @param folder a real path
     * @param name below it, with a slash between folders
     * @return null if there is no such regular file; links and pipes are none
     */
    public static byte @Nullable [] read(Path folder, String name, int bytesMax) throws IOException {
        byte[] bytes = new byte[bytesMax];
        int length = read(folder.toString().getBytes(PATHS), name.getBytes(PATHS), bytes);
        if (length >= 0) {
            return Arrays.copyOf(bytes, length);
        }
        if (NONE.contains(-length)) {
            return null;
        }
        throw new IOException(folder.resolve(name) + " cannot be read: error " + -length);
    }

    private static native int read(byte[] folder, byte[] name, byte[] bytes);
}
