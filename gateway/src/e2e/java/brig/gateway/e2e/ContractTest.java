package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a captain asks an agent to be, by every way in, as the model of each real agent sees it. The table of it stands in
 * build/reports/contract.txt.
 */
@Timeout(180)
@Tag("slow")
class ContractTest {
    private static final Path AGENTS = Path.of(System.getProperty("brig.agents", ""));
    private static final String PLUGIN = "file://" + System.getProperty("brig.clients") + "/opencode/index.js";
    private static final String PROMPT = "#scenario:text:3";
    private static final String MODEL = "vendor-9";
    /** In the order of the plugin's own list, without the one that its configuration denies. */
    private static final List<String> TOOLS = List.of("bash", "read", "edit", "write", "grep", "glob");

    private static final List<String> TABLE = new ArrayList<>();
    private static Path log;
    private static ScriptedModel model;
    private static Product product;
    private static OpenCodeServer openCode;
    private static Path project;

    /** An agent, and what its model is offered where {@link #TOOLS} are wanted. */
    private enum Agent {
        CLAUDE("[Bash, Edit, Glob, Grep, Read, Write]"),
        OPENCODE("[bash, edit, glob, grep, read, write]"),
        CODEX("");

        private final String offered;

        Agent(String offered) {
            this.offered = offered;
        }

        private String profile() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Codex keeps its shell and its patches; what leads out of it goes. */
        private boolean isOffered(Set<String> tools) {
            return this == CODEX
                    ? !tools.contains("spawn_agent") && !tools.contains("web_search")
                    : tools.toString().equals(offered);
        }
    }

    /** A way in. OpenAI's API has words for a system prompt only. */
    private enum Way {
        SPAWNER,
        HTTP,
        OPENAI,
        PLUGIN;

