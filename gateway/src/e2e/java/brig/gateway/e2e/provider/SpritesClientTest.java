package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link FakeSprites} is what the vendor's own client takes for Sprites. */
@Timeout(120)
class SpritesClientTest {
    private static final Path PACKAGES = Path.of(System.getProperty("brig.npm", ""));
    private static final Path NODE = PACKAGES.resolve("node24/bin/node");
    private static final Path SCRIPT =
            Path.of(System.getProperty("brig.tests", "src/e2e"), "resources/sprites-client.mjs");
    private static final int MUCH = 3_000_000;
    private static final String ECHOES =
            "use IO::Socket::INET; $l = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1:7777') or die;"
                    + " $| = 1; print \"listening\\n\"; while ($c = $l->accept) {"
                    + " while (sysread $c, $b, 65536) { print $c $b; $c->flush } close $c }";

    @TempDir
    static Path folder;

    private static TestCertificate certificate;

    private final AtomicLong clockMs = new AtomicLong(1_700_000_000_000L);
    private FakeSprites sprites;

    @BeforeAll
    static void makeCertificate() throws Exception {
        assumeTrue(Files.isExecutable(NODE), "there is no Node 24 from npm");
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        certificate = TestCertificate.in(folder);
    }

    @BeforeEach
    void start() throws IOException {
        sprites = new FakeSprites(certificate, clockMs::get);
    }

    @AfterEach
    void close() throws IOException {
        if (sprites != null) {
            sprites.close();
        }
    }

