package brig.loadtests.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks for programs. */
final class InstalledPrograms {
    private InstalledPrograms() {}

    /** Where the program is; system folders count even where the user's PATH has none of them. */
    static Optional<Path> program(String name) {
        String path = System.getenv("PATH");
        return Stream.concat(Stream.of((path == null ? "" : path).split(":", -1)), Stream.of("/usr/sbin", "/sbin"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** What to say where the program is not there. */
    static Optional<String> missing(String program, String debianPackage) {
        return program(program).isPresent()
                ? Optional.empty()
                : Optional.of(program + " is not installed (Debian, Ubuntu: apt-get install " + debianPackage + ")");
    }
}
