package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.FarAgents.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real agents with Brig's tools: each starts a walled child, hears it out, sees its changes and takes them over. */
@Timeout(300)
@Order(9)
@Tag("slow")
class McpCaptainsTest {
    private static final String MADE = "made.txt";

    /** @param prefix what the client puts before the names of tools */
    private static List<Call> calls(String prefix) {
        Map<String, String> child = Map.of("session", "child");
        return List.of(
                new Call(
                        prefix + "spawn",
                        Map.of("agent", "mock", "task_id", "child", "prompt", "#scenario:write:" + MADE)),
                new Call(prefix + "wait", child),
                new Call(prefix + "diff", child),
                new Call(prefix + "apply", child));
    }

    private static void assertTakenOver(Product product, Path project, Run run) throws IOException {
        assertEquals(0, run.exitCode(), run::toString);
        assertTrue(run.out().contains("turn ended, exit code 0"), run::toString);
        assertTrue(run.out().contains("+++ b/" + MADE), run::toString);
        assertTrue(Files.exists(project.resolve(MADE)), run::toString);
        String token = product.ask("{\"action\":\"status\",\"id\":\"child\"}").text("spawn_id", "");
        assertTrue(run.out().contains(token) && !run.out().contains("auth_token"), run::toString);
    }

    @Test
    void shouldServeClaudeCode() throws IOException {
        Recipes.require();
        try (Product product = Recipes.product();
                Recipes user = new Recipes(product)) {
            Run installed = user.run("brig mcp install claude", "");
            assertEquals(0, installed.exitCode(), installed::toString);
            String command = "claude -p --output-format stream-json --verbose --allowedTools mcp__brig";
            assertTakenOver(product, user.project(), user.run(command, FarAgents.calls(calls("mcp__brig__"))));
            assertEquals(0, user.run("brig mcp install claude --remove", "").exitCode());
        }
    }

    /** Codex shows its model no tool of MCP before the model has searched for it. */
    @Test
    void shouldServeCodex() throws IOException {
        Recipes.require();
        List<Call> calls = new ArrayList<>();
        calls.add(new Call("tool_search", Map.of("query", "start a coding agent behind the wall")));
        calls.addAll(calls(""));
        try (Product product = Recipes.product();
                Recipes user = new Recipes(product)) {
            Run installed = user.run("brig mcp install codex", "");
            assertEquals(0, installed.exitCode(), installed::toString);
            String command = Recipes.block("codex-mcp").strip() + " --json '" + FarAgents.calls(calls) + "'";
            assertTakenOver(product, user.project(), user.run(command, ""));
            assertEquals(0, user.run("brig mcp install codex --remove", "").exitCode());
        }
    }

    @Test
    void shouldServeOpenCode() throws IOException {
        try (Product product = Product.start();
                OpenCode opened = OpenCode.open(product)) {
            Path settings = opened.project().resolve("opencode.json");
            Run added = opened.brig("repository", "add", opened.project().toString());
            assertEquals(0, added.exitCode(), added::err);
            assertEquals(
                    0,
                    opened.brig("mcp", "install", "opencode", "--project", ".").exitCode());
            assertTrue(Files.readString(settings).contains("\"brig\""));
            assertTakenOver(product, opened.project(), opened.run(FarAgents.calls(calls("brig_"))));
            assertEquals(
                    0,
                    opened.brig("mcp", "install", "opencode", "--project", ".", "--remove")
                            .exitCode());
            assertFalse(Files.readString(settings).contains("\"brig\""), "it is taken back");
        }
    }
}