    private JsonObject client(String token, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(NODE.toString(), SCRIPT.toString()));
        command.addAll(List.of(words).subList(0, 1));
        command.addAll(List.of(sprites.url(), token));
        command.addAll(List.of(words).subList(1, words.length));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
        builder.environment().put("NODE_EXTRA_CA_CERTS", certificate.pem().toString());
        builder.environment().put("NODE_PACKAGES", PACKAGES.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, FakeSandbox.exitOf(process), () -> said(folder.resolve("err")));
        return JsonObject.read(said.getBytes(UTF_8));
    }

    private static String said(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private JsonObject does(String... words) throws IOException {
        JsonObject answer = client(FakeProvider.TOKEN, words);
        assertTrue(answer.has("ok"), answer::toString);
        return answer.object("ok");
    }

    private JsonObject fails(String... words) throws IOException {
        JsonObject answer = client(FakeProvider.TOKEN, words);
        assertFalse(answer.has("ok"), answer::toString);
        return answer.object("failed");
    }

    @Test
    void shouldCreateFindListAndDelete() throws Exception {
        sprites.plant("someone-else");
        JsonObject created = does("create", "brig-a-1", "spawn=1", "request=r1");
        assertEquals("brig-a-1", created.text("name"));
        assertEquals("cold", created.text("status"));
        assertEquals("test-org", created.text("organization"));
        assertEquals(List.of("spawn=1", "request=r1"), created.texts("labels"));
        assertEquals("2023-11-14T22:13:20.000Z", created.text("created"));
        assertEquals(created, does("get", "brig-a-1"));
        assertEquals(List.of("spawn=2"), does("label", "brig-a-1", "spawn=2").texts("labels"));
        assertEquals(400, fails("create", "brig-a-1").number("status", 0));
        assertEquals(400, fails("create", "No Name").number("status", 0));
        assertEquals(1, sprites.creates("brig-a-1"));
        assertEquals(1, sprites.creates("request=r1"));
        assertEquals(List.of("brig-a-1"), sprites.alive());
        does("delete", "brig-a-1");
        assertEquals(404, fails("get", "brig-a-1").number("status", 0));
        assertEquals(404, fails("delete", "brig-a-1").number("status", 0));
        assertEquals(List.of(), sprites.alive());
        assertEquals(1, sprites.destroys());
        assertEquals(0, sprites.touchesOfForeign());
        does("delete", "someone-else");
        assertEquals(1, sprites.touchesOfForeign());
    }

    @Test
    void shouldListInPages() throws Exception {
        IntStream.range(0, 120).forEach(i -> sprites.plant("brig-%03d".formatted(i)));
        sprites.plant("other");
        JsonObject listed = client(FakeProvider.TOKEN, "list", "brig-");
        assertEquals(
                IntStream.range(0, 120).mapToObj("brig-%03d"::formatted).toList(),
                listed.objects("ok").stream().map(one -> one.text("name")).toList());
        assertEquals(3, sprites.requests(Operation.LIST));
    }

    @Test
    void shouldRunCommands() throws Exception {
        does("create", "a");
        JsonObject run = does("run", "a", "cat; echo bad >&2; id -un; pwd; exit 42", "given\n");
        assertEquals("given\nsprite\n/home/sprite\n", run.text("out"));
        assertEquals("bad\n", run.text("err"));
        assertEquals(42, run.number("code", 0));
        assertEquals("hello\n", does("execFile", "a", "echo", "hello").text("stdout"));
        assertEquals(3, fails("execFile", "a", "sh", "-c", "exit 3").number("exitCode", 0));
        assertTrue(does("environment", "a").text("out", "").contains("ONE=1=1\n"));
        assertEquals(true, does("echo", "a", "" + MUCH).value("equal"));
        assertEquals("running", does("get", "a").text("status"));
    }

    @Test
    void shouldWriteFilesAndReachPorts() throws Exception {
        does("create", "a");
        assertEquals(true, does("file", "a", "below/file", "" + MUCH).value("equal"));
        assertEquals("750\n", does("run", "a", "stat -c %a below/file", "").text("out"));
        FakeSandbox wall = sprites.wall("a");
        Process server = wall.exec(List.of("perl", "-e", ECHOES), wall.environment(), "/");
        assertEquals("listening", server.inputReader().readLine());
        assertEquals(true, does("proxy", "a", "7777", "" + MUCH).value("equal"));
        assertEquals(0, does("proxy", "a", "7778", "1").number("length", -1));
    }

    @Test
    void shouldKeepCheckpointsAndAPolicy() throws Exception {
        does("create", "a");
        does("run", "a", "echo before >file", "");
        JsonObject made = does("checkpoint", "a", "first");
        assertEquals("Checkpoint v0 created", made.objects("said").getLast().text("data"));
        assertEquals("v0", made.object("one").text("id"));
        does("run", "a", "echo after >file; touch more", "");
        assertEquals(
                "complete", does("restore", "a", "v0").objects("said").getLast().text("type"));
        assertEquals(
                "file before\n", does("run", "a", "echo $(ls) $(cat file)", "").text("out"));
        JsonObject policy = does("policy", "a", "*.example.org");
        assertEquals(List.of(), policy.object("before").elements("rules"));
        assertEquals(
                "*.example.org",
                policy.object("after").objects("rules").getFirst().text("domain"));
        assertEquals(policy.object("after"), sprites.policyOf("a"));
    }

    @Test
    void shouldRefuseAsTheVendorDoes() throws Exception {
        assertEquals(401, client("wrong", "get", "a").object("failed").number("status", 0));
        sprites.faults().retryAfter(7);
        sprites.faults().next(Operation.CREATE, Fault.RATE_LIMITED, Fault.UNAVAILABLE, Fault.TOKEN_EXPIRED);
        JsonObject limited = fails("create", "a");
        assertEquals("sprite_creation_rate_limited", limited.text("code"));
        assertEquals(429, limited.number("status", 0));
        assertEquals(7, limited.number("retryAfter", 0));
        assertEquals(503, fails("create", "a").number("status", 0));
        assertEquals(401, fails("create", "a").number("status", 0));
        assertEquals(0, sprites.creates("a"));
        sprites.limit(1);
        does("create", "a");
        assertEquals("concurrent_sprite_limit_exceeded", fails("create", "b").text("code"));
    }

    @Test
    void shouldLoseAnswersAndLag() throws Exception {
        sprites.faults().next(Operation.CREATE, Fault.LOST_BEFORE, Fault.LOST_AFTER);
        assertTrue(fails("create", "a").text("message", "").startsWith("Network error"));
        assertEquals(0, sprites.creates("a"));
        assertTrue(fails("create", "a").text("message", "").startsWith("Network error"));
        assertEquals(1, sprites.creates("a"));
        sprites.faults().lag(30_000);
        assertEquals(404, fails("get", "a").number("status", 0));
        assertEquals(List.of(), client(FakeProvider.TOKEN, "list", "").objects("ok"));
        clockMs.addAndGet(30_000);
        does("get", "a");
        does("delete", "a");
        does("get", "a");
        clockMs.addAndGet(30_000);
        assertEquals(404, fails("get", "a").number("status", 0));
    }

    @Test
    void shouldCutConnections() throws Exception {
        does("create", "a");
        sprites.faults().cutAfter(Operation.EXEC, 1000);
        JsonObject cut = does("run", "a", "head -c 5000 /dev/zero | tr '\\0' x", "");
        assertEquals(-1, cut.number("code", 0));
        assertTrue(cut.text("out", "").length() < 1000, cut::toString);
        sprites.faults().none();
        sprites.faults().cutEvery(Operation.EXEC, 50, 0);
        assertEquals(-1, does("run", "a", "sleep 1000", "").number("code", 0));
    }
}
