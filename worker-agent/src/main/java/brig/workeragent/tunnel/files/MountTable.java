package brig.workeragent.tunnel.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The kernel's table of mounts. It is read without a look at any mount, as a dead one would not answer. */
final class MountTable {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int PLACE = 4;
    private static final int FIELDS = 6;

    private MountTable() {}

    static boolean isMounted(Path point) throws IOException {
        return points().anyMatch(point::equals);
    }

    /** The mount points directly in that folder, which is an absolute path without links. */
    static List<Path> below(Path folder) throws IOException {
        return points().filter(place -> folder.equals(place.getParent()))
                .distinct()
                .toList();
    }

    private static Stream<Path> points() throws IOException {
        return new String(Files.readAllBytes(TABLE), StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.split(" ", FIELDS))
                .filter(fields -> fields.length == FIELDS)
                .map(fields -> Path.of(fields[PLACE]));
    }
}
