package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Walled sessions with one key take turns while the provider limits their rate. */
@Timeout(300)
@Order(2)
@Tag("slow")
class ThrottledAgentsTest {
    private static final int SHELLS = 6;
    private static final String ASK =
            "curl -sS -o answer -w '%{http_code}\\n' --fail --retry 50 -H 'content-type: application/json'"
                    + " -d '{\"model\":\"any\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"#scenario:text:3\"}]}'"
                    + " \"$BRIG_MODEL_URL_ASKING/v1/messages\"";

    private static void route(Product product, String agent, LimitedModel model) throws IOException {
        Path key = Files.writeString(product.folder().resolve("a.key"), FarAgents.KEY + "\n");
        Run set = product.brig("route", "set", agent, "--key-file", key.toString(), "--url", model.url());
        assertEquals(0, set.exitCode(), set::err);
        Files.delete(key);
    }

    private static Spawned spawn(Product product, String agent, String prompt) throws IOException {
        Map<String, Object> request =
                Map.of("action", "spawn", "agent_config", Map.of("name", agent), "prompt", prompt, "once", true);
        return new Spawned(product, product.ask(new String(Json.write(request), StandardCharsets.UTF_8)));
    }

    /**
     * Scenario: the provider refuses everything until each session has waited, and says to come again in five seconds. Then
     * it takes everything.
     */
    @Test
    void shouldWaitInTurnForOneProviderAndSayIt() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/curl")) && ScriptedModel.isHere(), "curl or node is not here");
        RealAgents.require("claude");
        try (Product product = FarAgents.prepare();
                ScriptedModel scripted = new ScriptedModel();
                LimitedModel model = new LimitedModel(scripted)) {
            Files.writeString(product.agents().resolve("asking.json"), """
                    {"description": "asks a model", "command": ["/bin/bash", "-c", "eval -- \\"$(<{messageFile})\\""],
                     "models": ["asking"]}
                    """);
            product.with("NODE_PATH=" + RealAgents.places()).serve();
            route(product, "asking", model);
            route(product, "claude", model);
            long beganNanos = System.nanoTime();
            List<Spawned> sessions = new ArrayList<>(List.of(spawn(product, "claude", "#scenario:text:3")));
            for (int i = 0; i < SHELLS; i++) {
                sessions.add(spawn(product, "asking", ASK));
            }
            for (Spawned session : sessions) {
                try (Wire wire = session.captain(1)) {
                    new Frames().readUntil(wire, frame -> "throttled_by_provider".equals(frame.text("kind", "")));
                }
            }
            assertTrue(product.brig("sessions").out().contains("throttled_by_provider"));
            model.open();
            for (Spawned session : sessions) {
                try (Wire wire = session.captain(1)) {
                    Frames all = new Frames().readAll(wire);
                    assertEquals(
                            0,
                            all.ofType("done").getLast().number("exit_code", -1),
                            () -> all.lines().toString());
                }
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
            long inTurn = 1 + seconds / LimitedModel.RETRY_AFTER_SECONDS;
            assertTrue(
                    model.refused() <= inTurn + sessions.size(),
                    () -> model.refused() + " were refused in " + seconds + " s");
        }
    }
}
