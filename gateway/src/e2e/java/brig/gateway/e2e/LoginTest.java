package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person's login at a vendor whose tokens rotate. */
@Timeout(240)
@Tag("slow")
class LoginTest {
    private static final int WORKERS = 20;
    private static final int REFUSED = 125;
    /** Its permissions are asked for. */
    private static final String ATTENDED = "attended";
    /** Asks the model until it says that it is enough, and ends with the last status, or 9 if an answer had a token. */
    private static final String ASKER = """
            url=${BRIG_MODEL_URL_CLAUDE#http://}
            while :; do
                exec 3<>/dev/tcp/${url%%[:/]*}/$(p=${url#*:}; echo ${p%%/*})
                printf 'GET /claude/v1/models HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer %s\\r\\nconnection: close\\r\\n\\r\\n' \
                    "$CLAUDE_CODE_OAUTH_TOKEN" >&3
                answer=$(cat <&3)
                exec 3>&-
                case $answer in *planted*) exit 9;; esac
                status=$(echo "$answer" | head -1 | cut -d' ' -f2)
                case $answer in *enough*) exit $((status == 200 ? 0 : 1));; esac
                case $status in 200) ;; *) echo "status $status";; esac
                read -t 0.1 <> <(:)
            done
            """;

    private Path folder;
    private Product product;

    @BeforeEach
    void start() throws IOException {
        folder = TestFolders.create("brig-logins-");
        product = Product.start(
                Map.of("worker", Map.of("routesDir", folder.resolve("routes").toString())));
        addAsker("asker", "allow");
        addAsker(ATTENDED, "ask");
    }

    private void addAsker(String name, String permissions) throws IOException {
        product.addProfile(
                name,
                "shell",
                Map.of(
                        "command",
                        List.of("/bin/bash", "-c", ASKER),
                        "policy",
                        "claude",
                        "models",
                        List.of("claude"),
                        "permissions",
                        permissions,
                        "env",
                        Map.of("ANTHROPIC_API_KEY", "key"),
                        "login",
                        Map.of(
                                "env",
                                Map.of("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-placeholder"),
                                "without",
                                List.of("ANTHROPIC_API_KEY"))));
    }

    @AfterEach
    void stop() throws IOException {
        product.close();
        TestFolders.delete(folder);
    }

    private Path credentials() {
        return folder.resolve("credentials.json");
    }

    private Path login() {
        return folder.resolve("secrets/login-claude.json");
    }

    private void signIn(LoginVendor vendor) throws IOException {
        Files.write(credentials(), vendor.credentials());
        Run done = product.brig(
                "login",
                "claude",
                "--from",
                credentials().toString(),
                "--url",
                vendor.url(),
                "--token-url",
                vendor.url() + "/oauth/token");
        assertEquals(0, done.exitCode(), done::err);
        assertFalse((done.out() + done.err()).contains(vendor.planted()), done::err);
    }

    private Spawned ask(String taskId) throws IOException {
        return ask(taskId, "asker");
    }

