package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person lets an agent out, through a real wall, and sees what it did. */
@Timeout(120)
@Tag("slow")
class EgressTest {
    private static Outside outside;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/curl")), "curl is not here");
        outside = new Outside();
        outside.writePolicy("web", 0);
        outside.writePolicy("asks", 60_000);
        outside.writePolicy("saves", 0);
        product = Product.start(outside.settings("build", "web", "asks", "saves"));
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            outside.close();
        }
    }

    private static Spawned spawn(String taskId, String policy) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\",\"policy\":\"" + policy
                        + "\",\"agent_config\":{\"name\":\"shell\"}}"));
    }

    /** What a command says that the agent runs. */
    private static String said(Frames frames, Wire captain, String command) throws IOException {
        int before = frames.text().length();
        captain.sendLine(Spawned.user(command));
        return frames.readUntilType(captain, "done").text().substring(before);
    }

    private static String curl(String host, String more) {
        return "curl -sS --max-time 60 " + more + " http://" + outside.at(host) + "/page?token=asked";
    }

    private static Set<String> filesWith(String text, Path below) throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(below)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
                    found.add(file.toString());
                }
            }
        }
        return found;
    }

    @Test
    void shouldTeachThenLetPassThenTellAndNeverSayTheSecret() throws IOException {
        Spawned spawned = spawn("teach", "web");
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames();
            String host = outside.at("late.test");
            String refused = said(frames, captain, curl("late.test", "-w '%{http_code}'"));
            assertTrue(refused.endsWith("403"), refused);
            assertTrue(refused.contains("brig egress allow " + spawned.id() + " " + host), refused);
            // It comes by another way than what the agent says, so perhaps behind it.
            if (frames.ofType("egress").isEmpty()) {
                frames.readUntilType(captain, "egress");
            }
            JsonObject blocked = frames.ofType("egress").getFirst();
            assertEquals(
                    "blocked late.test /page",
                    blocked.text("kind") + " " + blocked.text("host") + " " + blocked.text("path"));

            Run allowed = product.brig("egress", "allow", "teach", host);
            assertEquals(0, allowed.exitCode(), allowed::err);
            assertEquals(
                    "hello BRIG_SECRET",
                    said(frames, captain, curl("late.test", "-H \"Authorization: $TOKEN\""))
                            .substring(0, 17),
                    "taken out of the answer");
            assertTrue(outside.authorizations.contains(Outside.SECRET), "put in on the way");
            Run listed = product.brig("egress", "list", "teach");
            assertTrue(
                    listed.out().contains(host + "  a person") || listed.out().contains("a person"), listed::out);
            assertTrue(listed.out().contains("TOKEN") && !listed.out().contains("/token"), listed::out);

            JsonObject audit = product.web().get("/api/v1/audit?spawn_id=teach").json();
            assertEquals(
                    List.of("allowed 200", "blocked 403"),
                    audit.objects("entries").stream()
                            .map(entry -> entry.text("decision") + " " + entry.number("status", 0))
                            .toList());
            assertEquals(List.of("TOKEN"), audit.objects("entries").getFirst().texts("secrets"));
            assertTrue(audit.flag("complete"));
            Run printed = product.brig("audit", "--spawn", "teach", "--blocked", "--since", "1h");
            assertEquals(1, printed.out().lines().count(), printed::out);
            assertTrue(
                    printed.out().contains("blocked  " + spawned.id() + "  GET http://" + host + "/page 403"),
                    printed::out);
            assertEquals(
                    2,
                    product.brig("audit", "--spawn", "teach", "--json")
                            .out()
                            .lines()
                            .count());

            assertEquals(0, product.brig("egress", "revoke", "teach", "TOKEN").exitCode());
            assertTrue(said(frames, captain, curl("late.test", "-w '%{http_code}' -H \"Authorization: $TOKEN\""))
                    .endsWith("403"));
        }
        String log = Files.readString(product.log());
        String line = log.lines()
                .filter(one -> one.contains("BLOCKED: ") && one.contains(spawned.id()))
                .findFirst()
                .orElse(log);
        assertTrue(
                line.contains("BLOCKED: GET http://" + outside.at("late.test") + "/page spawn_id=" + spawned.id()),
                line);
        assertEquals(0, product.brig("terminate", "teach").exitCode());
        Await.until("it has ended", () -> spawned.view().has("ended_ms"));
        assertEquals(Set.of(), filesWith(Outside.SECRET, product.folder()));
        assertEquals(
                Set.of(),
                filesWith("token=asked", product.folder()).stream()
                        .filter(file -> !file.contains("/streams/"))
                        .collect(Collectors.toSet()),
                "no query is written down");
    }

    @Test
    void shouldWaitForAPersonAndDoWhatTheySay() throws IOException {
        Spawned spawned = spawn("ask", "asks");
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames();
            captain.sendLine(Spawned.user(curl("ask.test", "") + "; " + curl("ask.test", "")));
            frames.readUntil(captain, frame -> frame.text("kind", "").equals("ask"));
            JsonObject ask = product.brig("--json", "egress", "list", "ask")
                    .json()
                    .objects("asks")
                    .getFirst();
            assertEquals("ask.test", ask.text("host"));
            assertTrue(ask.number("deadline_ms", 0) > System.currentTimeMillis());
            assertTrue(product.brig("egress", "list", "ask")
                    .out()
                    .contains("brig egress allow ask " + outside.at("ask.test")));
            assertEquals(
                    0,
                    product.brig("egress", "allow", "ask", outside.at("ask.test"), "--once")
                            .exitCode());
            frames.readUntil(captain, frame -> frame.text("kind", "").equals("answered"));
            assertTrue(frames.last().flag("allowed"));
            frames.readUntil(captain, frame -> frame.text("kind", "").equals("ask"));
            assertEquals(0, product.brig("egress", "deny", "ask", "ask.test").exitCode());
            frames.readUntilType(captain, "done");
            assertTrue(frames.text().startsWith("hello null\n"), frames::text);
            assertTrue(frames.text().contains("a person refused it"), frames::text);
            assertEquals(
                    List.of(),
                    product.brig("--json", "egress", "list", "ask").json().objects("asks"));
        }
    }

    @Test
    void shouldWriteAHostIntoThePolicyForAllThatHaveIt() throws IOException {
        Spawned spawned = spawn("saves", "saves");
        Run saved = product.brig("egress", "allow", "saves", outside.at("saved.test"), "--save");
        assertEquals(0, saved.exitCode(), saved::err);
        assertTrue(saved.err().contains(outside.policy("saves").toString()), saved::err);
        assertTrue(Files.readString(outside.policy("saves")).startsWith("// Of a test.\n"));
        Run another = product.brig("run", "--policy", "saves", "shell", "--", curl("saved.test", ""));
        assertEquals("hello null\n", another.out(), another::err);
        assertEquals(202, product.web().delete("/api/v1/spawns/" + spawned.id()).status());
    }

    @Test
    void shouldShowAPersonWhatWasBlockedAndHowToAllowIt() throws IOException {
        Run run = product.brig("run", "--policy", "web", "shell", "--", curl("evil.test", "-o /dev/null"));
        assertTrue(
                run.err().contains("brig: blocked GET http://" + outside.at("evil.test") + "/page: allowedHosts"),
                run::err);
    }

    @Test
    void shouldSayWhyAHostCannotBeOpened() throws IOException {
        spawn("closed", "build");
        Run noWayOut = product.brig("egress", "allow", "closed", "a.example");
        assertEquals(125, noWayOut.exitCode());
        assertTrue(
                noWayOut.err().contains("built without a way out")
                        && noWayOut.err().contains("askMs"),
                noWayOut::err);
        assertTrue(product.brig("egress", "list", "closed").out().startsWith("no way out: policy build"));
        spawn("denied", "web");
        Run denied = product.brig("egress", "allow", "denied", "never.test");
        assertTrue(denied.err().contains("deniedHosts of the policy has never.test"), denied::err);
        assertTrue(product.brig("egress", "allow", "denied", "http://x/").err().contains("is no host"));
        assertEquals(
                "NOT_FOUND",
                product.brig("--json", "egress", "list", "nobody").json().text("code"));
        assertEquals(
                2,
                product.brig("egress", "allow", "denied", "a.example", "--once", "--save")
                        .exitCode());
        assertEquals(2, product.brig("egress").exitCode());
    }

    @Test
    void shouldLetOnlyWhoMayDecideAndSee() throws IOException {
        Spawned spawned = spawn("rights", "web");
        String path = "/api/v1/spawns/rights/egress";
        String allow = "{\"decision\":\"allow\",\"host\":\"a.example\"}";
        Web web = product.web();
        Web captain = web.with(spawned.captainToken());
        Web watcher = web.with(spawned.watcherToken());
        assertEquals("FORBIDDEN", watcher.get(path).code());
        assertEquals("FORBIDDEN", watcher.post(path, allow).code());
        assertEquals(401, web.with("").post(path, allow).status());
        assertEquals("allow", captain.post(path, allow).json().text("decision"));
        assertEquals(List.of("a.example"), captain.get(path).json().texts("allowed_meanwhile"));
        assertEquals(
                "FORBIDDEN", captain.post(path, allow.replace("allow", "save")).code());
        assertEquals(
                "INVALID_FIELD",
                captain.post(path, allow.replace("allow", "fly")).code());
        try (Wire holder = spawned.captain()) {
            Frames frames = new Frames();
            said(frames, holder, "true");
            Web other = web.with(
                    web.post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"ci\",\"session\":\"rights\"}")
                            .json()
                            .text("token", ""));
            assertEquals("CONTROL_HELD", other.post(path, allow).code());
            assertEquals(200, other.get(path).status());
            assertEquals(200, web.post(path, allow).status(), "an admin always");
        }
        assertEquals(200, captain.get("/api/v1/audit?spawn_id=rights").status());
        assertEquals("FORBIDDEN", captain.get("/api/v1/audit").code());
        assertEquals("FORBIDDEN", watcher.get("/api/v1/audit?spawn_id=rights").code());
        assertEquals(
                "UNAUTHENTICATED",
                captain.get("/api/v1/audit?spawn_id=" + spawn("others", "build").id())
                        .code());
        Web bound = web.with(web.post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"ann\"}")
                .json()
                .text("token", ""));
        assertEquals(List.of(), bound.get("/api/v1/audit").json().objects("entries"), "it has no sessions");
    }

    @Test
    void shouldPageThroughTheAuditAndFollowIt() throws Exception {
        Spawned spawned = spawn("pages", "web");
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames();
            said(frames, captain, "for i in 1 2 3 4 5; do " + curl("evil.test", "-o /dev/null -X P$i") + "; done");
            Web web = product.web();
            List<String> methods = new ArrayList<>();
            String page = "/api/v1/audit?spawn_id=pages&limit=2";
            JsonObject answer = web.get(page).json();
            while (true) {
                answer.objects("entries").forEach(entry -> methods.add(entry.text("method")));
                if (!answer.has("next")) {
                    break;
                }
                answer = web.get(page + "&cursor=" + answer.number("next", 0)).json();
            }
            assertEquals(List.of("P5", "P4", "P3", "P2", "P1"), methods);
            assertEquals("INVALID_FIELD", web.get(page + "&cursor=5&after=1").code());
            assertEquals("INVALID_FIELD", web.get(page + "&decision=maybe").code());
            assertEquals(
                    0,
                    web.get("/api/v1/audit?spawn_id=pages&host=late.test")
                            .json()
                            .objects("entries")
                            .size());

            Process following =
                    new ProcessBuilder(product.command("audit", "--spawn", "pages", "-f", "-n", "1")).start();
            try (var lines = following.inputReader()) {
                assertTrue(lines.readLine().contains(" P5 "));
                said(frames, captain, curl("evil.test", "-o /dev/null -X LATER"));
                assertTrue(lines.readLine().contains(" LATER "));
            } finally {
                following.destroy();
            }
        }
    }

    @Test
    void shouldHaveTheSameAuditWhenTheGatewayCameBackWithoutItsIndex() throws IOException {
        try (Product own = Product.start(outside.settings("web"))) {
            own.brig("run", "--policy", "web", "shell", "--", curl("evil.test", "-o /dev/null"));
            List<JsonObject> before = own.web().get("/api/v1/audit").json().objects("entries");
            assertEquals(1, before.size());
            own.stop();
            for (String part : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(own.folder().resolve("state/audit.db" + part));
            }
            own.serve();
            assertEquals(before, own.web().get("/api/v1/audit").json().objects("entries"));
            assertFalse(Files.notExists(own.folder().resolve("state/audit.db")));
        }
    }
}
