package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The recipes of docs/captains.md, as they stand there, with the real Claude Code and the real Codex. */
@Timeout(180)
@Order(9)
class CaptainsTest {
    private static final List<String> UNTOUCHED = List.of("a.txt");
    private static final List<String> APPLIED = List.of("a.txt", "made.txt");

    private Product product;
    private Recipes recipes;

    @BeforeEach
    void open() throws IOException {
        Recipes.require();
        product = Recipes.product();
        recipes = new Recipes(product);
    }

    @AfterEach
    void close() throws IOException {
        if (recipes != null) {
            recipes.close();
        }
        if (product != null) {
            product.close();
        }
    }

    /** The line of Claude Code as the page has it, with the message of a script instead of a terminal. */
    private static String printing(String line) {
        return line.replace("claude --", "claude -p --output-format stream-json --verbose --");
    }

    private Run ok(String script, String input) throws IOException {
        Run run = recipes.run(script, input);
        assertEquals(0, run.exitCode(), run::toString);
        return run;
    }

    @Test
    @Tag("slow")
    void shouldLetClaudesSubAgentHandItsTaskToAWalledWorker() throws IOException {
        recipes.write(".claude/agents/walled.md", "claude-agent");
        assertTrue(Recipes.block("claude-agent").contains("brig run claude --task-id NAME -r . -- 'TASK'"));
        String claude = printing(Recipes.block("claude-agent-run"));
        Run run = ok(
                claude,
                "#scenario:delegate:walled:shell:brig run mock --task-id one -r . -- '#scenario:write:made.txt'");
        assertEquals(UNTOUCHED, recipes.files(), run::toString);
        Run shown = ok(claude, "#scenario:delegate:walled:shell:brig diff one");
        assertTrue(shown.out().contains("+++ b/made.txt"), shown::toString);
        Run refused = ok(claude, "#scenario:delegate:walled:write:escaped.txt");
        assertTrue(
                refused.out().contains("permission_denied") || refused.out().contains("needs approval"),
                refused::toString);
        assertEquals(UNTOUCHED, recipes.files(), "no other command, and no tool but commands");
        ok("brig apply one", "");
        assertEquals(APPLIED, recipes.files());
    }

    @Test
    void shouldRunClaudesOwnCommandsBehindTheWall() throws IOException {
        recipes.install("bin/walled", "claude-shell");
        String[] recipe = printing(Recipes.block("claude-shell-run")).split("(?=brig diff wall)", 2);
        Run run = ok(
                recipe[0],
                "#scenario:shell:pwd; hostname; git branch --show-current; ls /root 2>&1; cat a.txt > made.txt");
        assertTrue(run.out().contains("/workspace\\nworker\\nbrig/wall"), run::toString);
        assertTrue(run.out().contains("cannot access '/root'"), run::toString);
        assertEquals(UNTOUCHED, recipes.files());
        String again = recipe[0].substring(recipe[0].indexOf("CLAUDE_"));
        Run parallel = ok(again, "#scenario:shells");
        assertTrue(
                parallel.out().contains("\"content\":\"one") && parallel.out().contains("\"content\":\"two"),
                parallel::toString);
        Run written = ok(again, "#scenario:write:" + recipes.project().resolve("escaped.txt"));
        assertFalse(Files.exists(recipes.project().resolve("escaped.txt")), written::toString);
        assertTrue(ok(recipe[1], "").out().contains("+++ b/made.txt"));
        assertEquals(APPLIED, recipes.files());
        ok("brig terminate wall", "");
        Run gone = ok(again, "#scenario:shell:touch escaped.txt");
        assertTrue(gone.out().contains("Exit code 125") && gone.out().contains("SESSION_ENDED"), gone::toString);
        assertEquals(APPLIED, recipes.files(), "not on the host instead");
    }

    @Test
    @Tag("slow")
    void shouldRunCodexsCommandsAndPatchesBehindTheWall() throws IOException {
        String folder = ok(Recipes.block("codex-spawn") + "echo \"$folder\"", "")
                .out()
                .lines()
                .reduce((before, line) -> line)
                .orElseThrow();
        try {
            Process port = new ProcessBuilder(recipes.command(
                            "exec " + Recipes.block("codex-port").replace("8555", "8555 --listen 127.0.0.1:0")))
                    .start();
            try (BufferedReader out = port.inputReader()) {
                String address = out.readLine().replaceFirst("http://(127\\.0\\.0\\.1:\\d+) .*", "$1");
                drive(
                        "folder=" + folder + "\n",
                        Recipes.block("codex-run")
                                .replace("127.0.0.1:8555", address)
                                .replace("codex exec", "codex exec --json"));
            } finally {
                port.destroyForcibly();
            }
        } finally {
            // Fails where something is in there: only its name was needed.
            Files.delete(Path.of(folder));
        }
    }

    private void drive(String folder, String page) throws IOException {
        String[] recipe = page.split("(?=brig diff wall)", 2);
        String codex = folder + recipe[0];
        String task = "Make the tests pass.";
        Run run = ok(codex.replace(task, "#scenario:shell:pwd; hostname; ls /root; cat a.txt > read.txt"), "");
        assertTrue(run.out().contains("/workspace\\nworker\\n") && run.out().contains("cannot access"), run::toString);
        Run patched = ok(codex.replace(task, "#scenario:write:made.txt"), "");
        assertTrue(patched.out().contains("\"type\":\"file_change\""), patched::toString);
        assertEquals(UNTOUCHED, recipes.files());
        String diff = ok(recipe[1], "").out();
        assertTrue(diff.contains("+++ b/made.txt") && diff.contains("+++ b/read.txt"), diff);
        assertEquals(List.of("a.txt", "made.txt", "read.txt"), recipes.files());
        ok("brig terminate wall", "");
        Run gone =
                ok(codex.replace(task, "#scenario:shell:touch escaped.txt " + recipes.project() + "/escaped.txt"), "");
        assertTrue((gone.out() + gone.err()).contains("No usable execution environment"), gone::toString);
        assertEquals(List.of("a.txt", "made.txt", "read.txt"), recipes.files(), "not on the host instead");
    }
}
