package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a {@code brig run} with a gateway of its own leaves when it is killed, and what the next one does about it. */
@Timeout(90)
class KilledRunTest {
    private static final String MARKER = "embedded";
    private static final int TEMPORARY_BYTES =
            107 - "/brig-1234567/agents/spn_123456789012345678901234/io.sock".length();

    private static List<Path> folders(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("brig-"))
                    .sorted()
                    .toList();
        }
    }

    private static Process run(Product product, Path temporary, String script) throws IOException {
        ProcessBuilder run = new ProcessBuilder(product.command("run", "shell", "--", script))
                .redirectErrorStream(true)
                .redirectOutput(product.folder().resolve("run.log").toFile());
        run.environment().put("BRIG_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary);
        return run.start();
    }

    @Test
    void shouldRemoveWhatAKilledRunLeftAndNothingElse() throws Exception {
        // Scenario: one run is killed while its agent works, another one lives; beside them a folder of the same
        // kind of name without a marker, one whose marker is a link, and, where root can make it, one of somebody
        // else. Then a third run comes.
        try (Product product = Product.prepare(Map.of())) {
            // As long as the folder for temporary files may be, with the sockets that are to lie in it.
            String under = product.folder() + "/";
            Path temporary = Files.createDirectory(Path.of(under + "t".repeat(TEMPORARY_BYTES - under.length())));
            Files.setAttribute(temporary, "unix:mode", 0711);
            Path bare = Files.createDirectory(temporary.resolve("brig-01"));
            Path linked = Files.createDirectory(temporary.resolve("brig-02"));
            Files.createSymbolicLink(
                    linked.resolve(MARKER), Files.createFile(product.folder().resolve("elsewhere")));
            Path foreign = Files.createDirectory(temporary.resolve("brig-03"));
            Files.createFile(foreign.resolve(MARKER));
            if (Product.isRoot()) {
                Files.setAttribute(foreign.resolve(MARKER), "unix:uid", 12345);
            } else {
                Files.delete(foreign.resolve(MARKER));
            }
            String mark = "1000." + System.nanoTime() % 1_000_000 + "1";
            Process killed = run(product, temporary, "touch killed; exec sleep " + mark);
            Await.until("its agent works", () -> !Processes.with("sleep", mark).isEmpty());
            Path left = folders(temporary).stream()
                    .filter(folder -> Files.exists(folder.resolve("run")))
                    .findFirst()
                    .orElseThrow();
            Process living = run(product, temporary, "exec sleep 2" + mark);
            Await.until(
                    "the other agent works",
                    () -> !Processes.with("sleep", "2" + mark).isEmpty());
            killed.destroyForcibly().waitFor();
            assertTrue(Files.exists(left.resolve(MARKER)));

            int code = run(product, temporary, "true").waitFor();
            assertEquals(0, code, Files.readString(product.folder().resolve("run.log")));

            List<Path> after = new ArrayList<>(folders(temporary));
            assertTrue(after.containsAll(List.of(bare, linked, foreign)), after::toString);
            after.removeAll(List.of(bare, linked, foreign));
            assertEquals(1, after.size(), after::toString);
            Path ofLiving = after.getFirst();
            assertTrue(Files.exists(ofLiving.resolve("spawner.sock")) && !ofLiving.equals(left), ofLiving::toString);
            assertEquals(List.of(), Processes.with("sleep", mark));
            living.destroy();
            living.waitFor();
            assertEquals(List.of(bare, linked, foreign), folders(temporary));
        }
    }
}
