package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sub-agents of an agent behind the wall: the tree over every way in, and readers of one of them. */
@Timeout(90)
class TreeTest {
    private static final String INNER = "agentInner";

    private static Product product;
    private static Spawned nested;
    /** Its frames, as a reader of all gets them. */
    private static List<String> all;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        nested = product.spawn("mock", "#scenario:subagent-nested", true);
        try (Wire captain = nested.captain()) {
            all = new Frames().readAll(captain).lines();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    /** The numbered lines of a reader up to the last one; there is no gap among them. */
    private static List<String> read(Source source) throws IOException {
        List<String> lines = new ArrayList<>();
        try (source) {
            for (String line = source.line(); line != null; line = source.line()) {
                JsonObject message = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
                assertTrue(!Frames.isType(message, "gap"), line);
                if (message.has("seq")) {
                    lines.add(line);
                    if (Frames.isTerminated(message)) {
                        return lines;
                    }
                }
            }
        }
        throw new AssertionError("it was cut behind " + lines);
    }

    private static List<String> of(String agent, long from) {
        return all.stream()
                .skip(from - 1)
                .filter(line -> {
                    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                    return FrameOwner.read(bytes, 0, bytes.length).isFor(agent);
                })
                .toList();
    }

    @Test
    void shouldGetOneAgentsFramesOnEveryWayIn() throws IOException {
        List<String> wanted = of(INNER, 1);
        assertTrue(wanted.size() > 5 && wanted.size() < all.size() - 5, () -> wanted + " of " + all);
        Web watcher = product.web().with(nested.watcherToken());
        String path = "/api/v1/sessions/" + nested.id();
        String auth = "{\"auth\":\"" + nested.captainToken() + "\",\"agent\":\"" + INNER + "\"}";

        assertEquals(wanted, read(Wire.unix(nested.socket()).sendLine(auth)), "session socket");
        assertEquals(
                wanted,
                read(product.dial()
                        .sendLine(
                                "{\"action\":\"attach\",\"id\":\"" + nested.id() + "\",\"agent\":\"" + INNER + "\"}")),
                "spawner socket");
        assertEquals(wanted, read(watcher.socket(path + "/attach?agent=" + INNER)), "WebSocket");
        assertEquals(wanted, read(watcher.with("").socket(path + "/attach").sendLine(auth)), "WebSocket, token later");
        assertEquals(
                wanted,
                read(product.web()
                        .socket("/api/v1/ws")
                        .sendLine("{\"action\":\"subscribe\",\"id\":\"" + nested.id() + "\",\"agent\":\"" + INNER
                                + "\"}")),
                "WebSocket of many");
        assertEquals(wanted, read(watcher.follow(path + "/stream?agent=" + INNER, "")), "events");
        assertEquals(of(FrameOwner.MAIN, 1), read(watcher.follow(path + "/stream?agent=main", "")));
    }

    @Test
    void shouldResumeByTheNumbersOfAllFrames() throws IOException {
        long middle = all.size() / 2;
        String path = "/api/v1/sessions/" + nested.id();
        Web watcher = product.web().with(nested.watcherToken());
        assertEquals(of(INNER, middle), read(watcher.socket(path + "/attach?from=" + middle + "&agent=" + INNER)));
        String epoch = nested.view().text("epoch", "");
        try (Events events = watcher.follow(path + "/stream?agent=" + INNER, epoch + "-" + (middle - 1))) {
            assertEquals(of(INNER, middle), read(events));
            assertEquals(epoch + "-" + all.size(), events.lastId());
        }
    }

    @Test
    void shouldRefuseWhatIsNoAgent() throws IOException {
        Web.Answer refused = product.web().get("/api/v1/sessions/" + nested.id() + "/stream?agent=" + "x".repeat(600));
        assertEquals(400, refused.status());
        assertEquals("INVALID_FIELD", refused.code());
        assertEquals(
                "NOT_FOUND",
                product.ask("{\"action\":\"tree\",\"id\":\"nobody\"}").text("code"));
        assertEquals(404, product.web().get("/api/v1/sessions/nobody/tree").status());
        assertEquals(
                401,
                product.web()
                        .with("")
                        .get("/api/v1/sessions/" + nested.id() + "/tree")
                        .status());
    }

    @Test
    void shouldDrawTheTreeAndKeepToOneAgentWhenAsked() throws IOException {
        Run tree = product.brig("tree", nested.id());
        List<String> lines = tree.out().lines().toList();
        assertEquals(3, lines.size(), tree::out);
        assertTrue(lines.get(0).startsWith("claude " + nested.id() + "  completed"), tree::out);
        assertTrue(lines.get(1).startsWith("└─ general-purpose entOuter  completed"), tree::out);
        assertTrue(lines.get(2).startsWith("   └─ general-purpose entInner  completed"), tree::out);
        assertEquals(
                2,
                product.brig("tree", "--json", nested.id())
                        .json()
                        .objects("agents")
                        .size());

        Run logs = product.brig("logs", "--agent", INNER, nested.id());
        assertTrue(logs.out().startsWith("Child INNER starts."), logs::out);
        assertEquals(
                logs.out(),
                product.brig("logs", "-f", "--agent", INNER, nested.id()).out());
        assertEquals(
                logs.out(),
                product.brig("attach", "--agent", INNER, nested.id()).out());
        assertTrue(product.brig("logs", "--agent", "main", nested.id()).out().contains("Nested run over."));
        assertEquals(125, product.brig("tree", "nobody").exitCode());
    }

    @Test
    void shouldFollowTheTreeUntilTheSessionEnds() throws Exception {
        // Scenario: somebody follows the tree of an agent that has not begun; then it starts sub-agents, and is ended.
        Spawned spawned = new Spawned(
                product,
                product.ask(
                        "{\"action\":\"spawn\",\"task_id\":\"followed\"," + "\"agent_config\":{\"name\":\"mock\"}}"));
        Thread working = Thread.ofVirtual().start(() -> work(spawned));
        Run run = product.brig("tree", "-f", "followed");
        working.join();
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("followed  idle"), run::out);
        String last = run.out().strip();
        last = last.substring(last.lastIndexOf("claude followed"));
        assertTrue(
                last.contains("├─ general-purpose agentA  completed")
                        && last.contains("└─ general-purpose agentB  completed"),
                last);
    }

