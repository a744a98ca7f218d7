package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What can be done over HTTP, beyond following a stream. */
@Timeout(60)
class ApiTest {
    private static final String SHELL = "{\"agent_config\":{\"name\":\"shell\"}}";

    private static Product product;
    private static Web web;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        web = product.web();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static List<String> names(JsonObject page, String list) {
        return page.objects(list).stream().map(view -> view.text("task_id", "")).toList();
    }

    private static void awaitEnd(Spawned spawned) throws IOException {
        try (Wire reader = spawned.attach("watcher")) {
            new Frames().readAll(reader);
        }
    }

    @Test
    void shouldPageAndFilterWhenSpawnsAreListed() throws IOException {
        List<String> ids = new ArrayList<>();
        for (String name : List.of("page-1", "page-2", "page-3")) {
            ids.addFirst(product.idle(name).id());
        }
        List<String> read = new ArrayList<>();
        String after = "";
        do {
            JsonObject page =
                    web.get("/api/v1/spawns?limit=1&state=running" + after).json();
            assertEquals(1, page.objects("spawns").size());
            read.add(page.objects("spawns").getFirst().text("spawn_id"));
            after = page.has("next") ? "&after=" + page.text("next") : "";
        } while (!after.isEmpty());
        read.retainAll(ids);
        assertEquals(ids, read, "newest first, each once");
        assertEquals(
                List.of("page-2"),
                names(web.get("/api/v1/spawns?task_id=page-2").json(), "spawns"));
        assertEquals(List.of(), names(web.get("/api/v1/spawns?agent=nobody").json(), "spawns"));
        assertEquals("INVALID_FIELD", web.get("/api/v1/spawns?stat=running").code());
        web.delete("/api/v1/spawns/page-1");
        Await.until(
                "it has ended",
                () -> names(web.get("/api/v1/sessions?status=inactive").json(), "sessions")
                        .contains("page-1"));
        assertTrue(names(web.get("/api/v1/sessions?status=active").json(), "sessions")
                .containsAll(List.of("page-2", "page-3")));
        assertFalse(names(web.get("/api/v1/sessions").json(), "sessions").contains("page-1"));
    }

    @Test
    void shouldSpeakToASessionByRequest() throws IOException {
        Spawned spawned = product.idle("spoken");
        Web captain = web.with(spawned.captainToken());
        try (Wire reader = spawned.attach("watcher")) {
            Frames frames = new Frames();
            assertEquals(
                    202,
                    captain.post("/api/v1/sessions/spoken/input", "{\"content\":\"echo over http\"}")
                            .status());
            frames.readUntilType(reader, "done");
            assertEquals("over http\n", frames.text());
            captain.post("/api/v1/sessions/spoken/input", "{\"content\":\"sleep 60\"}");
            assertEquals(202, captain.post("/api/v1/sessions/spoken/cancel", "").status());
            frames.readUntilType(reader, "done");
        }
        assertEquals(
                "FORBIDDEN",
                web.with(spawned.watcherToken())
                        .post("/api/v1/sessions/spoken/input", "{\"content\":\"echo no\"}")
                        .code());
        assertEquals(
                "ATTACH_AUTH_MISSING",
                web.with("")
                        .post("/api/v1/sessions/spoken/input", "{\"content\":\"echo no\"}")
                        .code());
        captain.delete("/api/v1/spawns/spoken");
        awaitEnd(spawned);
        Await.until(
                "it has ended",
                () -> captain.post("/api/v1/sessions/spoken/input", "{\"content\":\"x\"}")
                                .status()
                        == 410);
    }

