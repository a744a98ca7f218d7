package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the worktree of one session differs from that of another. */
@Timeout(120)
class ComparedWorktreesTest {
    private final AgentFixture fixture = new AgentFixture();
    private final Path bases = fixture.root.resolve("workspaces");
    private final Path repository = bases.resolve("project");

    ComparedWorktreesTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private static void host(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-ec", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, run.waitFor(), said);
    }

    private void commit(String script) throws Exception {
        String git = "; git -c safe.directory='*' ";
        host(
                repository,
                script + git + "add -f -A" + git + "-c user.name=a -c user.email=a@example.org commit -qm work"
                        + (Installation.isRoot() ? "; chown -R 59617:59617 ." : ""));
    }

    private String spawn(TestGateway control, String policy) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.ask(
                control,
                id,
                Map.of(
                        "agent_config",
                        Map.of("name", "shell"),
                        "policy",
                        policy,
                        "workspace_mode",
                        "worktree",
                        "repository",
                        repository.toString()));
        assertTrue(answer.containsKey("ok"), answer::toString);
        return id;
    }

    private static String ask(TestGateway control, String id, String to, boolean stat) throws IOException {
        Map<String, Object> answer = control.ask(
                new String(Json.write(Map.of("id", 5, "op", "diff", "spawn_id", id, "to", to, "stat", stat)), UTF_8));
        return answer.containsKey("ok")
                ? JsonObject.of(answer).object("ok").text("diff")
                : JsonObject.of(answer).text("code") + " "
                        + JsonObject.of(answer).text("error");
    }

    @Test
    void shouldTellWhatDiffersOfWhatNeitherHides() throws Exception {
        Files.createDirectories(repository);
        commit("git init -q -b main .; seq 20 > a.txt; echo key > .env; echo '*.log' > .gitignore");
        fixture.writePolicy("test", Map.of("privateFiles", List.of()));
        try (TestGateway control = fixture.open().control()) {
            String careful = spawn(control, "build");
            String open = spawn(control, "test");
            host(bases.resolve(careful), "echo two >> a.txt; echo mine > mine.txt; echo x > x.log");
            host(bases.resolve(open), "echo three >> a.txt; echo SECRET > .env; mv a.txt b.txt; echo '-x' > ./-x");
            String there = ask(control, careful, open, false);
            assertTrue(
                    there.contains("rename to b.txt")
                            && there.contains("-two\n+three")
                            && there.contains("-mine")
                            && there.contains("+++ b/-x"),
                    there);
            assertFalse(there.contains(".env") || there.contains("SECRET") || there.contains("x.log"), there);
            String back = ask(control, open, careful, false);
            assertTrue(back.contains("-three\n+two") && back.contains("+mine"), back);
            assertFalse(back.contains(".env") || back.contains("SECRET") || back.contains("key"), back);
            String stat = ask(control, careful, open, true);
            assertTrue(stat.contains("3 files changed") && !stat.contains("@@"), stat);

            assertTrue(ask(control, open, open, false).startsWith("INVALID_FIELD"));
            assertTrue(ask(control, open, Ids.newSpawnId(1), false).startsWith("NOT_FOUND"));
            assertTrue(ask(control, open, "../" + open, false).startsWith("INVALID_FIELD"));
            commit("echo more > more.txt");
            String later = spawn(control, "build");
            String refused = ask(control, open, later, false);
            assertTrue(refused.startsWith("INVALID_FIELD") && refused.contains("no common base"), refused);
        }
    }
}
