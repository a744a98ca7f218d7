package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The record of ended sessions goes as the settings say; that of a live one stays, whatever its age. */
@Timeout(120)
class RetentionTest {
    private static final int ENDED = 12;
    private static final long BYTES_MAX = 4 << 20;

    private static Set<String> streams(Product product) throws IOException {
        try (Stream<Path> folders = Files.list(product.folder().resolve("state/streams"))) {
            return folders.map(folder -> folder.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private static long bytes(Product product) throws IOException {
        try (Stream<Path> files = Files.walk(product.folder().resolve("state/streams"))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static boolean isPruned(Spawned spawned) {
        try {
            return "NOT_FOUND".equals(spawned.view().text("code"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonObject prune(Product product, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of("prune", "--json"));
        command.addAll(List.of(more));
        Run run = product.brig(command.toArray(String[]::new));
        assertEquals(0, run.exitCode(), run::toString);
        return JsonObject.read(run.out().strip().getBytes(StandardCharsets.UTF_8));
    }

    /** Scenario: a session lives while a dozen others, with a MiB each, come and go; then the gateway is killed. */
    @Test
    void shouldHoldTheSumAndNeverTouchALiveSession() throws Exception {
        try (Product product = Product.start(Map.of("retention", Map.of("days", 0, "bytes", BYTES_MAX, "spawns", 0)))) {
            Spawned live = product.idle("lives");
            try (Wire captain = live.captain()) {
                captain.sendLine(Spawned.user("seq 1 1000"));
                new Frames().readUntilType(captain, "done");
                List<Spawned> ended = new ArrayList<>();
                for (int i = 0; i < ENDED; i++) {
                    Spawned one = product.shell("seq 1 120000; echo over");
                    try (Wire reader = one.attach("watcher")) {
                        assertTrue(
                                Frames.isTerminated(new Frames().readAll(reader).last()));
                    }
                    ended.add(one);
                }
                Await.until(
                        "all are recorded", () -> ended.stream().allMatch(each -> isPruned(each) || each.isRecorded()));
                assertTrue(prune(product, "--dry-run").flag("dry_run"));
                // The gateway's own look may come before, between and behind: together they delete it all.
                Await.until(
                        "the sum holds", () -> prune(product).number("spawns", 0) == 0 && bytes(product) <= BYTES_MAX);
                int gone = (int) ended.stream().filter(RetentionTest::isPruned).count();
                assertTrue(gone > 0);
                Set<String> left =
                        ended.subList(gone, ENDED).stream().map(Spawned::id).collect(Collectors.toSet());
                left.add(live.id());
                assertEquals(left, streams(product), "the oldest are gone");
                assertEquals(0, prune(product, "--dry-run").number("spawns", -1));
                assertEquals("NOT_FOUND", ended.getFirst().view().text("code"));
                try (Wire reader = product.dial()
                        .sendLine("{\"action\":\"attach\",\"id\":\""
                                + ended.getFirst().id() + "\"}")) {
                    assertEquals("NOT_FOUND", reader.message().text("code"));
                }
                assertTrue(Files.readString(product.log()).contains(" prune "), "each is told in the audit");
                product.kill();
                product.serve();
                assertEquals(left, streams(product));
                assertEquals(0, prune(product).number("spawns", 0));
            }
            try (Wire captain = live.captain()) {
                captain.sendLine(Spawned.user("echo still there"));
                Frames frames = new Frames().readUntilType(captain, "done").readUntilType(captain, "done");
                assertEquals(0, frames.missing());
                assertTrue(
                        frames.text().startsWith("1\n2\n3\n") && frames.text().endsWith("1000\nstill there\n"));
            }
        }
    }
}
