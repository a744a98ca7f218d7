package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.message.SpawnRequest.WorkspaceMode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no script can say: bytes that are no text, ends at a bad moment, bounds. */
@Timeout(30)
class AcpAgentTest {
    private static final AcpOptions OPTIONS = new AcpOptions("mock", null, null, WorkspaceMode.FOLDER, false, "0");
    private static final String HELLO =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
    private static final String NEW =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/a\",\"mcpServers\":[]}}\n";

    private final ScriptedGateway gateway = new ScriptedGateway();

    private List<Fields> served(byte[] input) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (AcpAgent agent = new AcpAgent(OPTIONS, gateway, out, sentence -> {})) {
            agent.run(new ByteArrayInputStream(input));
        }
        return out.toString(UTF_8)
                .lines()
                .map(line -> new Fields(Json.parseObject(line.getBytes(UTF_8))))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0xff, 0x00, -1})
    void shouldRefuseALineThatIsNoTextAndGoOn(int bad) {
        byte[] line = bad < 0 ? new byte[5 * 1024 * 1024] : new byte[10];
        Arrays.fill(line, (byte) 'x');
        line[5] = bad < 0 ? (byte) 'x' : (byte) bad;
        line[line.length - 1] = '\n';
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.writeBytes(line);
        input.writeBytes(HELLO.getBytes(UTF_8));
        List<Fields> answers = served(input.toByteArray());
        assertEquals(-32700, answers.getFirst().object("error").number("code", -99_999, 0, 0));
        assertEquals(1, answers.getLast().object("result").number("protocolVersion", 0, 9, 0));
        assertEquals(2, answers.size());
    }

    @Test
    void shouldEndASessionThatBeginsWhileTheEditorGoes() throws Exception {
        // Scenario: the input ends while the spawn is on its way; its answer comes then.
        PipedOutputStream editor = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(editor);
        AcpAgent agent = new AcpAgent(OPTIONS, gateway, new ByteArrayOutputStream(), sentence -> {});
        Thread running = Thread.ofPlatform().start(() -> {
            try (agent) {
                agent.run(in);
            }
        });
        editor.write((HELLO + NEW).getBytes(UTF_8));
        editor.flush();
        assertTrue(gateway.said.take().contains("\"spawn\""));
        editor.close();
        gateway.answer("{\"spawn_id\":\"spn_1\",\"task_id\":\"spn_1\",\"workspace\":\"/a\"}");
        assertTrue(gateway.said.take().contains("\"attach\""));
        gateway.answer("{\"type\":\"authenticated\",\"epoch\":\"x\"}");
        assertEquals("{\"action\":\"terminate\",\"id\":\"spn_1\"}", gateway.said.take());
        gateway.answer("{}");
        running.join();
        assertEquals("closed", gateway.said.take());
    }

    @Test
    void shouldEndASpawnThatCannotBeRead() {
        gateway.answer("{\"spawn_id\":\"spn_1\",\"task_id\":\"spn_1\",\"workspace\":\"/a\"}");
        gateway.answer("{\"error\":\"too many connections\",\"code\":\"MAX_CONNECTIONS\"}");
        gateway.answer("{}");
        List<Fields> answers = served((HELLO + NEW).getBytes(UTF_8));
        assertEquals(
                "MAX_CONNECTIONS",
                answers.getLast().object("error").object("data").text("code"));
        assertEquals(
                "{\"action\":\"terminate\",\"id\":\"spn_1\"}",
                gateway.said.stream().skip(2).findFirst().orElseThrow());
    }

    @Test
    void shouldEndSessionsWhenTheEditorDoesNotReadAnyMore() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        List<String> log = new ArrayList<>();
        try (AcpAgent agent = new AcpAgent(OPTIONS, gateway, broken, log::add)) {
            agent.run(new ByteArrayInputStream((HELLO + HELLO).getBytes(UTF_8)));
        }
        assertEquals(List.of("the editor does not read any more: Broken pipe"), log, "said once");
        assertEquals("[closed]", gateway.said.toString());
    }

    @Test
    void shouldKeepOnlyTheEndOfWhatACallWrites() {
        List<Map<String, ?>> updates = new ArrayList<>();
        SessionUpdates shown = new SessionUpdates(new PathMapping(Path.of("/a"), Path.of("/a")), updates::add);
        for (int i = 0; i < 100; i++) {
            shown.handle(new Fields(
                    Map.of("type", "chunk", "tool", "c1", "stream", "stdout", "content", "\ud83d\ude00".repeat(1000))));
        }
        shown.handle(new Fields(Map.of("type", "chunk", "tool", "c1", "stream", "stdout", "content", "end")));
        shown.flush();
        assertEquals(1, updates.size());
        List<Fields> content = new Fields(new LinkedHashMap<>(updates.getFirst())).objects("content");
        String text = content.getFirst().object("content").text("text", "");
        assertTrue(text.endsWith("\ud83d\ude00end") && text.length() <= 16_384, "its end");
        assertTrue(Character.isHighSurrogate(text.charAt(0)), "no half of a character");
    }

    @Test
    void shouldListSessionsInPages() {
        List<Fields> views = IntStream.range(0, 150)
                .mapToObj(i -> new Fields(Map.of(
                        "agent",
                        "mock",
                        "spawn_id",
                        "spn_%03d".formatted(i),
                        "task_id",
                        "t",
                        "workspace",
                        "/a",
                        "state",
                        "running")))
                .toList();
        Map<String, ?> first = SessionList.of(views, "mock", new Fields(Map.of()));
        assertEquals(100, ((List<?>) first.get("sessions")).size());
        Map<String, ?> second = SessionList.of(views, "mock", new Fields(Map.of("cursor", first.get("nextCursor"))));
        assertEquals(50, ((List<?>) second.get("sessions")).size());
        assertEquals(null, second.get("nextCursor"));
        assertThrows(RpcException.class, () -> SessionList.of(views, "mock", new Fields(Map.of("cursor", "151"))));
    }

    @Test
    void shouldPointToNothingOutsideOfTheWorkspace() {
        PathMapping places = new PathMapping(Path.of("/home/me/shop"), Path.of("/w"));
        for (String path :
                List.of("/etc/passwd", "/workspace/../x", "../x", "/workspace", "/workspacex/a", "a\u0000b")) {
            assertEquals(null, places.file(new Fields(Map.of("file_path", path))), path);
        }
        assertEquals(Path.of("/w/a/b"), places.file(new Fields(Map.of("filePath", "a/./b"))));
        assertEquals("file:///home/me/shop2/x", places.inside("file:///home/me/shop2/x"));
        assertEquals("file:///workspace", places.inside("file:///home/me/shop"));
        assertEquals("https://x.test/", places.inside("https://x.test/"));
    }
}
