package brig.gateway.e2e;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Faults by seed, one after the other, in three real gateways and three nats-servers: gateways are killed, stopped and continued, and
 * nats-servers are killed. Run more of them with {@code -PclusterSchedules=20}.
 */
@Timeout(60 * Await.DEADLINE_SECONDS)
@Tag("slow")
class ClusterChaosTest {
    private static final int SCHEDULES = Integer.getInteger("brig.cluster.schedules", 1);
    private static final int FIRST_SEED = Integer.getInteger("brig.cluster.seed", 1);
    private static final int FAULTS = 3;
    private static final int SERVERS = 3;

    private static long written(Connection nats, String host) {
        try {
            return nats.jetStreamManagement()
                    .getStreamInfo("brig-log-" + host)
                    .getStreamState()
                    .getLastSequence();
        } catch (IOException | JetStreamApiException notNow) {
            return -1;
        }
    }

    private static void awaitWritten(Connection nats, String host, long after) throws IOException {
        Await.until("frames of " + host + " are written", () -> written(nats, host) > after);
    }

    private static String disturb(ClusterSite site, Connection nats, String host, Random random) throws IOException {
        Product owner = site.awaitOwner(host);
        long before = written(nats, host);
        int server = random.nextInt(SERVERS);
        return switch (random.nextInt(3)) {
            case 0 -> {
                owner.kill();
                awaitWritten(nats, host, before);
                owner.serve();
                yield "the owner of " + host + " is killed";
            }
            case 1 -> {
                ClusterSite.signal(owner.process(), "STOP");
                Await.until("another owns " + host, () -> site.owner(host) != owner);
                ClusterSite.signal(owner.process(), "CONT");
                yield "the owner of " + host + " is stopped and continued";
            }
            default -> {
                site.nats.kill(server);
                awaitWritten(nats, host, before);
                site.nats.restart(server);
                yield "a nats-server is killed";
            }
        };
    }

    private static void run(int seed) throws Exception {
        Random random = new Random(seed);
        StringBuilder story = new StringBuilder("seed " + seed);
        Map<String, String> hostOf = new LinkedHashMap<>();
        try (ClusterSite site = new ClusterSite(SERVERS, 3, 2)) {
            Connection nats = site.nats.connect();
            try {
                for (int i = 0; i < FAULTS; i++) {
                    String host = "w" + (1 + random.nextInt(2));
                    site.awaitOwner(host);
                    Product asked = site.gateways.get(random.nextInt(site.gateways.size()));
                    hostOf.put(ClusterSessions.begin(asked, host), host);
                    story.append("; ").append(disturb(site, nats, host, random));
                }
                for (Map.Entry<String, String> session : hostOf.entrySet()) {
                    for (Product gateway : site.gateways) {
                        ClusterSessions.assertAllReadAt(gateway, session.getKey());
                    }
                    ClusterSessions.assertWrittenOnce(site, session.getValue(), session.getKey());
                }
            } catch (AssertionError | IOException e) {
                throw new AssertionError(story.toString(), e);
            } finally {
                nats.close();
            }
        }
    }

    @Test
    void shouldLoseNoFrameAndWriteNoneTwiceWhateverHappens() throws Exception {
        for (int seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
            run(seed);
        }
    }
}
