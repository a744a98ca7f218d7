package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A gateway alone takes nothing of what a cluster needs: no class of it, and so no thread and no connection. */
class AloneTest {
    private static List<String> loaded(Path classes, String prefix) throws IOException {
        try (Stream<String> lines = Files.lines(classes)) {
            return lines.filter(line -> line.contains(prefix)).toList();
        }
    }

    @Test
    void shouldLoadNothingOfNatsWhenThereIsNoCluster() throws IOException {
        try (Product alone = Product.prepare(Map.of())) {
            Path classes = alone.folder().resolve("classes.log");
            String options = Objects.requireNonNullElse(System.getenv("BRIG_JAVA_OPTS"), "");
            alone.with("BRIG_JAVA_OPTS=" + options + " -Xlog:class+load:file=" + classes + "::filecount=0");
            alone.serve();
            Await.until("a session ran", alone.shell("echo one")::isRecorded);
            assertFalse(loaded(classes, " brig.gateway.app.Gateway ").isEmpty());
            assertEquals(List.of(), loaded(classes, " io.nats."));
            assertEquals(List.of(), loaded(classes, " brig.gateway.nats."));
            assertEquals(List.of(), loaded(classes, " brig.gateway.cluster.Cluster "));
        }
    }
}
