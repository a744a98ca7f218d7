package brig.protocol;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file or a connection failed, in words for a person; who says it names the file. */
public final class Reason {
    private Reason() {}

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
}
