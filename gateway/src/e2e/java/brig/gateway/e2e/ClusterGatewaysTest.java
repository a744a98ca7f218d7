package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three gateways, three nats-servers and shared worker-agents, while one of them is killed or stopped. */
@Timeout(4 * Await.DEADLINE_SECONDS)
class ClusterGatewaysTest {
    private static final long TAKEOVER_MS = 10_000;

    @Test
    @Tag("slow")
    void shouldShowASessionAtAllGatewaysWhicheverBeganIt() throws Exception {
        try (ClusterSite site = new ClusterSite(1, 2, 1)) {
            Product owner = site.awaitOwner("w1");
            Product other = site.others(owner).getFirst();
            String id = ClusterSessions.begin(other, "w1");
            List<Throwable> failures = new ArrayList<>();
            Thread beside = Thread.ofVirtual().start(() -> {
                try {
                    ClusterSessions.assertAllReadAt(owner, id);
                } catch (IOException | AssertionError e) {
                    failures.add(e);
                }
            });
            ClusterSessions.assertAllReadAt(other, id);
            beside.join();
            assertEquals(List.of(), failures);
            ClusterSessions.assertWrittenOnce(site, "w1", id);
            Await.until(
                    "it ended at both",
                    () -> other.web()
                            .get("/api/v1/spawns/" + id)
                            .json()
                            .text("state", "")
                            .equals("terminated"));
        }
    }

    @Test
    void shouldGoOnAtAnotherGatewayWithinTenSecondsWhenTheOwnerIsKilled() throws Exception {
        try (ClusterSite site = new ClusterSite(3, 3, 1)) {
            Product owner = site.awaitOwner("w1");
            Product other = site.others(owner).getFirst();
            String id = ClusterSessions.begin(owner, "w1");
            ClusterSessions.awaitKnown(other, id);
            Frames frames = new Frames();
            try (Events events = other.web().events(id, "")) {
                frames.readUntil(events, frame -> frame.number("seq", 0) >= 30);
                owner.kill();
                long killedNanos = System.nanoTime();
                long seen = frames.next();
                // What was on its way comes at once.
                frames.readUntil(
                        events,
                        frame -> frame.number("seq", 0) >= seen
                                && System.nanoTime() - killedNanos > TimeUnit.SECONDS.toNanos(2));
                long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killedNanos);
                assertTrue(tookMs <= TAKEOVER_MS, "frames came again after " + tookMs + " ms");
                frames.readAll(events);
            }
            assertEquals(ClusterSessions.all(), frames.text());
            assertEquals(0, frames.missing());
            owner.serve();
            for (Product gateway : site.gateways) {
                ClusterSessions.assertAllReadAt(gateway, id);
            }
            ClusterSessions.assertWrittenOnce(site, "w1", id);
        }
    }

    @Test
    @Tag("slow")
    void shouldWriteNothingAnyMoreWhenTheOwnerIsStoppedAndContinued() throws Exception {
        try (ClusterSite site = new ClusterSite(3, 3, 1)) {
            Product owner = site.awaitOwner("w1");
            String id = ClusterSessions.begin(owner, "w1");
            ClusterSite.signal(owner.process(), "STOP");
            Await.until("another gateway owns w1", () -> {
                for (Product other : site.others(owner)) {
                    if (Files.readString(other.log()).contains("host w1 is owned by this gateway")) {
                        return true;
                    }
                }
                return false;
            });
            ClusterSite.signal(owner.process(), "CONT");
            for (Product gateway : site.gateways) {
                ClusterSessions.assertAllReadAt(gateway, id);
            }
            ClusterSessions.assertWrittenOnce(site, "w1", id);
        }
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenANatsServerIsKilledAndComesBack() throws Exception {
        try (ClusterSite site = new ClusterSite(3, 2, 1)) {
            Product owner = site.awaitOwner("w1");
            String id = ClusterSessions.begin(owner, "w1");
            for (int server = 0; server < 3; server++) {
                site.nats.kill(server);
                site.nats.restart(server);
            }
            for (Product gateway : site.gateways) {
                ClusterSessions.assertAllReadAt(gateway, id);
            }
            ClusterSessions.assertWrittenOnce(site, "w1", id);
        }
    }

    @Test
    @Tag("slow")
    void shouldRefuseServersThatMayLoseWhatTheyAcknowledgedUnlessThatIsAccepted() throws Exception {
        try (NatsServers lax = NatsServers.lax();
                Product alone = Product.prepare(Map.of())) {
            Path keys = Files.createFile(
                    alone.folder().resolve("cluster.key"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(keys, "0123456789abcdef0123456789abcdef\n");
            Map<String, Object> cluster = new LinkedHashMap<>(Map.of(
                    "servers", lax.urls(),
                    "name", "g1",
                    "credentialsFile", lax.credentials(),
                    "keyFile", keys.toString(),
                    "replicas", 1L,
                    "hosts", Map.of()));
            String unknown = Product.refusal(Map.of("cluster", cluster));
            assertTrue(unknown.contains("cluster.systemCredentialsFile"), unknown);
            cluster.put("systemCredentialsFile", lax.systemCredentials());
            String unsynced = Product.refusal(Map.of("cluster", cluster));
            assertTrue(unsynced.contains("sync_interval: always"), unsynced);
            cluster.put("unsafeSync", true);
            try (Product accepted = Product.start(Map.of("cluster", cluster))) {
                Run status = accepted.brig("cluster", "status", "--json");
                assertEquals(0, status.exitCode(), status.toString());
                assertTrue(status.out().contains("\"gateway\":\"g1\""), status.out());
            }
        }
    }
}
