package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.formats.adapter.AgentTask;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The recorded output and input of a real agent. A file holds either the lines of the agent, or lines
 * {@code {"t":…,"dir":"->" or "<-","m":…}}, or lines {@code {"t":…,"ev":…}} with events of OpenCode's server.
 */
record Recording(String adapter, String name, List<String> lines) {
    private static final Path FOLDER = Path.of("src/test/resources/agents");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override
    public String toString() {
        return adapter + " " + name;
    }

    static List<Recording> all(String adapter) {
        try (Stream<Path> files = Files.list(FOLDER.resolve(adapter))) {
            return files.sorted().map(file -> read(adapter, file)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Recording of(String adapter, String name) {
        return read(adapter, FOLDER.resolve(adapter).resolve(name + ".ndjson"));
    }

    private static Recording read(String adapter, Path file) {
        try {
            String name = String.valueOf(file.getFileName()).replace(".ndjson", "");
            return new Recording(adapter, name, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A step of the recording: a line of the agent, or input to it. */
    sealed interface Step {
        record Says(String line) implements Step {}

        record Told(JsonNode message) implements Step {}
    }

    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (String line : lines) {
            JsonNode node = node(line);
            if (node.has("ev")) {
                JsonNode event = node.get("ev");
                steps.add(new Step.Says("{\"jsonrpc\":\"2.0\",\"method\":\"opencode/event\",\"params\":"
                        + (event.has("payload") ? event.get("payload") : event) + "}"));
            } else if (!node.has("dir")) {
                steps.add(new Step.Says(line));
            } else if (node.get("dir").asText().equals("<-")) {
                steps.add(new Step.Says(line.substring(line.indexOf("\"m\":") + 4, line.length() - 1)));
            } else if (node.get("m").isObject()) {
                steps.add(new Step.Told(node.get("m")));
            }
        }
        return steps;
    }

    private static JsonNode node(String line) {
        try {
            return MAPPER.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The agent's output as bytes. */
    byte[] output() {
        StringBuilder output = new StringBuilder();
        for (Step step : steps()) {
            if (step instanceof Step.Says says) {
                output.append(says.line()).append('\n');
            }
        }
        return output.toString().getBytes(UTF_8);
    }

    /** Replays it to an adapter, and sends the captain's messages again. */
    ScriptedTalk play() {
        boolean allow = !name.contains("deny") && !name.contains("reject");
        ScriptedTalk talk = new ScriptedTalk(
                adapter, new AgentTask("/home/dev/proj", null, null, null, false, ScriptedTalk.answering(allow)));
        boolean told = lines.stream().anyMatch(line -> line.contains("\"dir\":\"->\""));
        if (!told) {
            begin(talk);
        }
        for (Step step : steps()) {
            switch (step) {
                case Step.Says says -> talk.says(says.line());
                case Step.Told was -> tell(talk, was.message());
            }
        }
        talk.ends();
        return talk;
    }

    /** Recordings of one-shot runs and of OpenCode's server have only output. */
    private void begin(ScriptedTalk talk) {
        talk.dialogue.start();
        if (adapter.equals("opencode")) {
            String root = lines.stream()
                    .map(Recording::node)
                    .map(Recording::rootSession)
                    .filter(id -> !id.isEmpty())
                    .findFirst()
                    .orElse("");
            talk.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"agentInfo\":{\"name\":\"OpenCode\"}}}");
            talk.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"" + root + "\"}}");
        }
        talk.dialogue.send("the prompt");
    }

    private static String rootSession(JsonNode line) {
        JsonNode event = line.get("ev").has("payload") ? line.get("ev").get("payload") : line.get("ev");
        JsonNode info = event.path("properties").path("info");
        boolean root = event.path("type").asText().equals("session.created") && !info.has("parentID");
        return root ? info.path("id").asText() : "";
    }

    private static void tell(ScriptedTalk talk, JsonNode message) {
        switch (message.path("type").asText(message.path("method").asText())) {
            case "initialize" -> talk.dialogue.start();
            case "user" ->
                talk.dialogue.send(message.at("/message/content/0/text").asText());
            case "turn/start" ->
                talk.dialogue.send(message.at("/params/input/0/text").asText());
            case "session/prompt" ->
                talk.dialogue.send(message.at("/params/prompt/0/text").asText());
            case "turn/interrupt", "session/cancel" -> talk.dialogue.cancel();
            case "control_request" -> {
                if (message.at("/request/subtype").asText().equals("interrupt")) {
                    talk.dialogue.cancel();
                }
            }
            default -> {}
        }
    }
}
