package brig.workeragent.tunnel.files;

import brig.workeragent.tunnel.files.Exchanges.Reply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Opens regular files to which no link leads. The far side follows links when it opens, so a path is looked at again
 * once its file is open, and the file is compared with what has that name. A file is made only if there is none
 * ({@code EXCL} follows no link), and emptied only after it was looked at, so a link that is put in between harms
 * nothing. Not thread-safe.
 *
 * <p>Decision 0161.
 */
final class CheckedOpen {
    private static final int TRIES_MAX = 3;

    /** An open file; or a status that is not {@code OK}, and an empty handle. */
    static final class Opened {
        private final int status;
        private final byte[] handle;
        private final @Nullable FileAttributes attributes;

        Opened(int status, byte[] handle, @Nullable FileAttributes attributes) {
            this.status = status;
            this.handle = handle;
            this.attributes = attributes;
        }

        /** Of the file when it was opened; null if that changed them. */
        @Nullable
        FileAttributes attributes() {
            return attributes;
        }

        int status() {
            return status;
        }

        byte[] handle() {
            return handle;
        }

        static Opened refused(int status) {
            return new Opened(status, new byte[0], null);
        }
    }

    private record Found(int straight, Reply file) {}

    private record Compared(FileAttributes byName, FileAttributes byHandle) {}

    private final FarFolder folder;
    private final FarPath path;
    private final int flags;
    private final FileAttributes attributes;

    CheckedOpen(FarFolder folder, FarPath path, int flags, FileAttributes attributes) {
        this.folder = folder;
        this.path = path;
        this.flags = flags;
        this.attributes = attributes;
    }

    CompletableFuture<Opened> open() {
        return flags == Sftp.FLAG_READ ? checked(Sftp.FLAG_READ) : toWrite(1);
    }

    private CompletableFuture<Opened> toWrite(int attempt) {
        return folder.straight(path).thenCombine(folder.lstat(path), Found::new).thenCompose(found -> {
            int status = found.straight();
            if (status != Sftp.OK && status != Sftp.NO_SUCH_FILE) {
                return refused(status);
            }
            int plain = flags & (Sftp.FLAG_READ | Sftp.FLAG_WRITE | Sftp.FLAG_APPEND);
            if (found.file().type() == Sftp.ATTRS) {
                return toWriteExisting(FarFolder.attributes(found.file()), plain);
            }
            boolean missing = found.file().status() == Sftp.NO_SUCH_FILE;
            return missing && has(Sftp.FLAG_CREAT)
                    ? create(plain | Sftp.FLAG_CREAT | Sftp.FLAG_EXCL, attempt)
                    : refused(found.file().status());
        });
    }

    private CompletableFuture<Opened> toWriteExisting(FileAttributes existing, int plain) {
        if (has(Sftp.FLAG_EXCL)) {
            return refused(Sftp.FAILURE);
        }
        return existing.isRegular() ? checked(plain) : refused(Sftp.PERMISSION_DENIED);
    }

    /** Somebody else may have made the file in between; then it is opened. */
    private CompletableFuture<Opened> create(int exclusive, int attempt) {
        return checked(exclusive).thenCompose(opened -> {
            boolean again = opened.status() == Sftp.FAILURE && !has(Sftp.FLAG_EXCL) && attempt < TRIES_MAX;
            return again ? toWrite(attempt + 1) : CompletableFuture.completedFuture(opened);
        });
    }

    private CompletableFuture<Opened> checked(int sent) {
        return folder.open(path, sent, attributes)
                .thenCombine(folder.straight(path), (opened, straight) -> new Found(straight, opened))
                .thenCompose(found -> {
                    if (found.file().type() == Sftp.STATUS) {
                        // Whether there is a file where a link leads is not said.
                        return refused(
                                found.straight() == Sftp.OK ? found.file().status() : found.straight());
                    }
                    byte[] handle = FarFolder.handle(found.file());
                    return found.straight() == Sftp.OK ? compared(handle, 1) : closed(handle, Sftp.PERMISSION_DENIED);
                });
    }

    /** Both questions go together, so a file that somebody writes to is the same in both answers sooner or later. */
    private CompletableFuture<Opened> compared(byte[] handle, int attempt) {
        return folder.lstat(path)
                .thenCombine(folder.fstat(handle), (name, open) -> {
                    boolean both = name.type() == Sftp.ATTRS && open.type() == Sftp.ATTRS;
                    return new Compared(
                            both ? FarFolder.attributes(name) : FileAttributes.ofSize(0),
                            both ? FarFolder.attributes(open) : FileAttributes.ofSize(0));
                })
                .thenCompose(both -> {
                    boolean regular =
                            both.byName().isRegular() && both.byHandle().isRegular();
                    if (regular && both.byName().isSameFile(both.byHandle())) {
                        return has(Sftp.FLAG_TRUNC)
                                ? emptied(handle)
                                : CompletableFuture.completedFuture(new Opened(Sftp.OK, handle, both.byName()));
                    }
                    return regular && attempt < TRIES_MAX
                            ? compared(handle, attempt + 1)
                            : closed(handle, Sftp.PERMISSION_DENIED);
                });
    }

    private CompletableFuture<Opened> emptied(byte[] handle) {
        return folder.resize(handle, 0)
                .thenCompose(status -> status == Sftp.OK
                        ? CompletableFuture.completedFuture(new Opened(Sftp.OK, handle, null))
                        : closed(handle, status));
    }

    private CompletableFuture<Opened> closed(byte[] handle, int status) {
        return folder.close(handle).thenApply(ignored -> Opened.refused(status));
    }

    private static CompletableFuture<Opened> refused(int status) {
        return CompletableFuture.completedFuture(Opened.refused(status));
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }
}
