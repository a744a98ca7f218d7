package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Limits;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets a token, how far it reaches, and what happens when it is taken back. */
@Timeout(60)
class TokensTest {
    private static Product product;
    private static Beside beside;
    private static Web web;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        beside = new Beside(product);
        web = product.web();
    }

    @AfterEach
    void requireUntouched() throws IOException {
        beside.requireUntouched();
    }

    @AfterAll
    static void stop() throws IOException {
        beside.close();
        product.close();
    }

    private static JsonObject mint(Web by, String options) throws IOException {
        Web.Answer answer = by.post("/api/v1/tokens", options);
        assertEquals(201, answer.status(), () -> answer.response().body());
        return answer.json();
    }

    /** The connection says why it ends, and ends. */
    private static void requireExpired(Source source) throws IOException {
        JsonObject last = source.message();
        while (!last.has("code")) {
            last = source.message();
        }
        assertEquals("ATTACH_AUTH_EXPIRED", last.text("code"));
        assertNull(source.line());
    }

    @Test
    void shouldReplaceTheAdminTokenWhileItRuns() throws IOException {
        try (Product own = Product.start()) {
            String old = own.adminToken();
            assertEquals(200, own.web().get("/api/v1/status").status());
            Web before = own.web();
            assertEquals(0, own.brig("token", "revoke", "admin").exitCode());
            assertEquals(401, before.get("/api/v1/status").status());
            assertNotEquals(old, own.adminToken());
            assertEquals(own.adminToken() + "\n", own.brig("token").out());
            assertEquals(200, own.web().get("/api/v1/status").status());
        }
    }

    @Test
    void shouldReachAsFarAsItsRoleAndNoFurther() throws IOException {
        Web alice = web.with(
                mint(web, "{\"role\":\"captain\",\"captain\":\"alice\"}").text("token"));
        Web.Answer spawned = alice.post(
                "/api/v1/spawns?wait=60s",
                "{\"task_id\":\"hers\",\"agent_config\":{\"name\":\"shell\"},\"once\":true}");
        assertEquals(201, spawned.status());
        assertEquals("alice", alice.get("/api/v1/spawns/hers").json().text("captain"));
        assertEquals(1, alice.get("/api/v1/spawns").json().objects("spawns").size(), "its own alone");
        assertEquals("UNAUTHENTICATED", alice.get("/api/v1/spawns/beside").code());
        assertEquals("FORBIDDEN", alice.get("/api/v1/doctor").code());
        assertEquals(
                "FORBIDDEN",
                alice.post("/api/v1/tokens", "{\"role\":\"admin\"}").code());
        assertEquals(
                "FORBIDDEN",
                alice.post("/api/v1/tokens", "{\"role\":\"watcher\"}").code());
        Web watcher = web.with(mint(web, "{\"role\":\"watcher\"}").text("token"));
        assertEquals(200, watcher.get("/api/v1/spawns/hers").status());
        assertEquals("FORBIDDEN", watcher.delete("/api/v1/spawns/hers").code());
        assertEquals(
                "FORBIDDEN",
                watcher.post("/api/v1/spawns", "{\"agent_config\":{\"name\":\"shell\"}}")
                        .code());
        Web admin = web.with(mint(web, "{\"role\":\"admin\"}").text("token"));
        assertEquals(200, admin.get("/api/v1/status").status());
        assertEquals(202, alice.delete("/api/v1/spawns/hers").status());
        Await.until("it has ended", () -> web.get("/api/v1/spawns/hers").json().has("ended_ms"));
    }

    @Test
    void shouldLetACaptainMakeAndRevokeWatchersOfItsOwnSessionAlone() throws IOException {
        Web captain = web.with(beside.spawned().captainToken());
        assertEquals(
                "FORBIDDEN",
                captain.post("/api/v1/tokens", "{\"role\":\"captain\",\"session\":\"beside\"}")
                        .code());
        assertEquals(
                "FORBIDDEN",
                web.with(beside.spawned().watcherToken())
                        .post("/api/v1/tokens", "{\"session\":\"beside\"}")
                        .code());
        JsonObject link = mint(captain, "{\"session\":\"beside\",\"expires_seconds\":60}");
        Web watcher = web.with(link.text("token"));
        assertEquals("FORBIDDEN", watcher.get("/api/v1/events").code());
        assertEquals("FORBIDDEN", captain.get("/api/v1/tokens").code());
        String id = link.text("id", "");
        assertTrue(captain.get("/api/v1/tokens?session=beside").json().objects("tokens").stream()
                .anyMatch(token -> id.equals(token.text("id"))));
        try (Events stream = watcher.events("beside", "")) {
            assertEquals("state", stream.message().text("type"));
            assertEquals("FORBIDDEN", captain.delete("/api/v1/tokens/" + id).code());
            assertEquals(
                    200,
                    captain.delete("/api/v1/tokens/" + id + "?session=beside").status());
            requireExpired(stream);
        }
        Web.Answer late = watcher.get("/api/v1/sessions/beside/stream");
        assertEquals(401, late.status());
        assertEquals("ATTACH_AUTH_EXPIRED", late.code());
    }

    @Test
    void shouldCloseEveryKindOfConnectionWhenItsTokenIsRevoked() throws IOException {
        Spawned spawned = product.idle("closing");
        JsonObject token = mint(web, "{\"role\":\"captain\",\"session\":\"closing\"}");
        Web own = web.with(token.text("token"));
        try (Socket attached = own.socket("/api/v1/sessions/closing/attach");
                Socket many = own.socket("/api/v1/ws");
                Wire unix = Wire.unix(spawned.socket());
                Socket other = web.with(spawned.captainToken()).socket("/api/v1/sessions/closing/attach")) {
            assertEquals("authenticated", attached.message().text("type"));
            many.sendLine("{\"action\":\"subscribe\",\"id\":\"closing\"}");
            assertEquals("session", many.message().text("type"));
            unix.sendLine("{\"auth\":\"" + token.text("token") + "\"}");
            assertEquals("authenticated", unix.message().text("type"));
            assertEquals("authenticated", other.message().text("type"));
            assertEquals(
                    0, product.brig("token", "revoke", token.text("id", "")).exitCode());
            requireExpired(attached);
            assertEquals(4524, attached.closeCode());
            requireExpired(many);
            assertEquals(4524, many.closeCode());
            requireExpired(unix);
            Frames frames = new Frames();
            other.sendLine(Spawned.user("echo lives"));
            frames.readUntilType(other, "done");
            assertEquals("lives\n", frames.text());
        }
        web.delete("/api/v1/spawns/closing");
        Await.until("it has ended", () -> spawned.view().has("ended_ms"));
    }

    @Test
    @Tag("slow")
    void shouldStillCountAfterARestartAndBeKeptAsAHashOnly() throws IOException {
        try (Product own = Product.start()) {
            Run made = own.brig("token", "create", "--role", "captain", "--captain", "ci", "--expires", "90s");
            String secret = made.out().strip();
            String listed = own.brig("token", "list").out();
            assertTrue(listed.contains("ci") && !listed.contains(secret), listed);
            String file = Files.readString(own.folder().resolve("state/tokens.json"));
            assertFalse(file.contains(secret), file);
            own.stop();
            own.serve();
            assertEquals(200, own.web().with(secret).get("/api/v1/spawns").status());
            String id = own.web()
                    .get("/api/v1/tokens")
                    .json()
                    .objects("tokens")
                    .getFirst()
                    .text("id", "");
            assertEquals(200, own.web().delete("/api/v1/tokens/" + id).status());
            own.stop();
            own.serve();
            assertEquals(
                    "ATTACH_AUTH_EXPIRED",
                    own.web().with(secret).get("/api/v1/spawns").code());
            assertEquals(own.adminToken(), own.brig("token").out().strip());
        }
    }

    @Test
    void shouldFollowAsksByEventsUntilTheTokenIsRevoked() throws IOException {
        Spawned asking = new Spawned(
                product,
                product.ask(
                        "{\"action\":\"spawn\",\"task_id\":\"asking\",\"agent_config\":{\"name\":\"mock\",\"permissions\":"
                                + "\"ask\"},\"prompt\":\"#scenario:ask:1\"}"));
        Await.until("it asks", () -> asking.view().text("activity", "").equals("waiting"));
        JsonObject token = mint(web, "{\"role\":\"captain\",\"session\":\"asking\"}");
        Web own = web.with(token.text("token"));
        Web bare = web.with("");
        String path = "/api/v1/asks?ticket="
                + own.post("/api/v1/tickets", "{}").json().text("ticket");
        try (Events byTicket = bare.follow(path, "");
                Events byToken = own.follow("/api/v1/asks", "")) {
            assertEquals("UNAUTHENTICATED", bare.get(path).code(), "a ticket is good once");
            JsonObject open = byTicket.message();
            assertEquals(open, byToken.message());
            JsonObject ask = open.objects("asks").getFirst();
            assertEquals("asking", ask.text("task_id"));
            product.ask("{\"action\":\"answer_ask\",\"id\":\"" + ask.text("ask_id") + "\",\"option\":\"deny\"}");
            try (Wire captain = asking.captain()) {
                captain.sendLine(Spawned.user("#scenario:ask:1"));
                for (Events events : List.of(byTicket, byToken)) {
                    JsonObject answered = events.message();
                    assertEquals("answered", answered.text("type"));
                    assertEquals(ask.text("ask_id"), answered.text("ask_id"));
                    assertEquals("ask", events.message().text("type"));
                }
            }
            assertEquals(
                    0, product.brig("token", "revoke", token.text("id", "")).exitCode());
            requireExpired(byTicket);
            requireExpired(byToken);
            assertEquals("ATTACH_AUTH_EXPIRED", own.get("/api/v1/asks").code());
        }
        assertEquals(0, product.brig("terminate", "asking").exitCode());
        Await.until("it has ended", () -> asking.view().has("ended_ms"));
    }

    @Test
    void shouldLetInOnceWhoBringsATicket() throws IOException {
        Web captain = web.with(beside.spawned().captainToken());
        Web bare = web.with("");
        JsonObject made = captain.post("/api/v1/tickets", "{\"session\":\"beside\",\"role\":\"watcher\"}")
                .json();
        String query = "?from=" + Limits.SEQ_MAX + "&ticket=" + made.text("ticket");
        try (Socket socket = bare.socket("/api/v1/sessions/beside/attach" + query)) {
            assertEquals("watcher", socket.message().text("role"));
            assertEquals(
                    "FORBIDDEN",
                    socket.sendLine(Spawned.user("echo no")).message().text("code"));
        }
        assertEquals(
                "UNAUTHENTICATED",
                bare.get("/api/v1/sessions/beside/attach" + query).code());
        assertEquals("watcher", made.text("role"));
        Web watcher = bare.with(beside.spawned().watcherToken());
        assertEquals(
                403,
                watcher.post("/api/v1/tickets", "{\"session\":\"beside\",\"role\":\"captain\"}")
                        .status());
        JsonObject whatever =
                watcher.post("/api/v1/tickets", "{\"session\":\"beside\"}").json();
        assertEquals("watcher", whatever.text("role"));
        assertEquals(
                "admin",
                web.post("/api/v1/tickets", "{\"role\":\"captain\"}").json().text("role"));
        String other = web.post("/api/v1/tickets", "{}").json().text("ticket");
        assertEquals(401, bare.get("/api/v1/spawns/beside?ticket=" + other).status(), "only for streams");
        try (Events events = bare.follow("/api/v1/sessions/beside/stream?ticket=" + other, "")) {
            assertEquals("state", events.message().text("type"));
        }
    }

    @Test
    void shouldLetOneCaptainSpeakAtATimeAndSayWhoIsThere() throws IOException {
        Spawned spawned = product.idle("shared");
        String alice = mint(web, "{\"role\":\"captain\",\"captain\":\"alice\",\"session\":\"shared\"}")
                .text("token");
        String bob = mint(web, "{\"role\":\"captain\",\"captain\":\"bob\",\"session\":\"shared\"}")
                .text("token");
        String path = "/api/v1/sessions/shared/attach?from=" + Limits.SEQ_MAX;
        try (Socket one = web.with(alice).socket(path + "&presence=true")) {
            assertEquals("authenticated", one.message().text("type"));
            assertEquals(List.of("alice"), captains(next(one, "presence")));
            one.sendLine(Spawned.user("true"));
            JsonObject held = next(one, "presence").objects("captains").getFirst();
            assertTrue(held.flag("control"));
            try (Socket two = web.with(bob).socket(path)) {
                assertEquals("authenticated", two.message().text("type"));
                assertEquals(List.of("alice", "bob"), captains(next(one, "presence")));
                two.sendLine(Spawned.user("echo no"));
                assertEquals("CONTROL_HELD", next(two, "error").text("code"));
                assertEquals(
                        "CONTROL_HELD",
                        web.with(bob)
                                .post("/api/v1/sessions/shared/input", "{\"content\":\"echo no\"}")
                                .code());
                two.sendLine("{\"action\":\"take_control\"}").sendLine(Spawned.user("echo taken"));
                assertTrue(next(one, "presence").objects("captains").getLast().flag("control"));
                one.sendLine("{\"action\":\"cancel\"}");
                assertEquals("CONTROL_HELD", next(one, "error").text("code"));
            }
            assertEquals(List.of("alice"), captains(next(one, "presence")));
            one.sendLine("{\"action\":\"terminate\"}");
            Await.until("it has ended", () -> spawned.view().has("ended_ms"));
        }
    }

    private static JsonObject next(Source source, String type) throws IOException {
        JsonObject message = source.message();
        while (!type.equals(message.text("type"))) {
            message = source.message();
        }
        return message;
    }

    private static List<String> captains(JsonObject presence) {
        return presence.objects("captains").stream()
                .map(one -> one.text("captain", ""))
                .toList();
    }
}