    @Test
    void shouldHoldBackSpawnsWhileThePoolIsPausedAndRefuseThemWhileItDrains() throws IOException {
        assertEquals("paused", web.post("/api/v1/pool/pause", "").json().text("pool"));
        try {
            Web.Answer refused = web.post("/api/v1/spawns", SHELL);
            assertEquals("POOL_PAUSED", refused.code());
            assertEquals("10", refused.header("Retry-After"));
            Web.Answer waited = web.post("/api/v1/spawns?wait=1s", SHELL);
            assertEquals("POOL_PAUSED", waited.code());
            assertEquals(1, waited.json().number("queue_position", 0));
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return web.post("/api/v1/spawns?wait=30s", SHELL).status();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            Await.until(
                    "it waits",
                    () -> web.get("/api/v1/status").json().object("queue").number("waiting", 0) == 1);
            assertEquals("open", web.post("/api/v1/pool/resume", "").json().text("pool"));
            assertEquals(201, waiting.join());
            web.post("/api/v1/pool/drain", "");
            assertEquals(
                    "POOL_PAUSED", web.post("/api/v1/spawns?wait=30s", SHELL).code());
            assertEquals(503, web.get("/readyz").status());
        } finally {
            web.post("/api/v1/pool/resume", "");
        }
        assertEquals(200, web.get("/readyz").status());
    }

    @Test
    void shouldBindTheAgentsOwnIdByExactNamesOnlyAndTellWhoFollows() throws IOException {
        Spawned spawned = product.idle("hooked");
        Web captain = web.with(spawned.captainToken());
        String created = "{\"type\":\"session.created\",\"session_id\":\"ses_hooked\",\"spawn_id\":\"%s\"}";
        assertEquals(
                "NOT_FOUND",
                web.post("/api/v1/events", created.formatted("hooked")).code(),
                "a task_id is a guess");
        assertEquals(
                "INVALID_FIELD",
                web.post("/api/v1/events", "{\"type\":\"session.created\",\"session_id\":\"ses_hooked\"}")
                        .code());
        assertEquals(
                "UNAUTHENTICATED",
                web.with("")
                        .post("/api/v1/events", created.formatted(spawned.id()))
                        .code());
        try (Events events = web.follow("/api/v1/events?session_id=hooked", "")) {
            Web.Answer bound = captain.post("/api/v1/events", created.formatted(spawned.id()));
            assertEquals(201, bound.status(), () -> bound.response().body());
            assertEquals("ses_hooked", spawned.view().text("session_id"));
            assertEquals(
                    201,
                    captain.post(
                                    "/api/v1/events",
                                    "{\"type\":\"tool.after\",\"session_id\":\"ses_hooked\",\"data\":{\"tool\":\"edit\"}}")
                            .status());
            assertEquals("session.created", events.message().text("type"));
            assertEquals("edit", events.message().object("data").text("tool"));
            String seen = events.lastId();
            long seq = Long.parseLong(seen.substring(seen.indexOf('-') + 1));
            JsonObject rest = web.get("/api/v1/events?session_id=ses_hooked&after=" + (seq - 1))
                    .json();
            assertEquals(
                    List.of("tool.after"),
                    rest.objects("events").stream().map(e -> e.text("type")).toList());
            captain.post("/api/v1/events", "{\"type\":\"turn.end\",\"spawn_id\":\"" + spawned.id() + "\"}");
            try (Events again = web.follow("/api/v1/events?session_id=hooked", seen)) {
                assertEquals("turn.end", again.message().text("type"));
            }
        }
        Spawned other = product.idle("unhooked");
        assertEquals(
                "INVALID_FIELD",
                web.post("/api/v1/events", created.formatted(other.id())).code(),
                "it is another's");
        assertEquals(
                "UNAUTHENTICATED",
                captain.post("/api/v1/events", "{\"type\":\"x\",\"spawn_id\":\"" + other.id() + "\"}")
                        .code());
    }

    @Test
    void shouldKeepHooksEventsAndTheirNumbersWhenTheGatewayIsKilled() throws IOException {
        try (Product own = Product.start()) {
            Spawned spawned = own.idle("hooked");
            String event = "{\"type\":\"tool.after\",\"spawn_id\":\"" + spawned.id() + "\",\"data\":{\"n\":%d}}";
            own.web().post("/api/v1/events", event.formatted(1));
            String seen;
            try (Events events = own.web().follow("/api/v1/events?session_id=hooked", "")) {
                assertEquals(1, events.message().object("data").number("n", 0));
                seen = events.lastId();
            }
            own.web().post("/api/v1/events", event.formatted(2));
            own.kill();
            own.serve();
            assertEquals(
                    201, own.web().post("/api/v1/events", event.formatted(3)).status());
            JsonObject all =
                    own.web().get("/api/v1/events?session_id=hooked&after=1").json();
            assertEquals(
                    List.of(2L, 3L),
                    all.objects("events").stream()
                            .map(one -> one.object("data").number("n", 0))
                            .toList());
            try (Events events = own.web().follow("/api/v1/events?session_id=hooked", seen)) {
                assertEquals(seen, events.resumedFrom());
                assertEquals(2, events.message().object("data").number("n", 0));
                assertEquals(3, events.message().object("data").number("n", 0));
            }
        }
    }

