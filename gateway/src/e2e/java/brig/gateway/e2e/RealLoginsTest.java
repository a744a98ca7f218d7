package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real agents, as their profiles are shipped, with a person's login in place of a key. */
@Timeout(240)
@Order(9)
class RealLoginsTest {
    private static final String TOKEN = "sk-ant-oat01-planted-token-of-a-person-7781";
    private static final String ACCESS = "planted-access-token-of-a-person-7782";

    private static Path folder;
    private static ScriptedModel model;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        if (ScriptedModel.isHere()) {
            folder = TestFolders.create("brig-real-logins-");
            model = new ScriptedModel(log());
            product = FarAgents.prepare();
            product.with("NODE_PATH=" + RealAgents.places()).serve();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            model.close();
            TestFolders.delete(folder);
        }
    }

    private static Path log() {
        return folder.resolve("requests");
    }

    private static void signIn(String agent, String option, String content) throws IOException {
        Path file = Files.writeString(folder.resolve("login-of-" + agent), content);
        Run done = product.brig("login", agent, option, file.toString(), "--url", model.url());
        assertEquals(0, done.exitCode(), done::err);
        Files.delete(file);
    }

    /** The headers of the requests for answers so far, the last one first. */
    private static List<JsonObject> asked(String path) throws IOException {
        try (Stream<String> lines = Files.lines(log())) {
            return lines.map(line -> JsonObject.read(line.getBytes(UTF_8)))
                    .filter(request ->
                            Objects.requireNonNullElse(request.text("path"), "").startsWith(path))
                    .map(request -> request.object("headers"))
                    .toList()
                    .reversed();
        }
    }

    @Test
    void shouldGiveClaudeCodeTheTokenOfAPersonOutsideTheWall() throws IOException {
        RealAgents.require("claude");
        signIn("claude", "--token-file", TOKEN + "\n");
        Run run = product.brig("run", "claude", "--", "#scenario:text:3");
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("tok0 tok1 tok2"), run::out);
        JsonObject headers = asked("/v1/messages").getFirst();
        assertEquals("Bearer " + TOKEN, headers.text("authorization"));
        assertTrue(headers.text("anthropic-beta", "").contains("oauth-"), headers::toString);
        assertFalse(headers.has("x-api-key"), headers::toString);

        int before = asked("/v1/messages").size();
        try (PersonTerminal one =
                PersonTerminal.open(100, 30, product.command("run", "--tty", "--task-id", "tty-login", "claude"))) {
            one.awaitText("❯");
            one.type("#scenario:text:3");
            one.awaitText("#scenario:text:3");
            one.type("\r");
            one.awaitText("tok0 tok1 tok2");
            one.type("\u0010\u0011");
            assertEquals(0, one.awaitEnd());
        }
        assertEquals(0, product.brig("terminate", "tty-login").exitCode());
        List<JsonObject> all = asked("/v1/messages");
        assertTrue(all.size() > before, all::toString);
        assertTrue(
                all.stream().allMatch(request -> ("Bearer " + TOKEN).equals(request.text("authorization"))),
                all::toString);
        assertEquals(
                List.of(product.folder().resolve("secrets/login-claude.json")),
                new Secrets(TOKEN).filesIn(product.folder()));
    }

    @Test
    void shouldGiveCodexTheTokenAndTheAccountOfAPerson() throws IOException {
        RealAgents.require("codex");
        signIn(
                "codex",
                "--from",
                "{\"tokens\":{\"id_token\":\"i\",\"access_token\":\"" + ACCESS
                        + "\",\"refresh_token\":\"planted-refresh-token-of-a-person\",\"account_id\":\"acc-7\"}}");
        Run run = product.brig("run", "--model", "scripted", "codex", "--", "#scenario:text:3");
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("tok0 tok1 tok2"), run::out);
        JsonObject headers = asked("/responses").getFirst();
        assertEquals("Bearer " + ACCESS, headers.text("authorization"));
        assertEquals("acc-7", headers.text("chatgpt-account-id"));
        assertEquals(
                List.of(product.folder().resolve("secrets/login-codex.json")),
                new Secrets(ACCESS).filesIn(product.folder()));
    }
}
