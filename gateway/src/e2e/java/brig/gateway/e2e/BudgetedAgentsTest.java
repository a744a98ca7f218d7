package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real programs do when a budget refuses what they ask of a model. */
@Timeout(300)
@Order(1)
@Tag("slow")
class BudgetedAgentsTest {
    /** Claude Code asks six times at once, for the turn and beside it; an agent that waits and tries again asks for longer. */
    private static final int ATTEMPTS_MAX = 8;

    private static ScriptedModel model;
    private static Product product;
    private static Path asked;

    @BeforeAll
    static void start() throws IOException {
        if (ScriptedModel.isHere()) {
            product = FarAgents.prepare();
            asked = product.folder().resolve("model.log");
            model = new ScriptedModel(asked);
            product.with("NODE_PATH=" + RealAgents.places()).serve();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            model.close();
        }
    }

    private static Spawned spawn(String agent, String onLimit) throws IOException {
        Map<String, Object> config = new LinkedHashMap<>(Map.of("name", agent));
        if (agent.equals("codex")) {
            config.put("model", "scripted");
        }
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("action", "spawn");
        request.put("agent_config", config);
        request.put("prompt", "#scenario:text:3");
        request.put("budget", Map.of("tokens", 500, "on_limit", onLimit));
        return new Spawned(product, product.ask(new String(Json.write(request), StandardCharsets.UTF_8)));
    }

    private static long refusals(Spawned session) throws IOException {
        try (Stream<String> lines =
                Files.lines(product.folder().resolve("state/egress/audit/egress.jsonl"), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(session.id()) && line.contains("The budget of this session"))
                    .count();
        }
    }

    private static long callsOfModel() throws IOException {
        if (!Files.exists(asked)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(asked, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains("\"POST\"") || line.contains("\"messages\""))
                    .count();
        }
    }

    @ParameterizedTest
    @CsvSource({"claude, refuse", "codex, refuse", "opencode, refuse", "claude, end", "codex, end", "opencode, end"})
    void shouldSayWhyAndNotTryAgain(String agent, String onLimit) throws IOException {
        assumeTrue(product != null, "no node");
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        long before = callsOfModel();
        Spawned session = spawn(agent, onLimit);
        Frames frames = new Frames();
        try (Wire wire = session.captain(1)) {
            JsonObject told =
                    frames.readUntil(wire, frame -> frame.has("refused")).last();
            assertEquals(100, told.number("percent", 0));
            assertEquals("session", told.text("scope"));
            assertTrue(told.text("refused", "").startsWith("The budget of this session has no room"), told::toString);
            if (onLimit.equals("end")) {
                JsonObject state = frames.readUntil(wire, frame -> "terminated".equals(frame.text("state")))
                        .last();
                assertEquals("budget", state.text("reason"));
            } else {
                frames.readUntilType(wire, "done");
                String all = String.join("\n", frames.lines());
                assertTrue(all.contains("has no room for this request"), all);
                assertFalse(all.contains("\"retrying\""), all);
            }
        }
        assertEquals(before, callsOfModel(), "nothing reached the model");
        assertTrue(refusals(session) <= ATTEMPTS_MAX, () -> agent + " tried too often");
        if (!onLimit.equals("end")) {
            product.brig("terminate", session.id());
        }
    }
}
