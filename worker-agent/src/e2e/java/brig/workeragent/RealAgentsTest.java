package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import brig.workeragent.TestGateway.Frame;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real programs, as their shipped profiles start them, behind the whole wall: each with a scripted model beside it,
 * at the place where it expects the route to its model. Without network, model and key.
 */
@Timeout(120)
@Order(1)
class RealAgentsTest {
    private AgentFixture fixture;

    private Walled open(String agent, Map<String, ?> request) throws IOException {
        open(agent);
        return new Walled(fixture, agent, request);
    }

    private void open(String agent) throws IOException {
        fixture = RealAgents.open(agent, Map.of());
    }

    private List<JsonNode> asked(Walled worker) throws IOException {
        return RealAgents.asked(fixture, worker);
    }

    @AfterEach
    void close() throws IOException {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static final String MARK = "ZZZ-SYSTEM-MARK \"quoted\", {braced} and é";

    /** The contract of what a captain asks for: each field is seen by the model, by each agent in its own way. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource(
            delimiter = '|',
            value = {
                "claude   | sonnet-9       | read,bash       | Bash,Read",
                "claude   | vendor/m:1     | edit,webfetch   | Edit,WebFetch",
                "claude   | m              | grep,glob,websearch,skill,task | Agent,Glob,Grep,Skill,WebSearch",
                "codex    | my-model       | bash            | -spawn_agent,web_search",
                "codex    | vendor/m:1     | bash,read,task  | +spawn_agent",
                "opencode | vendor/large:1 | read,grep       | grep,read",
                "opencode | my-model       | bash,write,task | bash,edit,task,write",
                "opencode | my-model       | glob,webfetch,todowrite,skill | glob,skill,todowrite,webfetch"
            })
    void shouldBeToldTheModelTheSystemPromptAndTheTools(String agent, String model, String tools, String offered)
            throws Exception {
        open(agent);
        Map<String, ?> config = Map.of("model", model, "system_prompt", MARK, "tools", List.of(tools.split(",")));
        try (Walled worker = new Walled(fixture, agent, config, Map.of("prompt", "#scenario:text:3"))) {
            assertDone(worker, worker.untilDone());
            for (JsonNode body : asked(worker)) {
                assertEquals(model, body.path("model").asText());
                assertTrue(texts(body).contains(MARK), () -> texts(body));
                Set<String> names = RealAgents.tools(body);
                // Claude Code's own stand-in for tools that it has not loaded; it does nothing.
                names.remove("DeferredToolPlaceholder");
                if (offered.startsWith("-")) {
                    assertTrue(
                            Set.of(offered.substring(1).split(",")).stream().noneMatch(names::contains),
                            names::toString);
                } else if (offered.startsWith("+")) {
                    assertTrue(names.contains(offered.substring(1)), names::toString);
                } else {
                    assertEquals(new TreeSet<>(List.of(offered.split(","))), names);
                }
            }
        }
    }

    /** All texts of a request, one behind the other. */
    private static String texts(JsonNode node) {
        StringBuilder all = new StringBuilder(node.isTextual() ? node.asText() : "");
        node.forEach(inner -> all.append(texts(inner)).append('\n'));
        return all.toString();
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"claude, ''", "codex, ''", "opencode, gpt-5.5"})
    void shouldHaveAllItsToolsAndAModelOfItsOwnWhereNothingIsAskedFor(String agent, String model) throws Exception {
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:text:3"))) {
            assertDone(worker, worker.untilDone());
            JsonNode body = asked(worker).getFirst();
            assertTrue(
                    RealAgents.tools(body).size() > 5,
                    () -> RealAgents.tools(body).toString());
            assertTrue(
                    model == null
                            || model.isEmpty()
                            || model.equals(body.path("model").asText()),
                    body.path("model")::asText);
        }
    }

    /** Scenario: a team's own settings make sub-agents ask before each command, at every depth. */
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({"subagent-fg, allow, 1", "subagent-nested-fg, allow, 2", "subagent-nested-fg, deny, 2"})
    void shouldAnswerWhatSubAgentsAskAsTheProfileSays(String scenario, String permissions, String depth)
            throws Exception {
        open("opencode");
        Path profile = fixture.root.resolve("agents/opencode.json");
        Files.writeString(
                profile, Files.readString(profile).replaceFirst("\\{", "{\"permissions\":\"" + permissions + "\","));
        Path workspace = fixture.root.resolve("workspaces/team");
        try (TestGateway control = fixture.control()) {
            fixture.runToEnd(
                    control,
                    Ids.newSpawnId(System.currentTimeMillis()),
                    Map.of("workspace", workspace.toString()),
                    "echo '{\"agent\":{\"general\":{\"model\":\"openai/none\",\"permission\":{\"bash\":\"ask\"}}}}' > opencode.json");
        }
        Map<String, ?> request = Map.of("prompt", "#scenario:" + scenario, "workspace", workspace.toString());
        try (Walled worker = new Walled(fixture, "opencode", request)) {
            worker.untilDone();
            boolean ran =
                    worker.seen.stream().anyMatch(frame -> frame.text("output").contains("from-child"));
            assertEquals(permissions.equals("allow"), ran, worker.seen::toString);
            // What may do nothing has no sub-agent that could ask.
            if (permissions.equals("allow")) {
                Frame asked = worker.all(FrameType.PERMISSION).getFirst();
                assertEquals("allow", asked.text("decision"));
                assertEquals("bash", asked.text("name"));
                assertEquals(depth, worker.subAgents().get(asked.text("agent")).text("depth"));
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldCountAllModelCallsOfATurnOfOpenCode() throws Exception {
        try (Walled worker = open("opencode", Map.of("prompt", "#scenario:shell:echo hi"))) {
            Frame done = worker.untilDone();
            assertDone(worker, done);
            assertEquals(40L, ((Map<?, ?>) done.fields().get("usage")).get("output_tokens"), "two calls of 20 tokens");
        }
    }

    private static void assertDone(Walled worker, Frame done) {
        assertEquals("0", done.text("exit_code"), () -> done + " behind " + worker.seen);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldTalkTurnByTurnAndObeyACancel(String agent) throws Exception {
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:text:20:10"))) {
            assertDone(worker, worker.untilDone());
            assertTrue(worker.said(null).contains("tok18 tok19"), worker.said(null));
            assertTrue(worker.all(FrameType.CHUNK).size() >= 20, "token by token");
            assertEquals(1, worker.all(FrameType.SESSION).size());
            worker.seen.clear();
            worker.say("#scenario:shell:echo $((6 * 7))");
            assertDone(worker, worker.untilDone());
            Frame tool = worker.all(FrameType.TOOL).getLast();
            assertEquals("completed", tool.text("status"));
            assertTrue(tool.text("output").contains("42"), tool.toString());
            worker.say("#scenario:wait");
            worker.until(frame ->
                    frame.type() == FrameType.TOOL && frame.text("status").equals("running"));
            worker.cancel();
            assertEquals("cancelled", worker.untilDone().text("reason"));
            worker.seen.clear();
            worker.say("#scenario:text:3");
            assertDone(worker, worker.untilDone());
            assertTrue(worker.said(null).contains("tok0 tok1 tok2"), worker.said(null));
            assertTrue(worker.all(FrameType.SESSION).isEmpty(), "the same session");
            worker.terminate();
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "claude, subagents-parallel-fg, subagent-nested-fg",
        "codex, subagents-parallel, subagent-nested",
        "opencode, subagents-parallel, subagent-nested"
    })
    void shouldTellItsSubAgents(String agent, String parallel, String nested) throws Exception {
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:" + parallel))) {
            assertDone(worker, worker.untilDone());
            assertEquals(
                    2,
                    worker.subAgents().size(),
                    () -> worker.all(FrameType.SUBAGENT).toString());
            for (Frame child : worker.subAgents().values()) {
                assertEquals("completed", child.text("status"));
                assertEquals("1", child.text("depth"));
                assertNotEquals("null", child.text("parent_tool_id"));
                assertTrue(worker.said(child.text("agent_id")).contains("-9"), worker.said(child.text("agent_id")));
            }
            worker.seen.clear();
            worker.say("#scenario:" + nested);
            assertDone(worker, worker.untilDone());
            Frame inner = worker.subAgents().values().stream()
                    .filter(child -> child.text("depth").equals("2"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(worker.all(FrameType.SUBAGENT)));
            assertEquals("completed", inner.text("status"));
            assertEquals("1", worker.subAgents().get(inner.text("parent_id")).text("depth"));
            assertTrue(worker.said(inner.text("agent_id")).contains("childINNER-9"));
        }
    }

    /** Where the agents write what they themselves know of their sub-agents, and how each says whose it is and how deep. */
    private static final Map<String, Pattern> OWN_RECORDS = Map.of(
            "claude",
                    Pattern.compile(
                            "\"toolUseId\": *\"(?<from>[^\"]+)\".*?\"spawnDepth\": *(?<depth>\\d+)", Pattern.DOTALL),
            "codex", Pattern.compile("\"parent_thread_id\":\"(?<from>[^\"]+)\",\"depth\":(?<depth>\\d+)"),
            "opencode", Pattern.compile("\"parentID\": *\"(?<from>ses_[^\"]+)\"(?<depth>)"));

    @ParameterizedTest
    @Tag("slow")
    @CsvSource(
            delimiter = '%',
            value = {
                "claude   % subagent-nested-fg    % cat $HOME/.claude/projects/*/*/subagents/*.meta.json",
                "claude   % subagents-parallel-fg % cat $HOME/.claude/projects/*/*/subagents/*.meta.json",
                "codex    % subagent-nested       % head -qn 1 $HOME/.codex/sessions/*/*/*/rollout-*.jsonl",
                "codex    % subagents-parallel    % head -qn 1 $HOME/.codex/sessions/*/*/*/rollout-*.jsonl",
                "opencode % subagent-nested       % for i in AGENTS; do /proc/$PPID/exe export $i; done | grep parentID"
            })
    void shouldTellTheTreeThatTheAgentItselfRecorded(String agent, String scenario, String show) throws Exception {
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:" + scenario))) {
            assertDone(worker, worker.untilDone());
            String root = worker.all(FrameType.SESSION).getFirst().text("session_id");
            List<String> told = worker.subAgents().values().stream()
                    .map(child -> switch (agent) {
                        case "claude" -> child.text("parent_tool_id") + " " + child.text("depth");
                        case "codex" -> parent(child, root) + " " + child.text("depth");
                        default -> parent(child, root) + " ";
                    })
                    .sorted()
                    .toList();
            String agents = String.join(" ", worker.subAgents().keySet());
            worker.seen.clear();
            worker.say("#scenario:shell:" + show.replace("AGENTS", agents));
            assertDone(worker, worker.untilDone());
            StringBuilder output = new StringBuilder();
            worker.all(FrameType.TOOL).stream()
                    .filter(frame -> frame.fields().containsKey("output"))
                    .forEach(frame -> output.append(frame.text("output")));
            List<String> recorded = OWN_RECORDS
                    .get(agent)
                    .matcher(output)
                    .results()
                    .map(found -> found.group("from") + " " + found.group("depth"))
                    .sorted()
                    .toList();
            assertEquals(recorded, told, output::toString);
            assertEquals(2, told.size());
        }
    }

    private static String parent(Frame child, String root) {
        return child.fields().containsKey("parent_id") ? child.text("parent_id") : root;
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude"})
    void shouldWaitForSubAgentsInTheBackground(String agent) throws Exception {
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:subagents-bg", "once", true))) {
            assertDone(worker, worker.untilDone());
            assertEquals(2, worker.subAgents().size());
            worker.subAgents().values().forEach(child -> assertEquals("completed", child.text("status")));
            worker.until(frame -> frame.text("state").equals("terminated"));
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldSayWhatTheModelAnsweredWhenItFails(String agent) throws Exception {
        try (Walled worker = open(agent, Map.of())) {
            for (String scenario : List.of("error:400", "error:401", "error:429", "error:500", "error-cut")) {
                worker.seen.clear();
                worker.say("#scenario:" + scenario);
                Frame told = worker.until(frame -> frame.type() == FrameType.DONE || frame.type() == FrameType.ERROR);
                assertEquals("MODEL_ERROR", told.text("code"), scenario + ": " + worker.seen);
                // Codex says no more than "other" of it.
                if (scenario.equals("error:400") && !agent.equals("codex")) {
                    assertEquals("400", told.text("status"), told::toString);
                }
                if (told.text("retrying").equals("true")) {
                    // OpenCode tries for minutes.
                    worker.cancel();
                }
                assertEquals("1", worker.untilDone().text("exit_code"), scenario);
            }
            worker.say("#scenario:text:3");
            assertDone(worker, worker.untilDone());
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldPassSixMegabytesOfOutput(String agent) throws Exception {
        String shell = "#scenario:shell:head -c 6000000 /dev/zero | tr '\\000' '\\001'";
        try (Walled worker = open(agent, Map.of("prompt", shell))) {
            assertDone(worker, worker.untilDone());
            assertTrue(worker.all(FrameType.TOOL).stream()
                    .anyMatch(frame -> frame.text("status").equals("completed")));
            assertTrue(worker.said(null).contains("The command finished."));
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldGoOnWithItsSessionInAnotherWorkerWhenTheProjectIsTheSame(String agent) throws Exception {
        String session;
        try (Walled worker = open(agent, Map.of("prompt", "#scenario:text:3", "project", "shop"))) {
            assertDone(worker, worker.untilDone());
            session = worker.all(FrameType.SESSION).getFirst().text("session_id");
            worker.terminate();
        }
        Map<String, ?> again = Map.of("prompt", "#scenario:text:4", "project", "shop", "resume", session);
        try (Walled worker = new Walled(fixture, agent, again)) {
            assertDone(worker, worker.untilDone());
            assertEquals(session, worker.all(FrameType.SESSION).getFirst().text("session_id"));
            assertTrue(worker.said(null).endsWith("tok0 tok1 tok2 tok3"), worker.said(null));
            worker.terminate();
        }
    }
}
