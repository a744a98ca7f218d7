package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A state folder with no room left. */
@Timeout(60)
class FullDiskTest {
    private static final int LINES = 1_500_000;
    /** The pause after which the recorder tries again. */
    private static final long RETRY_SECONDS = 5;

    @Test
    void shouldStreamOnAndTellReadersWhenDiskIsFull() throws IOException {
        // Scenario: 4 MB of disk, an agent that writes 11 MB. The mount is in a namespace of its own and goes
        // with it.
        Product.requireRoot("a mount namespace");
        try (Product product = Product.prepare(Map.of())) {
            String state = product.folder().resolve("state").toString();
            product.inMountNamespace("mkdir -p " + state + "; mount -t tmpfs -o size=4m,mode=711 brig-e2e " + state);
            product.serve();
            long beginNanos = System.nanoTime();
            Spawned spawned = product.idle("fills");
            try (Wire captain = spawned.captain()) {
                // It listens before the first line: what is not recorded reaches only who is there.
                Frames frames = new Frames().readUntilType(captain, "state");
                captain.sendLine(Spawned.user("seq 1 " + LINES));
                frames.readUntilType(captain, "done");
                product.ask("{\"action\":\"terminate\",\"id\":\"fills\"}");
                frames.readAll(captain);
                assertEquals(0, frames.missing());
                assertTrue(frames.text().endsWith("\n" + LINES + "\n"));
                long told = frames.messages().stream()
                        .filter(message -> message.text("code", "").equals("RECORD_LOST"))
                        .count();
                long retries = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNanos) / RETRY_SECONDS;
                assertTrue(told >= 1 && told <= 1 + retries, () -> told + " times, and " + retries + " retries");
            }
            requireToldOfGap(spawned);
        }
    }

    /** Whoever comes later gets what was stored, and hears what was not. */
    private static void requireToldOfGap(Spawned spawned) throws IOException {
        try (Wire watcher = spawned.attach("watcher")) {
            Frames frames = new Frames();
            for (String line = watcher.line(); line != null; line = watcher.line()) {
                frames.add(line);
            }
            assertTrue(frames.missing() > 0);
            assertTrue(Frames.isTerminated(frames.last()), () -> "how it ended is known: " + frames.last());
            assertEquals(1, frames.ofType("done").size());
            assertEquals(spawned.view().number("last_seq", 0), frames.next() - 1);
        }
    }
}
