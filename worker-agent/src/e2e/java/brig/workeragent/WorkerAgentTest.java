package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import brig.workeragent.TestGateway.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker-agent with real sockets, real processes and the real wall. */
@Timeout(60)
class WorkerAgentTest {
    private AgentFixture fixture;
    private TestGateway control;

    @BeforeEach
    void open() throws IOException {
        fixture = new AgentFixture().open();
        control = fixture.control();
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fixture.close();
    }

    private static String summary(Frame frame) {
        return switch (frame.type()) {
            case CHUNK -> frame.text("stream") + " " + frame.text("content");
            case DONE -> "done " + frame.text("exit_code") + " " + frame.text("signal") + " " + frame.text("reason");
            case STATE -> frame.text("state") + " " + frame.text("reason");
            default -> frame.type() + " " + frame.text("code");
        };
    }

    private static boolean terminated(Frame frame) {
        return frame.type() == FrameType.STATE && frame.text("state").equals("terminated");
    }

    private List<String> untilDone(TestGateway frames) throws IOException {
        List<String> seen = new ArrayList<>();
        frames.read(frame -> {
            if (frame.type() != FrameType.MESSAGE) {
                seen.add(summary(frame));
            }
            return frame.type() != FrameType.DONE;
        });
        return seen;
    }

    @Test
    void shouldSayWhoItIsWhenGreeted() throws Exception {
        Map<?, ?> ok =
                (Map<?, ?>) control.ask("{\"id\":\"a\",\"op\":\"hello\"}").get("ok");
        assertEquals(ProcessHandle.current().pid(), ok.get("pid"));
        assertTrue(ok.get("agents").toString().contains("name=shell"));
        assertFalse(ok.get("agents").toString().contains("broken"));
    }

