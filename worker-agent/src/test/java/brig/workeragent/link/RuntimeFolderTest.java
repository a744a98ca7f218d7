package brig.workeragent.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeFolderTest {
    @TempDir
    Path runtimeDir;

    @Test
    void shouldRemoveTheSocketsOfAKilledWorkerAgent() throws IOException {
        for (String left :
                List.of("egress/descriptors-1.sock", "egress/etc/hosts", "wall/descriptors/77-1", "wall/blank")) {
            Path file = runtimeDir.resolve(left);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        }
        try (var _ = RuntimeFolder.open(runtimeDir, null);
                Stream<Path> files = Files.walk(runtimeDir)) {
            assertEquals(
                    List.of("egress/etc/hosts", "w/lock", "wall/blank"),
                    files.filter(Files::isRegularFile)
                            .map(file -> runtimeDir.relativize(file).toString())
                            .sorted()
                            .toList());
        }
    }
}
