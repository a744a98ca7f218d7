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
public final class RealAgents {
    /** Claude Code behind the adapter that editors start it with: an agent that speaks ACP and nothing else. */
    static final String CLAUDE_ACP = "claude-acp";

    public static final List<String> ALL = List.of("claude", "codex", "opencode", CLAUDE_ACP);

    private static final Path PACKAGES = Path.of(System.getProperty("brig.agents", ""));
    private static final Path ACP_PACKAGES = Path.of(System.getProperty("brig.acp", "/acp"));
    private static final String WITH_MODEL =
            "node /opt/brig/files/model-server.mjs --port 3129 --full-log --log /workspace/.model.log >/dev/null 2>&1 & exec \"$0\" \"$@\"";

    /** It starts in the mode in which it decides itself, unless its settings say otherwise. */
    private static final String CLAUDE_ACP_START = """
            mkdir -p "$HOME/.claude"
            echo '{"permissions":{"defaultMode":"default"}}' > "$HOME/.claude/settings.json"
            export CLAUDE_CODE_EXECUTABLE="$0"
            exec /usr/bin/node "${0%/claude}/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"
            """;

    private static final Path MODEL_SERVER =
            Path.of("../worker-agent/formats/src/test/resources/agents/model-server.mjs");

    private RealAgents() {}

    /** Skips the test, aloud, where that program is not there. */
    public static void require(String agent) {
        Path installed = switch (agent) {
            case "claude" -> PACKAGES.resolve("@anthropic-ai/claude-code");
            case "codex" -> PACKAGES.resolve("@openai/codex");
            case CLAUDE_ACP -> ACP_PACKAGES.resolve("claude");
            default -> PACKAGES.resolve("opencode-ai");
        };
        boolean there = Files.exists(installed) && Files.isExecutable(Path.of("/usr/bin/node"));
        if (!there) {
            System.err.println("SKIPPED: the real agent '" + agent
                    + "' is not tested, for there is no node in /usr/bin, or npm could not install " + installed);
        }
        assumeTrue(there);
    }

    /** Where a worker-agent finds the programs: its {@code NODE_PATH}. */
    public static String places() {
        return PACKAGES + ":" + ACP_PACKAGES.getParent();
    }

    /** A message that has that program, or a sub-agent of it, do what the scenario says. */
    public static String prompt(String agent, boolean child, String scenario) {
        String type = agent.startsWith("claude") ? "general-purpose" : "general";
        return "#scenario:" + (child ? "delegate:" + type + ":" : "") + scenario;
    }

    /** @param over keys of the profile */
    static AgentFixture open(String agent, Map<String, ?> over) throws IOException {
        require(agent);
        AgentFixture fixture = new AgentFixture();
        install(fixture.home.resolve("config/agents"), fixture.root.resolve("agents"), agent, over);
        // A machine that is busy must not make an agent look disobedient.
        Files.writeString(
                fixture.config,
                Files.readString(fixture.config).replace("\"termGraceMs\": 300", "\"termGraceMs\": 20000"));
        return fixture.open(Map.of("NODE_PATH", places()));
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

    /**
     * Writes the shipped profile, with the model in front, where the route would lead, and with less patience.
     *
     * @param shipped the folder of the shipped profiles
     * @param agents where the profile goes
     * @param over keys of the profile
     */
    public static void install(Path shipped, Path agents, String agent, Map<String, ?> over) throws IOException {
        String base = agent.equals(CLAUDE_ACP) ? "claude" : agent;
        Map<String, Object> profile =
                new LinkedHashMap<>(Json.parseCommented(Files.readString(shipped.resolve(base + ".json"))
                        .replace("{models." + base + "}", "http://127.0.0.1:3129/" + base)));
        profile.remove("models");
        List<Object> command = new ArrayList<>(List.of("/bin/sh", "-c", WITH_MODEL));
        Map<Object, Object> environment = new LinkedHashMap<>((Map<?, ?>) profile.get("env"));
        if (agent.equals(CLAUDE_ACP)) {
            profile.put("adapter", "acp");
            profile.keySet().removeAll(Set.of("arguments", "resume"));
            profile.put(
                    "install",
                    Map.of("npm", "@agentclientprotocol/claude-agent-acp@0.101.0", "programs", List.of("acp/claude")));
            command.addAll(List.of("/bin/sh", "-c", CLAUDE_ACP_START, "{program}"));
        } else {
            command.addAll((List<?>) profile.get("command"));
        }
        if (agent.equals("codex")) {
            command.addAll(List.of(
                    "-c",
                    "model=\"scripted\"",
                    "-c",
                    "model_providers.brig.request_max_retries=1",
                    "-c",
                    "model_providers.brig.stream_max_retries=1"));
        }
        if (base.equals("claude")) {
            environment.put("CLAUDE_CODE_MAX_RETRIES", "1");
        }
        profile.put("command", command);
        profile.put("env", environment);
        profile.putAll(over);
        Files.write(agents.resolve(agent + ".json"), Json.write(profile));
        Path files = Files.createDirectory(agents.resolve(agent));
        Files.copy(MODEL_SERVER, files.resolve("model-server.mjs"));
        try (Stream<Path> own = Files.list(shipped.resolve("opencode"))) {
            for (Path file : own.toList()) {
                Files.copy(file, files.resolve(file.getFileName()));
            }
        }
    }
}
