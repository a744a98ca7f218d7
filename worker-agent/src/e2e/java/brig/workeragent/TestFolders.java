package brig.workeragent;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
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

    /** The files below that folder that have that text. */
    public static List<Path> filesWith(Path folder, String text) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> has(file, text))
                    .toList();
        }
    }

    static boolean has(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1).contains(text);
        } catch (IOException unreadable) {
            return false;
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
