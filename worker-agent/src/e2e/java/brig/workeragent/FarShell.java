package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A shell on another host that takes a line at a time; the worker-agent at home hands over what it runs with. */
final class FarShell implements AutoCloseable {
    final String id = Ids.newSpawnId(System.currentTimeMillis());
    final TestGateway frames;
    /** What went over at the start. */
    final String handover;

    private final AgentFixture home;
    private final AgentFixture far;
    private final Map<String, Object> request;
    private final boolean network;
    private final StringBuilder said = new StringBuilder();

    /** @param network whether the other host serves the network; else home does */
    FarShell(AgentFixture home, AgentFixture far, String agent, String policy, boolean network) throws IOException {
        this.home = home;
        this.far = far;
        this.network = network;
        request = Map.of("agent_config", Map.of("name", agent), "policy", policy, "once", false);
        Map<String, Object> spawn =
                new LinkedHashMap<>(Map.of("id", 1, "op", "spawn", "spawn_id", id, "request", request, "handed", true));
        if (!network) {
            Map<String, Object> granted = ask(home, Map.of("id", 1, "op", "grant", "spawn_id", id, "request", request));
            assertTrue(granted.containsKey("ok"), granted::toString);
            spawn.put("grant", granted.get("ok"));
        }
        handover = handOver();
        assertTrue(takeOver(handover).contains("ok"));
        Map<String, Object> spawned = ask(far, spawn);
        assertTrue(spawned.containsKey("ok"), spawned::toString);
        frames = far.frames(id, 1);
    }

    private static Map<String, Object> ask(AgentFixture agent, Map<String, ?> call) throws IOException {
        try (TestGateway control = agent.control()) {
            return control.ask(new String(Json.write(call), UTF_8));
        }
    }

    /** What home gives now. */
    String handOver() throws IOException {
        Map<String, Object> asked =
                Map.of("transfer", "hand_over", "spawn_id", id, "request", request, "network", network);
        String answer = transfer(home.linkSocket(), Json.write(asked), new byte[0]);
        assertTrue(answer.startsWith("{\"ok\":{\"bytes\":"), answer);
        return answer.substring(answer.indexOf('\n') + 1);
    }

    /** Brings that to the other host; none ends it. @return its answer */
    String takeOver(String bytes) throws IOException {
        return takeOver(far, id, bytes);
    }

    static String takeOver(AgentFixture far, String id, String bytes) throws IOException {
        byte[] content = bytes.getBytes(UTF_8);
        return transfer(
                far.linkSocket(),
                Json.write(Map.of("transfer", "take_over", "spawn_id", id, "bytes", content.length)),
                content);
    }

    /** All that a transfer is answered. */
    private static String transfer(Path socket, byte[] line, byte[] more) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes("{\"link\":\"transfer\"}\n".getBytes(UTF_8));
            all.writeBytes(line);
            all.write('\n');
            all.writeBytes(more);
            ByteBuffer bytes = ByteBuffer.wrap(all.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.shutdownOutput();
            try (InputStream in = Channels.newInputStream(channel)) {
                return new String(in.readAllBytes(), UTF_8);
            }
        }
    }

    /** What it says to a line, up to a line that says so. */
    String say(String line) throws IOException {
        send(line);
        return until("\nover\n");
    }

    void send(String line) throws IOException {
        frames.send(new String(Json.write(Map.of("input", Map.of("content", line + "; echo; echo over"))), UTF_8));
    }

    String until(String end) throws IOException {
        frames.read(frame -> {
            if (frame.type() == FrameType.CHUNK) {
                said.append(frame.text("content"));
            }
            assertFalse(frame.type() == FrameType.DONE, said::toString);
            return said.indexOf(end) < 0;
        });
        int at = said.indexOf(end);
        String text = said.substring(0, at);
        said.delete(0, at + end.length());
        return text;
    }

    @Override
    public void close() throws IOException {
        frames.close();
    }
}
