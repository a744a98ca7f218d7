package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of the first protocol, which end their sessions by the task_id and leave the rest to the spawner. */
@Timeout(120)
class ClassicProviderTest {
    private static final String CLIENT = Path.of(
                    System.getProperty("brig.clients", ""), "node/test/classic-provider.mjs")
            .toString();
    private static final int SESSIONS = 12;

    @Test
    @Tag("slow")
    void shouldLeaveNoSessionAndNoFolderAndRefuseNobodyWhenManyComeOneAfterAnother() throws IOException {
        try (Product product = Product.start(Map.of("limits", Map.of("workersPerCaptainMax", SESSIONS / 2)))) {
            for (int round = 0; round < 2; round++) {
                Run run = Run.of(
                        List.of(
                                "node",
                                CLIENT,
                                product.spawner().toString(),
                                product.scratch().toString(),
                                "shell",
                                String.valueOf(SESSIONS),
                                "mkdir -p a/b; echo kept > a/b/file; chmod 0 a; ln -s / out; echo said"),
                        "",
                        product.folder());
                assertEquals(0, run.exitCode(), run.err());
                assertEquals(
                        Collections.nCopies(SESSIONS, "said"), run.out().lines().toList());
                requireNothingLeft(product);
            }
        }
    }

    @Test
    void shouldRemoveWhatAWorkerAgentThatDiedLeft() throws IOException {
        try (Product product = Product.start()) {
            Path work = product.scratch().resolve("left");
            spawnIn(product, work, false);
            Await.until("it has written", () -> Files.exists(work.resolve("result")));
            product.workerAgents().forEach(ProcessHandle::destroyForcibly);
            requireNothingLeft(product);
        }
    }

    @Test
    void shouldKeepAFolderThatWasThereBefore() throws IOException {
        try (Product product = Product.start()) {
            Path work = Files.createDirectory(product.scratch().resolve("mine"));
            Files.setAttribute(work, "unix:mode", 0777);
            spawnIn(product, work, true);
            Await.until("it has ended", () -> areEnded(product));
            assertEquals("x\n", Files.readString(work.resolve("result")));
        }
    }

    private static void spawnIn(Product product, Path workspace, boolean once) throws IOException {
        JsonObject spawned = product.ask(
                "{\"action\":\"spawn\",\"workspace\":\"" + workspace + "\",\"agent_config\":{\"name\":\"shell\"},"
                        + "\"prompt\":\"echo x > result\",\"once\":" + once + "}");
        assertEquals("spawned", spawned.text("status"), spawned::toString);
    }

    private static void requireNothingLeft(Product product) throws IOException {
        Await.until("all have ended", () -> areEnded(product));
        Await.until("no folder is left", () -> isEmpty(product.scratch()));
    }

    private static boolean areEnded(Product product) throws IOException {
        return product.ask("{\"action\":\"list\"}").objects("spawns").stream().allMatch(spawn -> spawn.has("ended_ms"));
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
