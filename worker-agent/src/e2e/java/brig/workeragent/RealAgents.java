package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The real programs with a scripted model beside them, behind the wall. */
final class RealAgents {
    private static final Path PACKAGES = Path.of(System.getProperty("brig.agents", ""));
    private static final String WITH_MODEL =
            "node /opt/brig/files/model-server.mjs --port 3129 --full-log --log /workspace/.model.log >/dev/null 2>&1 & exec \"$0\" \"$@\"";

    private RealAgents() {}

    /** @param over keys of the profile */
    static AgentFixture open(String agent, Map<String, ?> over) throws IOException {
        String installed = switch (agent) {
            case "claude" -> "@anthropic-ai/claude-code";
            case "codex" -> "@openai/codex";
            default -> "opencode-ai";
        };
        boolean there = Files.isDirectory(PACKAGES.resolve(installed)) && Files.isExecutable(Path.of("/usr/bin/node"));
        if (!there) {
            System.err.println(
                    "SKIPPED: the real agent '" + agent + "' is not tested, for there is no node in /usr/bin, "
                            + "or npm could not install it in " + PACKAGES);
        }
        assumeTrue(there);
        AgentFixture fixture = new AgentFixture();
        install(fixture, agent, over);
        // A machine that is busy must not make an agent look disobedient.
        Files.writeString(
                fixture.config,
                Files.readString(fixture.config).replace("\"termGraceMs\": 300", "\"termGraceMs\": 20000"));
        return fixture.open(Map.of("NODE_PATH", PACKAGES.toString()));
    }

    /** What the model was asked by that worker, of the requests that offered it tools: the others are for a title. */
    static List<JsonNode> asked(AgentFixture fixture, Walled worker) throws IOException {
        List<JsonNode> bodies = new ArrayList<>();
        for (String line : Files.readAllLines(
                fixture.root.resolve("workspaces").resolve(worker.id()).resolve(".model.log"))) {
            JsonNode body = new ObjectMapper().readTree(line).path("body");
            if (!tools(body).isEmpty()) {
                bodies.add(body);
            }
        }
        assertFalse(bodies.isEmpty(), "the model was asked");
        return bodies;
    }

    /** The names of the tools that a request to the model offers, in whichever of the three interfaces. */
    static Set<String> tools(JsonNode of) {
        Set<String> names = new TreeSet<>();
        for (JsonNode tool : of.path("tools")) {
            if (tool.path("type").asText().equals("namespace")) {
                names.addAll(tools(tool));
            } else {
                JsonNode described = tool.has("function") ? tool.path("function") : tool;
                names.add(described.path("name").asText(described.path("type").asText()));
            }
        }
        return names;
    }

    /** The shipped profile, with the model in front, where the route would lead, and with less patience. */
    private static void install(AgentFixture fixture, String agent, Map<String, ?> over) throws IOException {
        Path shipped = fixture.home.resolve("config/agents");
        Map<String, Object> profile =
                new LinkedHashMap<>(Json.parseCommented(Files.readString(shipped.resolve(agent + ".json"))
                        .replace("{models." + agent + "}", "http://127.0.0.1:3129/" + agent)));
        profile.remove("models");
        List<Object> command = new ArrayList<>(List.of("/bin/sh", "-c", WITH_MODEL));
        command.addAll((List<?>) profile.get("command"));
        Map<Object, Object> environment = new LinkedHashMap<>((Map<?, ?>) profile.get("env"));
        if (agent.equals("codex")) {
            command.addAll(List.of(
                    "-c",
                    "model=\"scripted\"",
                    "-c",
                    "model_providers.brig.request_max_retries=1",
                    "-c",
                    "model_providers.brig.stream_max_retries=1"));
        }
        if (agent.equals("claude")) {
            environment.put("CLAUDE_CODE_MAX_RETRIES", "1");
        }
        profile.put("command", command);
        profile.put("env", environment);
        profile.putAll(over);
        Path agents = fixture.root.resolve("agents");
        Files.write(agents.resolve(agent + ".json"), Json.write(profile));
        Path files = Files.createDirectory(agents.resolve(agent));
        Files.copy(Path.of("formats/src/test/resources/agents/model-server.mjs"), files.resolve("model-server.mjs"));
        try (Stream<Path> own = Files.list(shipped.resolve("opencode"))) {
            for (Path file : own.toList()) {
                Files.copy(file, files.resolve(file.getFileName()));
            }
        }
    }
}