    @Test
    void shouldSayWhatTheGatewayDoes() throws IOException {
        JsonObject status = web.get("/api/v1/status").json();
        assertEquals("open", status.text("pool"));
        assertTrue(status.number("uptime_ms", -1) >= 0);
        JsonObject agent = web.get("/api/v1/status/agents/shell").json();
        assertEquals("shell", agent.text("name"));
        assertEquals("UNKNOWN_AGENT", web.get("/api/v1/status/agents/nobody").code());
    }

    @Test
    @Tag("slow")
    void shouldLetWorkersFinishWhenItIsToldToStop() throws IOException {
        // Scenario: one worker ends by itself a little later, so the gateway stops long before the deadline.
        try (Product own = Product.start()) {
            Spawned short1 = own.shell("sleep 1; echo finished");
            assertEquals(
                    202,
                    own.web()
                            .post("/api/v1/shutdown", "{\"deadline_seconds\":60}")
                            .status());
            assertEquals(
                    "SHUTTING_DOWN", own.web().post("/api/v1/spawns", SHELL).code());
            Await.until("it has stopped", () -> !own.process().isAlive());
            own.serve();
            assertEquals("finished\n", own.brig("logs", short1.id()).out());
        }
    }

    @Test
    @Tag("slow")
    void shouldEndWorkersAtTheDeadlineOrHandThemOver() throws IOException {
        try (Product own = Product.start()) {
            Spawned kept = own.idle("kept");
            own.web().post("/api/v1/shutdown", "{\"deadline_seconds\":0,\"hand_over\":true}");
            Await.until("it has stopped", () -> !own.process().isAlive());
            assertEquals(1, own.workerAgents().size());
            own.serve();
            assertEquals("running", kept.view().text("state"));
            own.web().post("/api/v1/shutdown", "{\"deadline_seconds\":1}");
            Await.until("it has stopped", () -> !own.process().isAlive());
            Await.until("no worker-agent is left", () -> own.workerAgents().isEmpty());
        }
    }

    @Test
    @Tag("slow")
    void shouldWaitForAPlaceAndTakeTurnsBetweenCaptains() throws IOException {
        try (Product own = Product.start(Map.of("limits", Map.of("workersMax", 1L)))) {
            Spawned first = own.idle("first");
            CompletableFuture<Web.Answer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return own.web()
                            .post(
                                    "/api/v1/spawns?wait=20s",
                                    "{\"task_id\":\"second\",\"agent_config\":{\"name\":\"shell\"}}");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            Await.until(
                    "it waits",
                    () -> own.web().get("/api/v1/status").json().object("queue").number("waiting", 0) == 1);
            assertEquals(
                    "MAX_WORKERS",
                    own.ask("{\"action\":\"spawn\",\"wait\":\"1s\",\"agent_config\":{\"name\":\"shell\"}}")
                            .text("code"));
            own.brig("terminate", first.id());
            assertEquals(201, waiting.join().status());
            Run inVain = own.brig("spawn", "--wait", "1s", "--json", "shell");
            assertEquals(125, inVain.exitCode());
            assertEquals("MAX_WORKERS", inVain.json().text("code"));
            CompletableFuture<Run> patient = CompletableFuture.supplyAsync(() -> {
                try {
                    return own.brig("spawn", "--wait", "20s", "--task-id", "third", "shell");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            Await.until(
                    "it waits",
                    () -> own.web().get("/api/v1/status").json().object("queue").number("waiting", 0) == 1);
            own.brig("terminate", "second");
            assertEquals(0, patient.join().exitCode(), () -> patient.join().err());
        }
    }
}
