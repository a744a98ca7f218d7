package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Asks;
import brig.formats.adapter.Dialogue;
import brig.formats.permission.Permissions;
import brig.protocol.Limits;
import brig.protocol.json.Json;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.wire.FrameType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A dialogue of one adapter in which the test plays the agent. Every frame is validated against its schema. */
final class ScriptedTalk {
    /** A frame with its type, without its time. */
    record Frame(FrameType type, Map<String, Object> fields) {
        String text(String name) {
            return fields.get(name) instanceof String text ? text : "";
        }
    }

    /** The asks of the dialogue; the test answers them. */
    static final class HeldAsks implements Asks {
        final Map<String, Request> open = new LinkedHashMap<>();
        private final Map<String, Consumer<Reply>> replies = new LinkedHashMap<>();

        @Override
        public void open(Request request, Consumer<Reply> reply) {
            open.put(request.nativeId(), request);
            replies.put(request.nativeId(), reply);
        }

        @Override
        public void withdraw(String nativeId) {
            open.remove(nativeId);
            replies.remove(nativeId);
        }

        void answer(String nativeId, String option) {
            open.remove(nativeId);
            replies.remove(nativeId).accept(new Reply(option, null));
        }

        void say(String nativeId, String text) {
            open.remove(nativeId);
            replies.remove(nativeId).accept(new Reply(null, text));
        }
    }

    private static final Map<FrameType, JsonSchema> SCHEMAS = new ConcurrentHashMap<>();

    final List<Frame> frames = new ArrayList<>();
    /** All events in order: frames, input to the agent, ends of turns. */
    final List<Object> happened = new ArrayList<>();

    final List<Map<String, Object>> written = new ArrayList<>();
    final HeldAsks asks = new HeldAsks();
    int turnsDone;
    boolean inputOpen = true;
    final Dialogue dialogue;
    private final OutputReader stdout;
    private final OutputReader stderr;

    ScriptedTalk(String adapter) {
        this(adapter, new AgentTask("/workspace", null, null, null, false, answering(true)));
    }

    ScriptedTalk(String adapter, AgentTask task) {
        dialogue = Adapters.named(adapter)
                .orElseThrow()
                .open(new Adapter.Context(this::take, this::write, asks, this::handleTurnDone, task));
        stdout = dialogue.reader(Pipe.STDOUT);
        stderr = dialogue.reader(Pipe.STDERR);
    }

    /** Permissions of a profile that answers at once. */
    static Permissions answering(boolean allow) {
        return new Permissions(allow ? PermissionMode.ALLOW : PermissionMode.DENY, List.of());
    }

    /** A dialogue with an agent whose requests wait for a person. */
    static ScriptedTalk asking(String adapter) {
        return new ScriptedTalk(
                adapter,
                new AgentTask("/workspace", null, null, null, false, new Permissions(PermissionMode.ASK, List.of())));
    }

    /** The schema of that type alone: to try those of all types on each frame takes most of the time of these tests. */
    private static JsonSchema schema(FrameType type) {
        try (InputStream bytes = ScriptedTalk.class.getResourceAsStream("/schemas/frame.json")) {
            ObjectNode schema = (ObjectNode) new ObjectMapper().readTree(bytes);
            String own = "#/$defs/" + type.wireName();
            if (schema.at(own.substring(1)).isMissingNode()) {
                throw new AssertionError("frame.json has no " + own);
            }
            schema.putArray("allOf").addObject().put("$ref", own);
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(schema.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(FrameType type, byte[] body, int length) {
        String line = "{\"type\":\"" + type.wireName() + "\",\"seq\":1" + new String(body, 0, length, UTF_8);
        if (line.length() > Limits.FRAME_BYTES_MAX
                || body[length - 1] != '\n'
                || line.indexOf('\n') != line.length() - 1) {
            throw new AssertionError("no frame: " + line);
        }
        Map<String, Object> fields = new LinkedHashMap<>(Json.parseObject(line.getBytes(UTF_8)));
        var faults = SCHEMAS.computeIfAbsent(type, ScriptedTalk::schema).validate(line, InputFormat.JSON);
        if (!faults.isEmpty()) {
            throw new AssertionError(faults + " in " + line);
        }
        fields.keySet().removeAll(List.of("type", "seq", "ts"));
        frames.add(new Frame(type, fields));
        happened.add(frames.getLast());
    }

    private boolean write(byte[] bytes) {
        if (inputOpen) {
            written.add(Json.parseObject(bytes));
            happened.add(written.getLast());
        }
        return inputOpen;
    }

    private void handleTurnDone() {
        turnsDone++;
        happened.add("turn done");
    }

    /** Writes a line as the agent. */
    void says(String line) {
        says((line + "\n").getBytes(UTF_8));
    }

    void says(byte[] bytes) {
        try {
            stdout.read(bytes, 0, bytes.length, 1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void saysOnStderr(String text) {
        try {
            stderr.read(text.getBytes(UTF_8), 0, text.getBytes(UTF_8).length, 1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Ends both pipes of the agent. */
    void ends() {
        try {
            stdout.finish(1);
            stderr.finish(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    List<Frame> frames(FrameType type) {
        return frames.stream().filter(frame -> frame.type() == type).toList();
    }

    /** The agent's own text in that stream. */
    String said(String stream) {
        StringBuilder said = new StringBuilder();
        frames(FrameType.CHUNK).stream()
                .filter(frame ->
                        frame.text("stream").equals(stream) && !frame.fields().containsKey("agent"))
                .forEach(frame -> said.append(frame.text("content")));
        return said.toString();
    }

    /** The object as JSON, with its order of keys. */
    static String json(Map<String, ?> object) {
        try {
            return new ObjectMapper().writeValueAsString(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
