package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.captain.ScriptedGateway;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays a script against the agent, line by line. {@code editor>} goes to the agent, {@code editor<} must come from it;
 * {@code gateway<} must be asked of the gateway, {@code answer>} is its answer; {@code frame>} comes on the session's
 * connection, {@code frame+} likewise with more right behind it; {@code cut>} breaks that connection; {@code eof>} ends
 * the agent's input. Names that the agent makes up are {@code $1}, {@code $2}, in the order of their coming.
 */
final class Script {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final long SECONDS_MAX = 20;
    private static final int PIPE_BYTES = 1 << 20;

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final Map<String, String> names = new LinkedHashMap<>();
    private final AcpSchema schema = AcpSchema.load().orElse(null);
    private final PipedOutputStream editor = new PipedOutputStream();
    private final Thread running;

    /** What is written, as lines. A pipe would mind that each may come from a thread that is gone afterwards. */
    private static final class Lines extends OutputStream {
        private final BlockingQueue<String> lines;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        @Override
        public void write(int b) {
            if (b == '\n') {
                lines.add(line.toString(UTF_8));
                line.reset();
            } else {
                line.write(b);
            }
        }
    }

    private Script(boolean keep, WorkspaceMode mode) throws IOException {
        PipedInputStream in = new PipedInputStream(editor, PIPE_BYTES);
        AcpAgent agent = new AcpAgent(
                new AcpOptions("mock", null, null, null, mode, SpawnRequest.Place.HERE, null, keep, "0"),
                gateway,
                new Lines(told),
                sentence -> {});
        running = Thread.ofPlatform().daemon().start(() -> {
            try (agent) {
                agent.run(in);
            }
        });
    }

    static void play(Path file) throws IOException, InterruptedException {
        String text = Files.readString(file);
        Script script = new Script(
                text.contains(" --keep:"), text.contains("# -r") ? WorkspaceMode.SNAPSHOT : WorkspaceMode.FOLDER);
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (!line.isBlank() && !line.startsWith("#")) {
                int blank = line.indexOf(' ');
                script.step(
                        line.substring(0, blank < 0 ? line.length() : blank),
                        blank < 0 ? "" : line.substring(blank + 1),
                        file.getFileName() + ":" + number);
            }
        }
        script.editor.close();
        script.running.join(TimeUnit.SECONDS.toMillis(SECONDS_MAX));
        assertEquals("[closed]", script.gateway.said.toString(), file + ": what else the gateway is asked");
        assertEquals("[]", script.told.toString(), file + ": what else the editor is told");
    }

    private void step(String kind, String rest, String place) throws IOException, InterruptedException {
        String text = rest;
        for (Map.Entry<String, String> name : names.entrySet()) {
            text = text.replace(name.getValue(), name.getKey());
        }
        switch (kind) {
            case "editor>" -> {
                if (schema != null) {
                    note(text);
                }
                editor.write((text + "\n").getBytes(UTF_8));
                editor.flush();
            }
            case "editor<" -> {
                String line = take(told, place);
                assertEquals(parsed(rest), parsed(named(line)), place);
                assertEquals("", schema == null ? "" : schema.faults(line), place);
            }
            case "gateway<" -> assertEquals(parsed(rest), parsed(named(take(gateway.said, place))), place);
            case "answer>" -> gateway.answer(text);
            case "frame>" -> gateway.frame(text, true);
            case "frame+" -> gateway.frame(text, false);
            case "cut>" -> gateway.cut();
            case "eof>" -> editor.close();
            default -> throw new AssertionError(place + ": no such step " + kind);
        }
    }

    /** The schema of an answer is that of its request. */
    private void note(String line) {
        try {
            Map<String, ?> message = parsed(line);
            if (message.get("method") instanceof String method && message.containsKey("id")) {
                schema.note(message.get("id"), method);
            }
        } catch (BrigException e) {
            // It is not meant to be read.
        }
    }

    private static String take(BlockingQueue<String> from, String place) throws InterruptedException {
        String line = from.poll(SECONDS_MAX, TimeUnit.SECONDS);
        if (line == null) {
            throw new AssertionError(place + ": nothing came");
        }
        return line;
    }

    private String named(String line) {
        Matcher name = NAME.matcher(line);
        return name.replaceAll(found ->
                Matcher.quoteReplacement(names.computeIfAbsent(found.group(), unknown -> "$" + (names.size() + 1))));
    }

    private static Map<String, ?> parsed(String json) {
        return Json.parseObject(json.getBytes(UTF_8));
    }
}