    private Spawned ask(String taskId, String agent) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\",\"agent_config\":{\"name\":\"" + agent
                        + "\"},\"prompt\":\"ask\",\"once\":true}"));
    }

    /** Its exit code. */
    private int ended(String taskId) throws IOException {
        return product.brig("wait", taskId).exitCode();
    }

    private void killWorkerAgent() {
        product.workerAgents().forEach(agent -> {
            agent.destroyForcibly();
            agent.onExit().join();
        });
    }

    private void awaitWorkerAgent() throws IOException {
        Await.until("another worker-agent", () -> product.brig("agents").exitCode() == 0);
    }

    @Test
    void shouldRenewOnceForTwentyWorkersAndShowTokensToNobody() throws IOException {
        try (LoginVendor vendor = new LoginVendor("twenty")) {
            vendor.lastAfter(2);
            signIn(vendor);
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                ids.add(ask("asker-" + i).answer().text("task_id", ""));
            }
            Await.until("three renewals", () -> vendor.renewals() == 3);
            Secrets planted = new Secrets(vendor.planted());
            if (Product.isRoot()) {
                List<ProcessHandle> agents = Stream.concat(
                                Stream.of(product.process().toHandle()),
                                product.workerAgents().stream()
                                        .flatMap(agent -> Processes.below(agent, "/bin/bash").stream()))
                        .toList();
                assertTrue(agents.size() > WORKERS, agents::toString);
                assertEquals(List.of(), planted.inMemory(agents));
            }
            assertEquals(
                    List.of(),
                    planted.inStart(Stream.concat(
                                    Stream.of(product.process().toHandle()),
                                    product.process().descendants())
                            .toList()));
            vendor.beEnough();
            for (String id : ids) {
                assertEquals(0, ended(id), id);
            }
            assertEquals(3, vendor.renewals());
            assertEquals(0, vendor.refused());
            assertFalse(vendor.revoked());
            // Frames, records, the audit, logs.
            assertEquals(List.of(), planted.filesIn(product.folder()));
            assertEquals(
                    List.of(credentials(), login()),
                    planted.filesIn(folder).stream().sorted().toList());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(login())));
            JsonObject theirs =
                    JsonObject.read(Files.readAllBytes(credentials())).object("claudeAiOauth");
            assertEquals(vendor.access(), theirs.text("accessToken"));
            assertEquals("max", theirs.text("subscriptionType"));

            assertEquals(0, product.brig("route", "rm", "claude").exitCode());
            assertFalse(Files.exists(login()));
        }
    }

    @Test
    void shouldGoOnAfterACrashInTheMiddleOfARenewal() throws Exception {
        try (LoginVendor vendor = new LoginVendor("crash")) {
            signIn(vendor);
            vendor.lastAfter(0);
            var asked = vendor.hold();
            ask("before");
            assertTrue(asked.await(60, TimeUnit.SECONDS));
            killWorkerAgent();
            vendor.release();
            awaitWorkerAgent();
            vendor.beEnough();
            ask("after");
            assertEquals(0, ended("after"));
            assertEquals(2, vendor.renewals(), "the vendor forgave that the first answer was lost");
            assertFalse(vendor.revoked());
        }
    }

    @Test
    void shouldSayThatALoginIsRevokedAndGoOnWithANewOne() throws Exception {
        try (LoginVendor vendor = new LoginVendor("revoked");
                LoginVendor anew = new LoginVendor("anew")) {
            vendor.forgiveNothing();
            vendor.lastAfter(0);
            signIn(vendor);
            var asked = vendor.hold();
            ask("before");
            assertTrue(asked.await(60, TimeUnit.SECONDS));
            killWorkerAgent();
            vendor.release();
            awaitWorkerAgent();
            Spawned asker = ask("after");
            JsonObject fault;
            try (Wire captain = asker.captain()) {
                fault = new Frames().readUntilType(captain, "error").last();
            }
            assertEquals("LOGIN_REFUSED", fault.text("code"));
            assertTrue(
                    fault.text("error", "").contains("invalid_grant")
                            && fault.text("error", "").contains("brig login"),
                    fault::toString);
            Run list = product.brig("route", "list");
            assertTrue(list.out().contains("refused by the vendor: invalid_grant"), list::out);
            assertTrue(vendor.revoked());

            anew.lastAfter(0);
            anew.beEnough();
            signIn(anew);
            assertEquals(0, ended("after"), "the session that waited goes on");
            assertEquals(List.of(), new Secrets(vendor.planted()).filesIn(product.folder()));
        }
    }

    private List<JsonObject> asks() throws IOException {
        return product.brig("asks", "--json").json().objects("asks");
    }

    private String askOf(Spawned session) throws IOException {
        return asks().stream()
                .filter(one -> session.id().equals(one.text("spawn_id")))
                .map(one -> one.text("ask_id", ""))
                .findFirst()
                .orElse("");
    }

    private void answer(String askId, String option) throws IOException {
        Run run = product.brig("answer", askId, option);
        assertEquals(0, run.exitCode(), run::err);
    }

    @Test
    void shouldAskEachAttendedSessionOnceAndGoOnWithTheNextLogin() throws Exception {
        try (LoginVendor vendor = new LoginVendor("asked")) {
            vendor.lastAfter(0);
            signIn(vendor);
            List<Spawned> attended = List.of(ask("one", ATTENDED), ask("two", ATTENDED), ask("three", ATTENDED));
            ask("free");
            Await.until("a renewal", () -> vendor.renewals() == 1);
            vendor.revoke();
            Await.until("an ask for each", () -> asks().size() == attended.size());
            JsonObject ask = asks().getFirst();
            assertEquals("login", ask.text("kind"));
            assertEquals("claude", ask.object("detail").text("login"));
            assertTrue(ask.text("title", "").contains("brig login claude"), ask::toString);
            assertTrue(
                    product.brig("logs", "free").out().contains("status 4"),
                    "nobody is asked: the agent has the error");

            String first = askOf(attended.get(1));
            answer(first, "go_on");
            Await.until("the next request asks anew", () -> {
                String next = askOf(attended.get(1));
                return !next.isEmpty() && !next.equals(first);
            });
            answer(askOf(attended.get(1)), "end");
            Await.until(
                    "it ends", () -> attended.get(1).view().text("state", "").equals("terminated"));
            assertEquals(2, asks().size());

            vendor.takeBack();
            vendor.beEnough();
            signIn(vendor);
            assertEquals(0, ended("one"));
            assertEquals(0, ended("three"));
            assertEquals(List.of(), asks());
            for (String id : List.of("one", "three")) {
                String log = product.brig("logs", "--json", id).out();
                assertFalse(log.contains("status 4"), log);
                assertTrue(log.contains("LOGIN_REFUSED") && log.contains("\"policy\""), log);
            }
            assertEquals(List.of(), new Secrets(vendor.planted()).filesIn(product.folder()));
        }
    }

    @Test
    void shouldRefuseWhatIsNoLoginAndWhereNoneMayGo() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "sk-ant-api03-planted-key-000000\n");
        for (String[] wrong : new String[][] {
            {"login", "claude", "--token-file", key.toString()},
            {"login", "claude", "--from", key.toString()},
            {"login", "claude", "--from", folder.resolve("none").toString()},
            {"login", "claude", "--token-file", folder.resolve("none").toString()},
            {"login", "codex", "--from", key.toString()},
            {"login", "opencode", "--from", key.toString()},
            {"login", "other"}
        }) {
            Run run = product.brig(wrong);
            assertEquals(REFUSED, run.exitCode(), () -> String.join(" ", wrong));
            assertFalse((run.out() + run.err()).contains("planted"), run::err);
        }
        Path token = Files.writeString(folder.resolve("token"), "sk-ant-oat01-planted-token-000000\n");
        for (String url :
                List.of("https://example.org", "http://127.0.0.1.example.org", "http://user@127.0.0.1", "x")) {
            Run run = product.brig("login", "claude", "--token-file", token.toString(), "--url", url);
            assertEquals(REFUSED, run.exitCode(), url);
            assertTrue(run.err().contains("--url"), run::err);
        }
        assertFalse(Files.exists(login()));
        assertFalse(Files.exists(folder.resolve("routes")));

        Path openCode = Files.writeString(
                folder.resolve("auth.json"),
                "{\"anthropic\":{\"type\":\"oauth\",\"access\":\"planted-0000000000000\"}}");
        Run forbidden = product.brig("login", "opencode", "--from", openCode.toString());
        assertTrue(forbidden.err().contains("FORBIDDEN") && forbidden.err().contains("terms"), forbidden::err);
    }

    @Test
    void shouldLeadCodexToItsVendorWithTheAccountOfThePerson() throws IOException {
        Path auth = Files.writeString(folder.resolve("auth.json"), """
                {"OPENAI_API_KEY": null, "tokens": {"id_token": "i", "access_token": "planted-access-token-0000",
                 "refresh_token": "planted-refresh-token-0000", "account_id": "acc-1"}, "last_refresh": "2026-11-26T00:00:00Z"}
                """);
        Run done = product.brig("--json", "login", "codex", "--from", auth.toString());
        assertEquals(0, done.exitCode(), done::err);
        JsonObject said = done.json();
        assertEquals("https://chatgpt.com/backend-api/codex", said.text("base_url"));
        assertTrue(said.flag("renewable"));
        JsonObject route = JsonObject.read(Files.readAllBytes(folder.resolve("routes/codex.json")))
                .object("modelRoutes")
                .object("codex");
        assertEquals("acc-1", route.object("headers").text("chatgpt-account-id"));
        assertEquals("ready", state("codex"), "its route can be used");
    }

    private String state(String agent) throws IOException {
        return product.brig("agents", "--json").json().objects("agents").stream()
                .filter(one -> one.text("name", "").equals(agent))
                .map(one -> one.text("state", "").replace("not_installed", "ready"))
                .findFirst()
                .orElse("");
    }
}
