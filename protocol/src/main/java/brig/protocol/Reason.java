package brig.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Why a file or a connection failed, in words for a person and not in names of classes. */
public final class Reason {
    /** The kernel's words for ENOSPC, EDQUOT and EROFS. */
    private static final List<String> NO_ROOM =
            List.of("No space left on device", "Disk quota exceeded", "Read-only file system");

    private Reason() {}

    /** For who names the file itself. */
    public static String of(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        String said = failure instanceof FileSystemException file ? file.getReason() : failure.getMessage();
        return said == null || said.isEmpty() ? failure.getClass().getSimpleName() : said;
    }

    /**
     * The refusal of who could not write: {@code RECORD_LOST} where the disk takes nothing, which is nobody's fault who asks,
     * else the code that is given.
     */
    public static BrigException refusal(ErrorCode otherwise, String what, Exception failure) {
        String why = withFile(failure);
        if (NO_ROOM.stream().noneMatch(why::contains)) {
            return new BrigException(otherwise, what + ": " + why);
        }
        return new BrigException(
                ErrorCode.RECORD_LOST, what + ": " + why + "; the disk is full, or takes no writes: make room there");
    }

    /** For who knows no more of the file than the failure does: {@code /a/b: permission denied}. */
    public static String withFile(Exception failure) {
        Exception cause = switch (failure) {
            case UncheckedIOException wrapped -> wrapped.getCause();
            case DirectoryIteratorException wrapped -> wrapped.getCause();
            default -> failure;
        };
        if (!(cause instanceof IOException reason)) {
            return String.valueOf(failure.getMessage());
        }
        return reason instanceof FileSystemException file && file.getFile() != null
                ? file.getFile() + ": " + of(file)
                : of(reason);
    }
}
