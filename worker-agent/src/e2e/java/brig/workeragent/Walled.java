package brig.workeragent;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import brig.workeragent.TestGateway.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A worker behind a real wall and what it says. */
final class Walled implements AutoCloseable {
    final List<Frame> seen = new ArrayList<>();
    private final TestGateway control;
    private final TestGateway frames;
    private final String id;

    Walled(AgentFixture fixture, String agent, Map<String, ?> more) throws IOException {
        this(fixture, agent, Map.of(), more);
    }

    /** @param config of the agent, beside its name */
    Walled(AgentFixture fixture, String agent, Map<String, ?> config, Map<String, ?> more) throws IOException {
        control = fixture.control();
        id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> request = new LinkedHashMap<>(more);
        Map<String, Object> agentConfig = new LinkedHashMap<>(config);
        agentConfig.put("name", agent);
        request.put("agent_config", agentConfig);
        Map<String, Object> answer = control.ask(new String(
                Json.write(Map.of("id", 1, "op", "spawn", "spawn_id", id, "request", request)),
                StandardCharsets.UTF_8));
        if (!answer.containsKey("ok")) {
            throw new AssertionError(answer);
        }
        frames = fixture.frames(id, 1);
    }

    String id() {
        return id;
    }

    /** All frames that were seen, without when they came. */
    List<Object> withoutTime() {
        return seen.stream()
                .<Object>map(frame -> {
                    Map<String, Object> fields = new LinkedHashMap<>(frame.fields());
                    fields.remove("ts");
                    return fields;
                })
                .toList();
    }

    void say(String content) throws IOException {
        frames.send(new String(Json.write(Map.of("input", Map.of("content", content))), StandardCharsets.UTF_8));
    }

    void cancel() throws IOException {
        frames.send("{\"cancel\":true}");
    }

    /** Reads on up to a frame, acknowledging what comes. */
    Frame until(Predicate<Frame> last) throws IOException {
        for (String line = nextLine(); line != null; line = nextLine()) {
            Map<String, Object> fields = Json.parseObject(line.getBytes(StandardCharsets.UTF_8));
            Frame frame = new Frame(FrameType.of(String.valueOf(fields.get("type"))), (Long) fields.get("seq"), fields);
            seen.add(frame);
            if (frame.seq() % 5 == 0) {
                frames.send("{\"ack\":" + frame.seq() + "}");
            }
            if (last.test(frame)) {
                return frame;
            }
        }
        throw new AssertionError("the stream ended: " + seen);
    }

    /** A test that ran out of time shows how far it came. */
    private String nextLine() {
        try {
            return frames.line();
        } catch (IOException e) {
            throw new AssertionError(
                    "the last frames were " + seen.subList(Math.max(0, seen.size() - 30), seen.size()), e);
        }
    }

    Frame untilDone() throws IOException {
        return until(frame -> frame.type() == FrameType.DONE);
    }

    List<Frame> all(FrameType type) {
        return seen.stream().filter(frame -> frame.type() == type).toList();
    }

    /** What the agent, or that sub-agent, said as text. */
    String said(String agent) {
        StringBuilder said = new StringBuilder();
        all(FrameType.CHUNK).stream()
                .filter(frame -> frame.text("stream").equals("text")
                        && frame.text("agent").equals(String.valueOf(agent)))
                .forEach(frame -> said.append(frame.text("content")));
        return said.toString();
    }

    /** The last status of each sub-agent, by id. */
    Map<String, Frame> subAgents() {
        Map<String, Frame> agents = new HashMap<>();
        all(FrameType.SUBAGENT).forEach(frame -> agents.put(frame.text("agent_id"), frame));
        return agents;
    }

    void terminate() throws IOException {
        control.ask("{\"id\":2,\"op\":\"terminate\",\"spawn_id\":\"" + id + "\"}");
        until(frame -> frame.text("state").equals("terminated"));
    }

    @Override
    public void close() throws IOException {
        frames.close();
        control.close();
    }
}