    @Test
    void shouldStreamBothPipesAndExitWhenShellRunsMessage() throws Exception {
        String id = fixture.spawn(control, "shell", null);
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.send("{\"input\":{\"content\":\"echo out in $PWD\"}}");
            frames.send("{\"input\":{\"content\":\"echo err >&2; exit 3\"}}");
            assertEquals(List.of("running null", "stdout out in /workspace\n", "done 0 null null"), untilDone(frames));
            assertEquals(List.of("stderr err\n", "done 3 null null"), untilDone(frames));
        }
    }

    @Test
    void shouldTellPostureWhenWorkerIsUp() throws Exception {
        for (String prompt : new String[] {null, "sleep 5"}) {
            String id = Ids.newSpawnId(System.currentTimeMillis());
            String answer =
                    control.ask(AgentFixture.spawnRequest(id, "shell", prompt)).toString();
            assertTrue(answer.contains("{name=own-network, status=OK,"), answer);
        }
        String list = control.ask("{\"id\":2,\"op\":\"list\"}").toString();
        assertEquals(3, list.split("name=own-network, status=OK,", -1).length, list);
    }

    @Test
    void shouldTalkToOneProcessWhenProfileReadsLines() throws Exception {
        String id = fixture.spawn(control, "lines", "one");
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.send("{\"input\":{\"content\":\"two\"}}");
            StringBuilder said = new StringBuilder();
            frames.read(frame -> {
                said.append(frame.type() == FrameType.CHUNK ? frame.text("content") : "");
                return said.indexOf("two\n") < 0;
            });
            assertEquals("one\ntwo\n", said.toString());
            control.ask("{\"id\":2,\"op\":\"terminate\",\"spawn_id\":\"" + id + "\"}");
            List<String> end = new ArrayList<>();
            frames.read(frame -> {
                end.add(summary(frame));
                return !terminated(frame);
            });
            assertEquals(List.of("done 0 null terminated", "terminated requested"), end);
        }
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenGatewayIsSlow() throws Exception {
        // Scenario: 50 MB from an agent that never pauses, through a gateway that stops to think and
        // acknowledges late.
        String id = fixture.spawn(control, "shell", "yes | head -c 50000000");
        long[] bytes = {0};
        long[] seq = {0};
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> {
                assertEquals(++seq[0], frame.seq());
                if (frame.type() == FrameType.CHUNK) {
                    bytes[0] += frame.text("content").length();
                }
                if (seq[0] % 16 == 0 || frame.type() == FrameType.DONE) {
                    LockSupport.parkNanos(1_000_000);
                    frames.send("{\"ack\":" + frame.seq() + "}");
                }
                return frame.type() != FrameType.DONE;
            });
        }
        assertEquals(50_000_000, bytes[0]);
    }

    @Test
    void shouldSendUnacknowledgedAgainWhenConnectionDrops() throws Exception {
        // Scenario: the connection drops at random frames, the agent goes on, each resume asks for the first
        // frame not stored; a second worker of the same kind must not be disturbed by it.
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String id = fixture.spawn(control, "shell", "seq 1 200000");
        StringBuilder text = new StringBuilder();
        long[] stored = {0};
        boolean[] done = {false};
        for (int drops = 0; !done[0]; drops++) {
            int enough = drops < 20 ? random.nextInt(8) : Integer.MAX_VALUE;
            try (TestGateway frames = fixture.frames(id, stored[0] + 1)) {
                int[] count = {0};
                frames.read(frame -> {
                    assertEquals(++stored[0], frame.seq(), "seed " + seed);
                    text.append(frame.type() == FrameType.CHUNK ? frame.text("content") : "");
                    done[0] = frame.type() == FrameType.DONE;
                    if (random.nextBoolean()) {
                        frames.send("{\"ack\":" + frame.seq() + "}");
                    }
                    return !done[0] && count[0]++ < enough;
                });
            }
        }
        String[] lines = text.toString().split("\n", -1);
        assertEquals(200_001, lines.length);
        assertEquals("200000", lines[199_999]);
    }

    @Test
    void shouldLeaveNothingWhenProcessIgnoresSigterm() throws Exception {
        // Scenario: the agent ignores SIGTERM, and so does a child that it put into a session of its own.
        String mark = "brig-mark-" + System.nanoTime();
        String id = fixture.spawn(
                control,
                "shell",
                "trap '' TERM; setsid bash -c \"trap '' TERM; echo up; exec -a " + mark
                        + " sleep 1000\" & wait; sleep 1000");
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> frame.type() != FrameType.CHUNK);
            while (AgentFixture.processesWith(mark).isEmpty()) {
                LockSupport.parkNanos(2_000_000);
            }
            control.ask("{\"id\":2,\"op\":\"terminate\",\"spawn_id\":\"" + id + "\",\"reason\":\"shutdown\"}");
            List<String> end = new ArrayList<>();
            long[] last = {0};
            frames.read(frame -> {
                end.add(summary(frame));
                last[0] = frame.seq();
                return !terminated(frame);
            });
            assertEquals(List.of("done 137 SIGKILL terminated", "terminated shutdown"), end);
            assertEquals(List.of(), AgentFixture.processesWith(mark));
            assertTrue(String.valueOf(control.ask("{\"id\":3,\"op\":\"list\"}")).contains(id));
            frames.send("{\"ack\":" + last[0] + "}");
            assertNull(frames.line());
        }
        assertEquals(List.of("link.sock", "lock"), fixture.socketFolder());
        assertEquals(
                "SESSION_ENDED",
                control.ask(AgentFixture.spawnRequest(id, "shell", null)).get("code"));
    }

    @Test
    void shouldGoOnWhenGatewayIsLost() throws Exception {
        // Scenario: every connection of the gateway ends while the agent runs; a new gateway finds worker and
        // frames.
        String id = fixture.spawn(control, "shell", "echo first; read -t 1 < <(sleep 1); echo second");
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> frame.type() != FrameType.CHUNK);
        }
        control.close();
        control = fixture.control();
        assertTrue(control.ask("{\"id\":1,\"op\":\"list\"}").toString().contains("spawn_id=" + id));
        try (TestGateway frames = fixture.frames(id, 4)) {
            assertEquals(List.of("stdout second\n", "done 0 null null"), untilDone(frames));
        }
    }

    @Test
    void shouldReplaceEarlierConnectionWhenGatewayComesAgain() throws Exception {
        String id = fixture.spawn(control, "shell", null);
        try (TestGateway first = fixture.frames(id, 1)) {
            assertTrue(first.line().contains("\"seq\":1"));
            try (TestGateway second = fixture.frames(id, 1)) {
                assertTrue(second.line().contains("\"seq\":1"));
                assertNull(first.line());
                second.send("{\"input\":{\"content\":\"echo hi\"}}");
                assertTrue(second.line().contains("hi"));
            }
        }
    }

    @Test
    void shouldCloseConnectionWhenGatewayTalksNonsense() throws Exception {
        String id = fixture.spawn(control, "shell", null);
        String follow = "{\"link\":\"worker\",\"spawn_id\":\"" + id + "\",\"resume\":1}";
        for (String line : List.of(
                "{\"ack\":1}",
                "nonsense",
                "{\"link\":\"dance\"}",
                "{\"link\":\"worker\",\"spawn_id\":\"spn_000000000000000000000000\",\"resume\":1}",
                follow.replace(":1}", ":0}"),
                follow.replace(":1}", ":99}"),
                follow.replace(":1}", ":\"1\"}"),
                follow + "\n{\"ack\":7}",
                follow + "\n{\"input\":{}}",
                follow + "\n{\"cancel\":\"yes\"}")) {
            try (TestGateway gateway = new TestGateway(fixture.linkSocket())) {
                gateway.send(line);
                String last = gateway.line();
                while (last != null) {
                    last = gateway.line();
                }
            }
        }
        try (TestGateway gateway = fixture.frames(id, 1)) {
            assertTrue(gateway.line().contains("running"));
        }
    }

    @Test
    void shouldMakeOneWorkerWhenSpawnIsRepeated() throws Exception {
        // Scenario: the same spawn on several connections at once, and again when the worker is there.
        String id = Ids.newSpawnId(1);
        List<TestGateway> gateways = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            gateways.add(fixture.control());
            gateways.get(i).send(AgentFixture.spawnRequest(id, "lines", null));
        }
        String answer = gateways.get(0).line();
        for (TestGateway gateway : gateways.subList(1, 8)) {
            assertEquals(answer, gateway.line());
            gateway.close();
        }
        gateways.get(0).send(AgentFixture.spawnRequest(id, "lines", null));
        assertEquals(answer, gateways.get(0).line());
        gateways.get(0).close();
        assertEquals(
                1,
                ((List<?>) ((Map<?, ?>) control.ask("{\"id\":1,\"op\":\"list\"}")
                                        .get("ok"))
                                .get("workers"))
                        .size());
    }

    @Test
    void shouldLeaveNothingWhenSpawnIsRefused() throws Exception {
        assertEquals("COMMAND_NOT_FOUND", refusal("\"agent_config\":{\"name\":\"missing\"}"));
        assertEquals("UNKNOWN_AGENT", refusal("\"agent_config\":{\"name\":\"nobody\"}"));
        assertEquals("UNKNOWN_AGENT", refusal("\"agent_config\":{\"name\":\"broken\"}"));
        assertEquals("INVALID_FIELD", refusal("\"agent_config\":{}"));
        assertEquals("WORKSPACE_OUTSIDE_BASE", refusal("\"agent_config\":{\"name\":\"shell\"},\"workspace\":\"/etc\""));
        String base = fixture.root.resolve("workspaces").toString();
        Files.createDirectories(Path.of(base));
        Files.createSymbolicLink(Path.of(base, "link"), Path.of("/etc"));
        for (String outside : List.of(base, base + "/..", base + "/link", base + "/link/new", base + "/../elsewhere")) {
            assertEquals(
                    "WORKSPACE_OUTSIDE_BASE",
                    refusal("\"agent_config\":{\"name\":\"shell\"},\"workspace\":\"" + outside + "\""),
                    outside);
        }
        assertEquals(List.of("link.sock", "lock"), fixture.socketFolder());
        try (var left = Files.list(Path.of(base))) {
            assertEquals(List.of(Path.of(base, "link")), left.toList());
        }
        assertFalse(Files.exists(Path.of("/etc/new")));
    }

    private String refusal(String request) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        return String.valueOf(
                control.ask("{\"id\":1,\"op\":\"spawn\",\"spawn_id\":\"" + id + "\",\"request\":{" + request + "}}")
                        .get("code"));
    }

    @Test
    void shouldGoOnWhenControlInputIsHostile() throws Exception {
        assertHostile("nonsense", "MALFORMED_JSON");
        assertHostile("[1]", "MALFORMED_JSON");
        assertHostile("{\"id\":1,\"op\":\"hello\"\0}", "NUL_BYTE");
        assertHostile("{\"id\":1,\"op\":\"" + "x".repeat(2_000_000) + "\"}", "LINE_TOO_LONG");
        assertHostile("{\"op\":\"hello\"}", "INVALID_FIELD");
        assertHostile("{\"id\":[],\"op\":\"hello\"}", "INVALID_FIELD");
        assertHostile("{\"id\":1}", "INVALID_FIELD");
        assertHostile("{\"id\":1,\"op\":7}", "INVALID_FIELD");
        assertHostile("{\"id\":1,\"op\":\"explode\"}", "UNKNOWN_ACTION");
        assertHostile("{\"id\":1,\"op\":\"hello\",\"extra\":1}", "INVALID_FIELD");
        assertHostile(
                "{\"id\":1,\"op\":\"spawn\",\"spawn_id\":\"../../etc\",\"request\":{\"agent_config\":"
                        + "{\"name\":\"shell\"}}}",
                "INVALID_FIELD");
        assertHostile("{\"id\":1,\"op\":\"spawn\",\"spawn_id\":\"x\",\"request\":7}", "INVALID_FIELD");
        assertHostile("{\"id\":1,\"op\":\"terminate\",\"spawn_id\":\"" + Ids.newSpawnId(0) + "\"}", "NOT_FOUND");
        assertHostile("{\"id\":" + "{\"a\":".repeat(1000) + "1" + "}".repeat(1000) + "}", "MALFORMED_JSON");
        control.sendBytes(new byte[] {'{', (byte) 0xff, '}', '\n'});
        assertTrue(control.line().contains("INVALID_UTF8"));
        assertTrue(control.ask("{\"id\":5,\"op\":\"hello\"}").containsKey("ok"));
    }

    private void assertHostile(String line, String code) throws IOException {
        assertEquals(code, control.ask(line).get("code"), line.substring(0, Math.min(line.length(), 60)));
    }

    @Test
    void shouldRefuseToStartWhenAnotherWorkerAgentUsesTheFolder() {
        BrigException refused = assertThrows(BrigException.class, fixture::open);
        assertTrue(refused.getMessage().contains("another worker-agent"), refused.getMessage());
    }

    @Test
    void shouldTryTheWallWhenDoctorIsAsked() throws Exception {
        String findings = control.ask("{\"id\":1,\"op\":\"doctor\"}").toString();
        assertTrue(findings.contains("name=trial wall, status=OK"), findings);
    }

    @Test
    void shouldShowSocketsToNobodyElse() throws Exception {
        assertEquals("rwx------", mode(fixture.root.resolve("run/w")));
        assertEquals("rw-------", mode(fixture.linkSocket()));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void shouldEndWorkersAndTellGatewayWhenClosed() throws Exception {
        String id = fixture.spawn(control, "lines", null);
        List<String> seen = new ArrayList<>();
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> {
                seen.add(summary(frame));
                return false;
            });
            Thread closing = Thread.ofVirtual().start(() -> fixture.agent.close());
            frames.read(frame -> {
                seen.add(summary(frame));
                frames.send("{\"ack\":" + frame.seq() + "}");
                return !terminated(frame);
            });
            closing.join();
        }
        assertEquals(List.of("running null", "done 0 null terminated", "terminated shutdown"), seen);
        assertEquals(List.of("lock"), fixture.socketFolder());
        fixture.open();
        control = fixture.control();
        assertTrue(control.ask("{\"id\":5,\"op\":\"hello\"}").containsKey("ok"));
    }

    @Test
    void shouldTakeContentAsItIsWhenItHasQuotesAndControlCharacters() throws Exception {
        String id = fixture.spawn(control, "shell", null);
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.send("{\"input\":{\"content\":\"printf '%s' 'a\\\"b\\\\\\u001b\\nä€😀'\"}}");
            StringBuilder said = new StringBuilder();
            frames.read(frame -> {
                said.append(frame.type() == FrameType.CHUNK ? frame.text("content") : "");
                return frame.type() != FrameType.DONE;
            });
            assertEquals("a\"b\\\u001b\nä€😀", said.toString());
        }
    }
}
