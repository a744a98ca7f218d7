package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that begin with a checkpoint of another one. */
@Timeout(180)
@Tag("slow")
class ForkTest {
    private static Product product;
    private static Path repository;

    @BeforeAll
    static void start() throws Exception {
        product = Product.start();
        repository = Files.createDirectories(product.workspaces().resolve("shop"));
        git("git init -q -b main . && echo one > a.txt && echo key > .env && echo '*.log' > .gitignore && git add -f -A"
                + " && git -c user.name=t -c user.email=t@example.org commit -qm first"
                + (Product.isRoot() ? " && chown -R 59617:59617 ." : ""));
    }

    @AfterAll
    static void end() throws IOException {
        product.close();
    }

    private static String git(String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-c", script)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, run.waitFor(), said);
        return said;
    }

    private static Run brig(String... arguments) throws IOException {
        Run run = product.brig(arguments);
        assertEquals(0, run.exitCode(), run::err);
        return run;
    }

    private static JsonObject view(String id) throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"" + id + "\"}");
    }

    private static List<JsonObject> frames(String id, String type) throws IOException {
        return brig("logs", "--json", id)
                .out()
                .lines()
                .map(line -> JsonObject.read(line.getBytes(StandardCharsets.UTF_8)))
                .filter(frame -> frame.text("type", "").equals(type))
                .toList();
    }

    /** Has a shell that waits do that, to its end. */
    private static void work(String id, String script) throws IOException {
        int turns = frames(id, "done").size();
        product.web()
                .post(
                        "/api/v1/sessions/" + id + "/input",
                        new String(
                                Json.write(JsonObject.builder()
                                        .put("content", script)
                                        .build()),
                                StandardCharsets.UTF_8));
        Await.until("the turn is over", () -> frames(id, "done").size() > turns);
    }

    private static JsonObject forked(String id) throws IOException {
        return frames(id, "forked").getFirst();
    }

    private static void end(String id) throws IOException {
        brig("terminate", id);
        Await.until(id + " has ended", () -> view(id).text("state", "").equals("terminated"));
    }

    @Test
    void shouldMakeThreePatchesOfOneSessionAndTwoForksAndApplyOne() throws Exception {
        brig("spawn", "shell", "--task-id", "origin", "-r", repository.toString());
        work("origin", "echo shared > shared.txt; echo two >> a.txt; echo x > x.log");
        long at = JsonObject.read(brig("--json", "checkpoint", "origin").out().getBytes(StandardCharsets.UTF_8))
                .number("seq", 0);
        work("origin", "echo mine > origin.txt; echo later > shared.txt");
        String frame = Long.toString(at + 1);
        brig(
                "fork",
                "origin",
                "--at",
                frame,
                "--task-id",
                "left",
                "--once",
                "--",
                "echo left > left.txt; ls -A; cat a.txt");
        brig("fork", "origin", "--at", frame, "--task-id", "right", "--once", "--", "echo right >> shared.txt");
        for (String id : new String[] {"left", "right"}) {
            Await.until(id + " has ended", () -> view(id).text("state", "").equals("terminated"));
            JsonObject from = view(id).object("forked_from");
            assertEquals(view("origin").text("spawn_id"), from.text("spawn_id"));
            assertEquals(at, from.number("seq", 0));
            assertEquals(from, forked(id).object("forked_from"));
            assertEquals("none", forked(id).text("conversation"), "a shell would run a summary");
        }
        String said = brig("logs", "left").out();
        assertTrue(said.contains("left.txt") && said.contains("one\ntwo\n"), said);
        assertFalse(said.contains("x.log") || said.contains("origin.txt") || said.contains(".env\n"), said);

        String origin = brig("diff", "origin").out();
        String left = brig("diff", "left").out();
        String right = brig("diff", "right").out();
        assertTrue(origin.contains("+later") && origin.contains("origin.txt"), origin);
        assertTrue(left.contains("+shared") && left.contains("+left") && left.contains("+two"), left);
        assertTrue(right.contains("+shared\n+right") && right.contains("+two"), right);
        assertFalse(left.contains("right") || right.contains("left") || left.contains("origin.txt"), left + right);

        String between = brig("diff", "left", "right").out();
        assertTrue(between.contains("-left") && between.contains("+right"), between);
        assertFalse(between.contains("+two") || between.contains("+shared"), "both began with that: " + between);
        String stat = brig("diff", "left", "right", "--stat").out();
        assertTrue(stat.contains("left.txt") && stat.contains("2 files changed"), stat);
        assertTrue(brig("diff", "left", "--stat").out().contains("3 files changed"));
        JsonObject answer =
                JsonObject.read(brig("--json", "diff", "left", "right").out().getBytes(StandardCharsets.UTF_8));
        assertEquals(view("right").text("spawn_id"), answer.text("to"));
        assertEquals(between, answer.text("diff"));

        brig("apply", "right");
        assertEquals("shared\nright\none\ntwo\n", git("cat shared.txt a.txt"));
        end("origin");
        brig("discard", "origin");
        assertEquals(left, brig("diff", "left").out(), "a fork needs nothing of the session that it began with");
        brig("fork", "left", "--at", "0", "--task-id", "again", "--once", "--", "cat shared.txt");
        Await.until("again has ended", () -> view("again").text("state", "").equals("terminated"));
        assertTrue(brig("logs", "again").out().contains("shared"));
        assertFalse(brig("diff", "again").out().contains("left"), "it began before what that did");
    }

    @Test
    void shouldTakeACheckpointBeforeEachMessage() throws Exception {
        brig("spawn", "shell", "--task-id", "kept-all", "-r", repository.toString(), "--checkpoints", "auto");
        for (String script : List.of("echo 1 > n.txt", "echo 2 > n.txt", "echo 3 > n.txt; cat n.txt")) {
            work("kept-all", script);
        }
        List<JsonObject> taken = JsonObject.read(
                        brig("--json", "checkpoints", "kept-all").out().getBytes(StandardCharsets.UTF_8))
                .objects("checkpoints");
        assertEquals(
                List.of("beginning", "message", "message", "message"),
                taken.stream().map(one -> one.text("cause")).toList());
        List<Long> told = frames("kept-all", "checkpoint").stream()
                .map(frame -> frame.number("seq", 0))
                .toList();
        assertEquals(taken.stream().skip(1).map(one -> one.number("seq", 0)).toList(), told);
        assertEquals(
                frames("kept-all", "message").stream()
                        .map(frame -> frame.number("seq", 0) - 1)
                        .toList(),
                told);
        brig("restore", "kept-all", "--at", told.get(2).toString());
        work("kept-all", "echo is $(cat n.txt)");
        assertTrue(brig("logs", "kept-all").out().contains("is 2\n"));
        end("kept-all");
        Run refused = product.brig("spawn", "shell", "--checkpoints", "auto");
        assertEquals(125, refused.exitCode());
        assertTrue(refused.err().contains("checkpoints") && refused.err().contains("worktrees"), refused::err);
        refused = product.brig("spawn", "shell", "-r", repository.toString(), "--checkpoints", "often");
        assertTrue(refused.exitCode() == 125 && refused.err().contains("must be auto"), refused::err);
    }

    @Test
    void shouldTellAnAgentWithTurnsASummaryOfWhatHappened() throws Exception {
        brig("run", "mock", "--task-id", "talked", "-r", repository.toString(), "--", "#scenario:write:made.txt");
        brig("fork", "talked", "--task-id", "told");
        JsonObject frame = forked("told");
        assertEquals("summary", frame.text("conversation"));
        assertTrue(frame.text("summary").contains("Person: #scenario:write:made.txt"), frame::toString);
        end("told");
    }

    @Test
    void shouldRefuseByName() throws Exception {
        brig("spawn", "shell", "--task-id", "folder");
        Run refused = product.brig("fork", "folder");
        assertEquals(125, refused.exitCode());
        assertTrue(
                refused.err().contains("CHECKPOINT_UNAVAILABLE")
                        && refused.err().contains("--repository"),
                refused::err);
        end("folder");
        Spawned kept = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"kept\",\"agent_config\":{\"name\":\"shell\"},"
                        + "\"workspace_mode\":\"worktree\",\"repository\":\"" + repository + "\"}"));
        Web.Answer mine = product.web().with(kept.answer().text("auth_token")).post("/api/v1/spawns/kept/fork", "{}");
        assertEquals(
                403,
                mine.status(),
                "a session's own token starts none: " + mine.response().body());
        assertEquals(
                403,
                product.web()
                        .with(kept.answer().text("watcher_token"))
                        .post("/api/v1/spawns/kept/fork", "{}")
                        .status());
        Web.Answer forked = product.web().post("/api/v1/spawns/kept/fork", "{\"task_id\":\"over-http\"}");
        assertEquals(201, forked.status(), forked.response()::body);
        assertEquals(
                400,
                product.web()
                        .post("/api/v1/spawns/kept/fork", "{\"task_id\":\"../x\"}")
                        .status());
        Web.Answer compared = product.web().get("/api/v1/spawns/kept/diff?to=over-http");
        assertEquals(200, compared.status(), compared.response()::body);
        for (String token : List.of("auth_token", "watcher_token")) {
            Web.Answer other =
                    product.web().with(kept.answer().text(token)).get("/api/v1/spawns/kept/diff?to=over-http");
            assertTrue(other.status() == 401 || other.status() == 403, () -> token + " " + other.status());
        }
        assertEquals(400, product.web().get("/api/v1/spawns/kept/diff?to=kept").status());
        end("kept");
        end("over-http");
    }
}
