package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * Adds up what lies in folders that an agent writes, by names and lengths alone: no file is opened and no link is
 * followed, even if a folder is replaced by one meanwhile. A folder that cannot be read counts as empty.
 */
public final class FolderBytes {
    /** Each name takes some of the disk, so that many empty files reach a limit too. */
    static final long NAME_BYTES = 4096;
    /** Each level holds a descriptor of the worker-agent; what lies deeper is not counted. */
    private static final int DEPTH_MAX = 64;
    /** Links to a smaller file count again, which spares a set of all files. */
    private static final long LINKED_BYTES_MIN = 64 * 1024;

    private final long enough;
    private final Set<Object> linked = new HashSet<>();
    private long bytes;

    private FolderBytes(long enough) {
        this.enough = enough;
    }

    /** @param enough ends the count, with a result above it */
    public static long of(Iterable<Path> folders, long enough) {
        FolderBytes count = new FolderBytes(enough);
        for (Path folder : folders) {
            try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
                if (names instanceof SecureDirectoryStream<Path> secure) {
                    count.add(secure, 0);
                }
            } catch (IOException | DirectoryIteratorException gone) {
                count.bytes += NAME_BYTES;
            }
        }
        return count.bytes;
    }

    private void add(SecureDirectoryStream<Path> folder, int depth) {
        for (Path entry : folder) {
            if (bytes > enough) {
                return;
            }
            Path name = entry.getFileName();
            try {
                add(folder, name, depth);
            } catch (IOException | DirectoryIteratorException gone) {
                bytes += NAME_BYTES;
            }
        }
    }

    private void add(SecureDirectoryStream<Path> folder, Path name, int depth) throws IOException {
        BasicFileAttributes file = folder.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
        bytes += NAME_BYTES;
        if (file.isDirectory()) {
            if (depth < DEPTH_MAX) {
                try (SecureDirectoryStream<Path> below = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    add(below, depth + 1);
                }
            }
        } else if (file.isRegularFile() && (file.size() < LINKED_BYTES_MIN || linked.add(file.fileKey()))) {
            bytes += file.size();
        }
    }
}
