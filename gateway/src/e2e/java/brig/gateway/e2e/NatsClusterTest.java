package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.cluster.Run;
import brig.gateway.cluster.SharedLog;
import brig.gateway.cluster.SharedTable;
import brig.gateway.cluster.StaleException;
import brig.gateway.nats.NatsCluster;
import brig.gateway.nats.NatsSettings;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What gateways share, in real servers: the rules that they rely on. */
@Timeout(4 * Await.DEADLINE_SECONDS)
@Tag("slow")
class NatsClusterTest {
    private static final String ID = "spn_01kdvw5v09s6yx3m8q2t7n4e";
    private static final int ROUNDS = 100;
    private static final byte[] NOTHING = {};

    private final ExecutorService loop = Executors.newSingleThreadExecutor();

    @AfterEach
    void endLoop() {
        loop.shutdownNow();
    }

    private NatsCluster join(NatsServers nats, String name) throws IOException {
        return join(nats, name, nats.urls());
    }

    private NatsCluster join(NatsServers nats, String name, List<String> servers) throws IOException {
        return new NatsCluster(
                new NatsSettings(
                        name, servers, nats.credentials(), nats.systemCredentials(), "", nats.replicas(), 1, false),
                List.of("w1"),
                loop);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Run run(long term, long first, long last) {
        return new Run(ID, term, first, last, bytes("{}\n".repeat((int) (last - first + 1))));
    }

    private static void assertStale(CompletionStage<?> written) {
        assertInstanceOf(
                StaleException.class,
                assertThrows(CompletionException.class, () -> join(written)).getCause());
    }

    @Test
    void shouldTakeARunAfterTheLastOneOnlyAndARepeatedOneOnce() throws Exception {
        try (NatsServers nats = NatsServers.start(1)) {
            NatsCluster cluster = join(nats, "g1");
            try {
                SharedLog log = cluster.shared().log();
                long first = join(log.append("w1", run(7, 1, 2), 0));
                assertEquals(first, join(log.append("w1", run(7, 1, 2), 0)), "repeated at once");
                assertStale(log.append("w1", run(6, 1, 3), 0));
                long fence = join(log.append("w1", run(8, 3, 2), first));
                assertStale(log.append("w1", run(7, 3, 3), first));
                long next = join(log.append("w1", run(8, 3, 3), fence));
                assertEquals(next, join(log.append("w1", run(8, 3, 3), fence)), "repeated");
                assertEquals(next, join(log.last("w1", ID)).orElseThrow().position());
                assertEquals(3, fence - first + next - fence + 1, "nothing else was written");
            } finally {
                cluster.close();
            }
        }
    }

    /** A follower may not have it yet, which is seldom seen. So it is also looked at that no follower is asked. */
    @Test
    void shouldReadAtOnceWhatWasWrittenAtWhicheverServer() throws Exception {
        try (NatsServers nats = NatsServers.start(3)) {
            List<NatsCluster> all = new ArrayList<>();
            Connection beside = nats.connect();
            try {
                for (String url : nats.urls()) {
                    all.add(join(nats, "g" + all.size(), List.of(url)));
                }
                for (String bucket : List.of("owners", "spawns", "requests")) {
                    assertFalse(
                            beside.jetStreamManagement()
                                    .getStreamInfo("KV_brig-" + bucket)
                                    .getConfiguration()
                                    .getAllowDirect(),
                            bucket);
                }
                long revision = 0;
                int behind = 0;
                for (int i = 0; i < ROUNDS; i++) {
                    NatsCluster writer = all.get(i % all.size());
                    revision = join(writer.shared().owners().write("w1", bytes("v" + i), revision));
                    for (NatsCluster reader : all) {
                        behind += join(reader.shared().owners().read("w1"))
                                                .orElseThrow()
                                                .revision()
                                        == revision
                                ? 0
                                : 1;
                    }
                }
                assertEquals(0, behind, "reads that were behind");
            } finally {
                beside.close();
                all.forEach(NatsCluster::close);
            }
        }
    }

    @Test
    void shouldKeepNothingOfRemovedKeys() throws Exception {
        try (NatsServers nats = NatsServers.start(1)) {
            NatsCluster cluster = join(nats, "g1");
            Connection beside = nats.connect();
            try {
                SharedTable table = cluster.shared().spawns();
                table.watch(entry -> {});
                for (int i = 0; i < 20; i++) {
                    long revision = join(table.write("spn_" + i, bytes("there"), 0));
                    join(table.write("spn_" + i, NOTHING, revision));
                }
                join(table.write("spn_live", bytes("there"), 0));
                JetStreamManagement streams = beside.jetStreamManagement();
                Await.until("one key is there", () -> {
                    try {
                        return streams.getStreamInfo("KV_brig-spawns")
                                        .getStreamState()
                                        .getMsgCount()
                                == 1;
                    } catch (io.nats.client.JetStreamApiException e) {
                        throw new IOException(e);
                    }
                });
                join(table.settled());
                assertTrue(join(table.read("spn_live")).isPresent());
                assertTrue(join(table.read("spn_0")).isEmpty());
                assertTrue(join(table.write("spn_0", bytes("again"), 0)) > 0);
            } finally {
                beside.close();
                cluster.close();
            }
        }
    }

    @Test
    void shouldTellOfEachChangeWhicheverServerIsKilled() throws Exception {
        try (NatsServers nats = NatsServers.start(3)) {
            NatsCluster writer = join(nats, "g1");
            NatsCluster reader = join(nats, "g2");
            try {
                Set<String> told = ConcurrentHashMap.newKeySet();
                reader.shared().spawns().watch(entry -> told.add(entry.key()));
                join(writer.shared().spawns().write("before", bytes("there"), 0));
                Await.until("it is told", () -> told.contains("before"));
                for (int server = 0; server < 3; server++) {
                    String key = "after" + server;
                    nats.kill(server);
                    Await.until("it is written", () -> isWritten(writer.shared().spawns(), key));
                    Await.until("it is told", () -> told.contains(key));
                    nats.restart(server);
                }
            } finally {
                reader.close();
                writer.close();
            }
        }
    }

    private static boolean isWritten(SharedTable table, String key) {
        return join(table.write(key, bytes("there"), 0)
                .handle((revision, failure) -> failure == null
                        || failure instanceof StaleException
                        || failure.getCause() instanceof StaleException));
    }
}
