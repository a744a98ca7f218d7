package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.captain.ScriptedGateway;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no script can say: bytes that are no text, ends at a bad moment, bounds. */
@Timeout(30)
class AcpAgentTest {
    private static final AcpOptions OPTIONS = new AcpOptions(
            "mock", null, null, PermissionMode.ASK, WorkspaceMode.FOLDER, SpawnRequest.Place.HERE, null, false, "0");
    private static final String HELLO =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
    private static final String NEW =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/a\",\"mcpServers\":[]}}\n";

    private final ScriptedGateway gateway = new ScriptedGateway();

    private List<JsonObject> served(byte[] input) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (AcpAgent agent = new AcpAgent(OPTIONS, gateway, out, sentence -> {})) {
            agent.run(new ByteArrayInputStream(input));
        }
        return out.toString(UTF_8)
                .lines()
                .map(line -> JsonObject.read(line.getBytes(UTF_8)))
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
        List<JsonObject> answers = served(input.toByteArray());
        assertEquals(-32700, answers.getFirst().object("error").number("code", 0));
        assertEquals(1, answers.getLast().object("result").number("protocolVersion", 0));
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
        String spawn = gateway.said.take();
        assertTrue(spawn.contains("\"spawn\"") && spawn.contains("\"permissions\":\"ask\""), spawn);
        editor.close();
        gateway.answer(Views.SPAWNED);
        assertTrue(gateway.said.take().contains("\"attach\""));
        gateway.answer(Views.AUTHENTICATED);
        assertEquals("{\"action\":\"terminate\",\"id\":\"spn_1\"}", gateway.said.take());
        gateway.answer("{}");
        running.join();
        assertEquals("closed", gateway.said.take());
    }

    @Test
    void shouldEndASpawnThatCannotBeRead() {
        gateway.answer(Views.SPAWNED);
        gateway.answer("{\"error\":\"too many connections\",\"code\":\"MAX_CONNECTIONS\"}");
        gateway.answer("{}");
        List<JsonObject> answers = served((HELLO + NEW).getBytes(UTF_8));
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
}
