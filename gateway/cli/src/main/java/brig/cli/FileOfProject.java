package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Finds and reads a file that a project brings, which anybody may have written. */
final class FileOfProject {
    private FileOfProject() {}

    /**
     * The first one of a folder. Links are not followed, as sessions do not.
     *
     * @throws BrigException {@code NOT_FOUND}
     */
    static Path find(Path folder, List<String> names) {
        for (String name : names) {
            Path file = folder.resolve(name);
            try {
                Path real = folder.toAbsolutePath().toRealPath().resolve(name);
                if (Files.isRegularFile(file) && file.toRealPath().equals(real)) {
                    return file;
                }
            } catch (IOException vanished) {
                // As if it had not been there.
            }
        }
        throw new BrigException(
                ErrorCode.NOT_FOUND,
                (folder.toString().isEmpty() ? "this folder" : folder.toString()) + " has none of "
                        + String.join(", ", names) + "; links are not followed");
    }

    /**
     * What is read from it.
     *
     * @param read gets at most a byte more than it may have
     * @throws BrigException {@code NOT_FOUND}, {@code INVALID_POLICY}
     */
    static <T> T read(Path file, int bytesMax, Function<byte[], T> read) {
        if (!Files.isRegularFile(file)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "there is no file " + file);
        }
        try (InputStream in = Files.newInputStream(file)) {
            return read.apply(in.readNBytes(bytesMax + 1));
        } catch (BrigException | IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_POLICY, file + " cannot be used: " + e.getMessage());
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, file + " cannot be read: " + Reason.of(e));
        }
    }
}
