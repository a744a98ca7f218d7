package brig.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Describes the failure of a file or a connection in words, without class names. */
public final class Reason {
    /** The kernel's messages for ENOSPC, EDQUOT and EROFS. */
    private static final List<String> NO_ROOM =
            List.of("No space left on device", "Disk quota exceeded", "Read-only file system");

    private Reason() {}

    /** The reason alone, for callers that name the file themselves. */
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
     * The refusal of a failed write: {@code RECORD_LOST} if the disk is full or read-only, which is not the client's
     * fault; else the code given.
     */
    public static BrigException refusal(ErrorCode otherwise, String what, Exception failure) {
        String why = withFile(failure);
        if (NO_ROOM.stream().noneMatch(why::contains)) {
            return new BrigException(otherwise, what + ": " + why);
        }
        return new BrigException(
                ErrorCode.RECORD_LOST, what + ": " + why + "; the disk is full, or takes no writes: make room there");
    }

    /** What a stage failed with, without what {@code java.util.concurrent} wraps around it. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The reason with the file name of the failure: {@code /a/b: permission denied}. */
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
