package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The playbook of docs/cluster.md for a backup, step by step. */
@Timeout(4 * Await.DEADLINE_SECONDS)
@Tag("slow")
class ClusterRestoreTest {
    private static final int SERVERS = 3;

    private static void copy(ClusterSite site, Path from, Path to) throws IOException {
        Run copied = Run.of(
                List.of("cp", "-a", from.toString(), to.toString()),
                "",
                site.gateways.getFirst().folder());
        assertEquals(0, copied.exitCode(), copied.toString());
    }

    private static void backUp(ClusterSite site) throws IOException {
        for (int i = 0; i < SERVERS; i++) {
            site.nats.stop(i);
            copy(site, site.nats.store(i), site.nats.backup(i));
            site.nats.restart(i);
        }
    }

    private static void restore(ClusterSite site) throws IOException {
        for (int i = 0; i < SERVERS; i++) {
            site.nats.stop(i);
            TestFolders.delete(site.nats.store(i));
            copy(site, site.nats.backup(i), site.nats.store(i));
        }
        for (int i = 0; i < SERVERS; i++) {
            site.nats.restart(i);
        }
    }

    private static String said(Product gateway) {
        try {
            return Files.readString(gateway.log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldGoOnWithAllFramesWhenABackupIsRestored() throws Exception {
        try (ClusterSite site = new ClusterSite(SERVERS, 2, 1)) {
            Product owner = site.awaitOwner("w1");
            Product other = site.others(owner).getFirst();
            String before = ClusterSessions.begin(owner, "w1");
            ClusterSessions.assertAllReadAt(other, before);
            String live = ClusterSessions.begin(owner, "w1");
            ClusterSessions.awaitKnown(other, live);
            Frames frames = new Frames();
            try (Events events = other.web().events(live, "")) {
                frames.readUntil(events, frame -> frame.number("seq", 0) >= 20);
                backUp(site);
                frames.readUntil(events, frame -> frame.number("seq", 0) >= 120);
            }
            owner.stop();
            other.stop();
            restore(site);
            // The one that was stopped last knows most.
            other.serve();
            Await.until(
                    "it owns and reaches the host",
                    () -> said(other),
                    () -> other.brig("cluster", "status").exitCode() == 0);
            owner.serve();
            for (Product gateway : site.gateways) {
                ClusterSessions.assertAllReadAt(gateway, before);
                ClusterSessions.assertAllReadAt(gateway, live);
            }
            ClusterSessions.assertWrittenOnce(site, "w1", live);
        }
    }
}
