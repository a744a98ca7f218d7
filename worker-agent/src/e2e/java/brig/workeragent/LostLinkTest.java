package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import brig.workeragent.worker.SystemTimers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker-agent on another host does when the link to its gateway is lost. */
@Timeout(180)
@Tag("slow")
class LostLinkTest {
    private static final int BYTES = 30_000_000;

    private final AgentFixture fixture = new AgentFixture();

    LostLinkTest() throws IOException {
        CommandLine options = fixture.options();
        JsonObject settings = JsonObject.of(Map.of("worker", JsonObject.of(Map.of("spillBytesMax", 64L << 20))));
        fixture.agent = WorkerAgent.open(
                Installation.read(
                        new CommandLine(
                                options.config(),
                                options.home(),
                                options.runtimeDir(),
                                null,
                                null,
                                false,
                                30_000,
                                settings),
                        Map.of(),
                        Installation.isRoot()),
                new SystemTimers());
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private TestGateway control(String more) throws IOException {
        return new TestGateway(fixture.linkSocket()).opened("{\"link\":\"control\"," + more + "}");
    }

    private TestGateway frames(String id, long resume, int epoch) throws IOException {
        return new TestGateway(fixture.linkSocket())
                .opened("{\"link\":\"worker\",\"spawn_id\":\"" + id + "\",\"resume\":" + resume + ",\"epoch\":" + epoch
                        + "}");
    }

    private List<Path> spilled() throws IOException {
        try (Stream<Path> files = Files.walk(fixture.root.resolve("state/spill"))) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9]+") && Files.isRegularFile(file))
                    .toList();
        }
    }

    @Test
    void shouldLetTheAgentGoOnAndLoseNothingWhenTheLinkIsLostWithoutAWord() throws Exception {
        // Scenario: the gateway's side of a link takes no more and never closes. Its successor comes: the agent writes
        // 30 MB
        // that nobody reads, and ends its turn. Then the successor reads all of it, in two connections.
        TestGateway lost = control("\"epoch\":1");
        String id = fixture.spawn(lost, "shell", "yes | head -c " + BYTES);
        TestGateway reader = frames(id, 1, 1);
        reader.read(frame -> false);
        try (TestGateway control = control("\"epoch\":2")) {
            control.ask("{\"id\":1,\"op\":\"list\"}");
            assertNull(lost.line());
            reader.read(frame -> true);
            try (TestGateway late = control("\"epoch\":1")) {
                assertTrue(late.line().contains("LINK_FENCED"));
            }
            while (!control.ask("{\"id\":1,\"op\":\"list\"}").toString().contains("working=false")) {
                LockSupport.parkNanos(2_000_000);
            }
            assertTrue(spilled().size() > 1, "parts of the frames are on disk");
            long[] bytes = {0};
            long[] seq = {0};
            try (TestGateway first = frames(id, 1, 2)) {
                first.read(frame -> {
                    assertEquals(++seq[0], frame.seq());
                    bytes[0] += frame.type() == FrameType.CHUNK
                            ? frame.text("content").length()
                            : 0;
                    return bytes[0] < BYTES / 2;
                });
            }
            try (TestGateway second = frames(id, seq[0] + 1, 2)) {
                second.read(frame -> {
                    assertEquals(++seq[0], frame.seq());
                    bytes[0] += frame.type() == FrameType.CHUNK
                            ? frame.text("content").length()
                            : 0;
                    return frame.type() != FrameType.DONE;
                });
                second.send("{\"ack\":" + seq[0] + "}");
                while (!spilled().isEmpty()) {
                    LockSupport.parkNanos(2_000_000);
                }
            }
            assertEquals(BYTES, bytes[0]);
        }
        lost.close();
        reader.close();
    }
}