    private static void work(Spawned spawned) {
        try {
            Await.until("somebody follows", () -> spawned.view().number("readers", 0) == 1);
            try (Wire captain = spawned.attach("captain")) {
                captain.sendLine(Spawned.user("#scenario:subagents-parallel"));
                new Frames().readUntilType(captain, "done");
                captain.sendLine("{\"action\":\"terminate\"}");
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("slow")
    void shouldKeepTheTreeWhenTheGatewayIsKilled() throws IOException {
        // Scenario: one session is over, one runs on; the gateway is killed and comes back.
        try (Product own = Product.start()) {
            Spawned over = own.spawn("mock", "#scenario:subagents-parallel", true);
            try (Wire captain = over.captain()) {
                new Frames().readAll(captain);
            }
            Spawned live = own.spawn("mock", "#scenario:subagent-nested", false);
            try (Wire captain = live.captain()) {
                new Frames().readUntilType(captain, "done");
            }
            List<JsonObject> before = List.of(tree(own, over), tree(own, live));
            own.kill();
            own.serve();
            Await.until("the trees are as before", () -> before.equals(List.of(tree(own, over), tree(own, live))));

            try (Wire captain = live.attach("captain")) {
                captain.sendLine(Spawned.user("#scenario:subagent"));
                new Frames()
                        .readUntil(captain, frame -> frame.text("content", "").contains("reported back"));
            }
            assertEquals(3, tree(own, live).objects("agents").size());
        }
    }

    private static JsonObject tree(Product of, Spawned spawned) throws IOException {
        return of.web().get("/api/v1/sessions/" + spawned.id() + "/tree").json();
    }
}
