package brig.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary folder for large files, which goes with the command. Another user may enter it who knows the name of the
 * folder within, as the workers' user does, and may list nothing above that.
 */
final class FetchFolder implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(FetchFolder.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    /** On a disk, as /tmp often is in memory. */
    private static final Path USUAL = Path.of("/var/tmp");

    private final Path outer;
    private final Path path;
    private final Thread atEnd = Thread.ofPlatform().name("brig-fetch-end").unstarted(this::delete);

    private FetchFolder(Path outer, Path path) {
        this.outer = outer;
        this.path = path;
        Runtime.getRuntime().addShutdownHook(atEnd);
    }

    static FetchFolder make() throws IOException {
        String chosen = System.getenv("TMPDIR");
        Path outer =
                Files.createTempDirectory(chosen == null || chosen.isEmpty() ? USUAL : Path.of(chosen), "brig-fetch");
        Path path = Files.createDirectory(outer.resolve(Long.toUnsignedString(RANDOM.nextLong(), 36)));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
        Files.setPosixFilePermissions(outer, PosixFilePermissions.fromString("rwx--x--x"));
        return new FetchFolder(outer.toRealPath(), path.toRealPath());
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atEnd);
        delete();
    }

    private void delete() {
        try (Stream<Path> all = Files.walk(outer)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst) {
                Files.deleteIfExists(each);
            }
        } catch (IOException | UncheckedIOException e) {
            logger.warn("{} cannot be removed: {}", outer, e.toString());
        }
    }
}
