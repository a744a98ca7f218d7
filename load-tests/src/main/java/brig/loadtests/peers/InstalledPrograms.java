package brig.loadtests.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs. */
public final class InstalledPrograms {
    private InstalledPrograms() {}

    /** The path of the program; system folders are searched even if they are not in the PATH. */
    public static Optional<Path> program(String name) {
        String path = System.getenv("PATH");
        return Stream.concat(Stream.of((path == null ? "" : path).split(":", -1)), Stream.of("/usr/sbin", "/sbin"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The message if the program is missing. */
    static Optional<String> missing(String program, String debianPackage) {
        return program(program).isPresent()
                ? Optional.empty()
                : Optional.of(program + " is not installed (Debian, Ubuntu: apt-get install " + debianPackage + ")");
    }
}
