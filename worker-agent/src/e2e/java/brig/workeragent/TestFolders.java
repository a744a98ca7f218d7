package brig.workeragent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders of tests. */
public final class TestFolders {
    private TestFolders() {}

    /** @return a new folder, deleted at the latest when this process ends */
    public static Path create(String prefix) throws IOException {
        Path folder = Files.createTempDirectory(prefix);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteLeft(folder)));
        return folder;
    }

    /** Deletes a folder with all that is in it, if it is there. */
    public static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Deletes what a test has left; a failure can only be told. */
    public static void deleteLeft(Path folder) {
        try {
            delete(folder);
        } catch (IOException failure) {
            System.err.println("a test left " + folder + ": " + failure);
        }
    }
}