        private void ask(Agent agent, String system) throws Exception {
            Map<String, Object> spawn = Map.of(
                    "prompt",
                    PROMPT,
                    "once",
                    true,
                    "agent_config",
                    Map.of("name", agent.profile(), "model", MODEL, "system_prompt", system, "tools", TOOLS));
            switch (this) {
                case SPAWNER -> {
                    Map<String, Object> request = new LinkedHashMap<>(spawn);
                    request.put("action", "spawn");
                    awaitEnd(product.ask(text(request)));
                }
                case HTTP ->
                    awaitEnd(product.web()
                            .post("/api/v1/spawns?wait=30s", text(spawn))
                            .json());
                case OPENAI -> {
                    HttpRequest.Builder request = product.web()
                            .request("/openai/v1/chat/completions")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(text(Map.of(
                                    "model",
                                    agent.profile(),
                                    "messages",
                                    List.of(
                                            Map.of("role", "system", "content", system),
                                            Map.of("role", "user", "content", PROMPT))))));
                    Web.Answer answer = product.web().send(request);
                    assertEquals(200, answer.status(), answer.response()::body);
                }
                case PLUGIN -> {
                    String session = openCode.session(project);
                    openCode.say(project, session, OpenCodeServer.task("my-" + agent.profile(), PROMPT))
                            .join();
                    JsonNode call = openCode.calls(project, session).getLast();
                    assertEquals("completed", call.path("status").asText(), call::toString);
                }
            }
        }
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(ScriptedModel.isHere() && Files.isDirectory(AGENTS.resolve("opencode-ai")), "no node, or no agents");
        Product.requireRoot("to find agents in another home");
        OpenCodeServer.require();
        // What Codex asks its vendor's model is not what the scripted one knows.
        product = Product.prepare(Map.of("worker", Map.of("agentModels", Map.of("codex", "scripted"))));
        Path home = product.folder().resolve("agents-home");
        Files.createSymbolicLink(
                Files.createDirectories(home.resolve(".nvm/versions/node/v22.1.0/lib"))
                        .resolve("node_modules"),
                AGENTS);
        log = product.folder().resolve("model.log");
        model = new ScriptedModel(log);
        product.with("HOME=" + home).serve();
        Path key = Files.writeString(product.folder().resolve("key"), "planted-key-of-a-contract\n");
        openCode = new OpenCodeServer(product.folder());
        project = Files.createDirectory(product.workspaces().resolve("project"));
        Map<String, Object> agents = new LinkedHashMap<>();
        Map<String, Object> remote = new LinkedHashMap<>();
        for (Agent agent : Agent.values()) {
            Run route =
                    product.brig("route", "set", agent.profile(), "--key-file", key.toString(), "--url", model.url());
            assertEquals(0, route.exitCode(), route::err);
            remote.put("my-" + agent.profile(), agent.profile());
            agents.put(
                    "my-" + agent.profile(),
                    Map.of(
                            "mode",
                            "subagent",
                            "description",
                            "one of the contract",
                            "model",
                            "scripted/" + MODEL,
                            "prompt",
                            mark(agent, Way.PLUGIN),
                            "permission",
                            Map.of("task", "deny")));
        }
        openCode.configure(
                project,
                Map.of(
                        "permission",
                        "allow",
                        "agent",
                        agents,
                        "plugin",
                        List.of(List.of(
                                PLUGIN,
                                Map.of(
                                        "spawnerSocket",
                                        product.spawner().toString(),
                                        "workspace",
                                        "new",
                                        "remoteAgents",
                                        remote)))));
        openCode.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (product == null) {
            return;
        }
        if (openCode != null) {
            openCode.close();
        }
        if (model != null) {
            model.close();
        }
        product.close();
        Path reports = Files.createDirectories(Path.of(System.getProperty("brig.reports", "build/reports")));
        Files.write(reports.resolve("contract.txt"), TABLE);
    }

    private static String text(Map<String, ?> value) {
        return new String(Json.write(value), StandardCharsets.UTF_8);
    }

    private static void awaitEnd(JsonObject answer) throws IOException {
        try (Wire reader = new Spawned(product, answer).attach("watcher")) {
            new Frames().readAll(reader);
        }
    }

    private static String mark(Agent agent, Way way) {
        return "ZZZ-" + way + "-" + agent + " \"quoted\", {braced} and é";
    }

    /** All texts of a request, one behind the other. */
    private static String texts(JsonNode node) {
        StringBuilder all = new StringBuilder(node.isTextual() ? node.asText() : "");
        node.forEach(inner -> all.append(texts(inner)).append('\n'));
        return all.toString();
    }

    /** The names of the tools that a request offers, in whichever of the three interfaces. */
    private static Set<String> tools(JsonNode of) {
        Set<String> names = new TreeSet<>();
        for (JsonNode tool : of.path("tools")) {
            if (tool.path("type").asText().equals("namespace")) {
                names.addAll(tools(tool));
            } else {
                JsonNode described = tool.has("function") ? tool.path("function") : tool;
                names.add(described.path("name").asText(described.path("type").asText()));
            }
        }
        // Claude Code's own stand-in for tools that it has not loaded; it does nothing.
        names.remove("DeferredToolPlaceholder");
        return names;
    }

    /** The requests that offered tools, and so were no title, since the log had that many lines. */
    private static List<JsonNode> asked(long linesBefore) throws IOException {
        List<JsonNode> bodies = new ArrayList<>();
        for (String line : Files.readAllLines(log).stream().skip(linesBefore).toList()) {
            JsonNode body = new ObjectMapper().readTree(line).path("body");
            if (!tools(body).isEmpty()) {
                bodies.add(body);
            }
        }
        return bodies;
    }

    @ParameterizedTest
    @EnumSource(Agent.class)
    void shouldReachTheModelByEveryWayIn(Agent agent) throws Exception {
        for (Way way : Way.values()) {
            long before = Files.exists(log) ? Files.readAllLines(log).size() : 0;
            way.ask(agent, mark(agent, way));
            List<JsonNode> bodies = asked(before);
            assertFalse(bodies.isEmpty(), () -> agent + " by " + way + " asked its model nothing");
            for (JsonNode body : bodies) {
                assertTrue(texts(body).contains(mark(agent, way)), () -> agent + " by " + way + ": " + texts(body));
                if (way != Way.OPENAI) {
                    assertEquals(MODEL, body.path("model").asText(), () -> agent + " by " + way);
                    assertTrue(agent.isOffered(tools(body)), () -> agent + " by " + way + " is offered " + tools(body));
                }
            }
            JsonNode last = bodies.getLast();
            TABLE.add(String.format(
                    "%-8s | %-7s | model %-12s | system prompt reached | tools %s",
                    agent.profile(), way, last.path("model").asText(), tools(last)));
        }
    }
}
