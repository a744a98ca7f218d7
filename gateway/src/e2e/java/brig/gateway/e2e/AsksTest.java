package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What agents ask, from the agent to whoever answers, also without a gateway. {@link RealAsksTest} kills it with open asks. */
@Timeout(180)
class AsksTest {
    private static final int UID = 4244;
    /** The profile of an agent whose asks wait for that time only. */
    private static final String HASTY = "hasty";

    /** The same with a long time. */
    private static final String PATIENT = "patient";

    private static final long HASTY_MS = 5000;

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.prepare(Map.of("allowedUids", List.of((long) UID))).offering("mock");
        Path profile = product.agents().resolve("mock.json");
        Map<String, Object> hasty = new LinkedHashMap<>(Json.parseObject(Files.readAllBytes(profile)));
        hasty.put("permissions", "ask");
        hasty.put("asks", Map.of("waitMs", HASTY_MS));
        Files.write(product.agents().resolve(HASTY + ".json"), Json.write(hasty));
        hasty.put("asks", Map.of("waitMs", 120_000L));
        Files.write(product.agents().resolve(PATIENT + ".json"), Json.write(hasty));
        product.serve();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static Spawned spawn(String agent, String fields, String scenario) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"" + agent
                        + "\",\"permissions\":\"ask\"},\"prompt\":\"#scenario:" + scenario + "\"" + fields + "}"));
    }

    private static List<JsonObject> asks(Web web, String query) throws IOException {
        return web.get("/api/v1/asks" + query).json().objects("asks");
    }

    private static Web.Answer answer(Web web, JsonObject ask, String option) throws IOException {
        return web.post("/api/v1/asks/" + ask.text("ask_id"), "{\"option\":\"" + option + "\"}");
    }

    private static void awaitAsks(Web web, int count) throws IOException {
        Await.until(count + " asks are listed", () -> asks(web, "").size() == count);
    }

    @Test
    void shouldTakeTheFirstAnswerOfACaptainAndTellTheAgent() throws IOException {
        Spawned asking = spawn("mock", "", "ask:2");
        Web admin = product.web();
        awaitAsks(admin, 2);
        List<JsonObject> asks = asks(admin, "");
        assertEquals("waiting", asking.view().text("activity"));
        Web watcher = admin.with(asking.watcherToken());
        assertEquals(asks, asks(watcher, ""));
        assertEquals("FORBIDDEN", answer(watcher, asks.get(0), "allow").code());
        Web bob = admin.with(admin.post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"bob\"}")
                .json()
                .text("token"));
        assertEquals(List.of(), asks(bob, ""));
        assertEquals("NOT_FOUND", answer(bob, asks.get(0), "allow").code());
        assertEquals("INVALID_FIELD", answer(admin, asks.get(0), "always").code());

        Web captain = admin.with(asking.captainToken());
        assertEquals(200, answer(captain, asks.get(0), "allow").status());
        Web.Answer late = answer(admin, asks.get(0), "deny");
        assertEquals("ASK_SETTLED", late.code());
        assertTrue(late.response().body().contains(" answered it over http at "), late.response()::body);
        Run cli = product.brig("answer", asks.get(1).text("ask_id", ""), "deny");
        assertEquals(0, cli.exitCode(), cli::toString);
        try (Wire wire = asking.captain()) {
            Frames frames = new Frames().readUntilType(wire, "done");
            assertTrue(
                    frames.lines().stream().anyMatch(line -> line.contains("Answers: allow, deny")),
                    () -> String.join("\n", frames.lines()));
            assertEquals(
                    List.of("allow", "deny"),
                    frames.ofType("answered").stream()
                            .map(frame -> frame.text("option"))
                            .toList());
            assertEquals("http", frames.ofType("answered").get(0).text("via"));
        }
        assertEquals(List.of(), asks(admin, ""));
    }

    private static String line(JsonObject ask, String option) {
        return "{\"action\":\"answer_ask\",\"ask_id\":\"" + ask.text("ask_id") + "\",\"option\":\"" + option + "\"}";
    }

    /** What is told about an answer; frames are passed over. */
    private static String told(Source connection) throws IOException {
        for (; ; ) {
            JsonObject line = JsonObject.read(connection.line().getBytes(StandardCharsets.UTF_8));
            if (!line.has("seq") && line.has("ask_id")) {
                return line.text("ask_id") + " " + line.text("code", line.text("option", ""));
            }
        }
    }

    @Test
    void shouldTakeAnswersOnTheConnectionsOfASession() throws IOException {
        Spawned asking = spawn("mock", "", "ask:3");
        Spawned other = spawn("mock", "", "ask:1");
        Web admin = product.web();
        awaitAsks(admin, 4);
        List<JsonObject> asks = asks(admin, "?tree=" + asking.id());
        JsonObject foreign = asks(admin, "?tree=" + other.id()).getFirst();
        List<String> ids = asks.stream().map(ask -> ask.text("ask_id")).toList();
        String approver = admin.post("/api/v1/tokens", "{\"role\":\"approver\",\"session\":\"" + asking.id() + "\"}")
                .json()
                .text("token");
        try (Wire captain = asking.captain();
                Wire watcher = asking.attach("watcher");
                Socket single = admin.with(approver).socket("/api/v1/sessions/" + asking.id() + "/attach");
                Socket many = admin.socket("/api/v1/ws")) {
            watcher.sendLine(line(asks.get(0), "allow"));
            assertEquals(ids.get(0) + " FORBIDDEN", told(watcher));
            captain.sendLine(line(asks.get(0), "always"));
            assertEquals(ids.get(0) + " INVALID_FIELD", told(captain));
            captain.sendLine(line(foreign, "allow"));
            assertEquals(foreign.text("ask_id") + " NOT_FOUND", told(captain));
            captain.sendLine(line(asks.get(0), "allow"));
            assertEquals(ids.get(0) + " allow", told(captain));
            single.sendLine(line(asks.get(0), "deny"));
            assertEquals(ids.get(0) + " ASK_SETTLED", told(single));
            single.sendLine(line(asks.get(1), "deny"));
            assertEquals(ids.get(1) + " deny", told(single));
            many.sendLine("{\"action\":\"subscribe\",\"id\":\"" + asking.id() + "\"}");
            many.sendLine(line(asks.get(2), "allow").replace("{", "{\"id\":\"" + asking.id() + "\","));
            assertEquals(ids.get(2) + " allow", told(many));
        }
        try (Wire wire = asking.captain()) {
            Frames frames = new Frames().readUntilType(wire, "done");
            assertEquals(
                    List.of("allow socket", "deny websocket", "allow websocket"),
                    frames.ofType("answered").stream()
                            .map(frame -> frame.text("option") + " " + frame.text("via"))
                            .toList());
        }
        assertEquals(1, asks(admin, "").size());
    }

    private static Web.Answer chat(Web web, String more) throws IOException {
        return web.post(
                "/openai/v1/chat/completions",
                ("{'model':'" + PATIENT + "','tools':[{'type':'function','function':{'name':'brig_answer'}}],"
                                + "'messages':[{'role':'user','content':'#scenario:ask:2'}" + more + "]}")
                        .replace('\'', '"'));
    }

    private static Web.Answer result(Web web, String askId, String content) throws IOException {
        return chat(
                web,
                ",{'role':'assistant','content':null},{'role':'tool','tool_call_id':'" + askId + "','content':'"
                        + content + "'}");
    }

    private static JsonObject choice(Web.Answer answer) {
        assertEquals(200, answer.status(), () -> answer.response().body());
        return answer.json().objects("choices").getFirst();
    }

    private static JsonObject call(Web.Answer answer) {
        assertEquals("tool_calls", choice(answer).text("finish_reason"));
        return choice(answer).object("message").objects("tool_calls").getFirst();
    }

    @Test
    void shouldAskAClientOfOpenAiByACallOfItsTool() throws IOException {
        Web admin = product.web();
        JsonObject first = call(chat(admin, ""));
        assertEquals("brig_answer", first.object("function").text("name"));
        String id = first.text("id", "");
        assertTrue(
                first.object("function").text("arguments", "").contains("\"ask_id\":\"" + id + "\""), first::toString);
        Web bob = admin.with(admin.post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"bob\"}")
                .json()
                .text("token"));
        assertEquals(
                "NOT_FOUND", result(bob, id, "allow").json().object("error").text("code"));
        assertEquals(
                "INVALID_FIELD",
                result(admin, id, "always").json().object("error").text("code"));
        JsonObject second = call(result(admin, id, "allow"));
        assertEquals(
                "ASK_SETTLED", result(admin, id, "deny").json().object("error").text("code"));

        // Somebody else is faster: the turn goes on nevertheless.
        for (JsonObject ask : asks(admin, "")) {
            assertEquals(200, answer(admin, ask, "deny").status());
        }
        JsonObject last = choice(result(admin, second.text("id", ""), "allow"));
        assertEquals("stop", last.text("finish_reason"));
        assertTrue(last.object("message").text("content", "").contains("Answers: allow, deny"), last::toString);
    }

    @Test
    @Tag("slow")
    void shouldGiveTheDefaultInTimeWithoutAGateway() throws IOException {
        Spawned asking = spawn(HASTY, "", "ask:1");
        long deadline;
        try (Wire wire = asking.captain()) {
            deadline = new Frames().readUntilType(wire, "ask").last().number("deadline", 0);
        }
        product.kill();
        Await.until("the deadline is over", () -> System.currentTimeMillis() > deadline);
        product.serve();
        try (Wire wire = asking.captain()) {
            Frames frames = new Frames().readUntilType(wire, "done");
            JsonObject answered = frames.ofType("answered").get(0);
            assertEquals("deadline", answered.text("reason"));
            assertEquals("deny", answered.text("option"));
            long late = answered.number("ts", 0) - deadline;
            assertTrue(late >= 0 && late < 5000, () -> "given " + late + " ms after the deadline");
        }
        assertEquals(List.of(), asks(product.web(), ""));
    }

    @Test
    void shouldLetTheCaptainOfASessionAnswerForThoseThatWorkForIt() throws IOException {
        Spawned lead = product.spawn("mock", "#scenario:hang", false);
        Spawned child = spawn("mock", ",\"task_id\":\"child\",\"parent\":\"" + lead.id() + "\"", "ask:1");
        Spawned other = spawn("mock", ",\"parent\":\"child\"", "ask:1");
        Web admin = product.web();
        awaitAsks(admin, 2);
        Web captain = admin.with(lead.captainToken());
        assertEquals(asks(admin, ""), asks(captain, ""));
        assertEquals(asks(admin, ""), asks(captain, "?tree=" + lead.id()));
        assertEquals(
                List.of(other.id()),
                asks(admin.with(other.captainToken()), "").stream()
                        .map(ask -> ask.text("spawn_id"))
                        .toList());
        Run tree = product.brig("tree", lead.id());
        for (JsonObject ask : asks(captain, "")) {
            assertTrue(tree.out().contains("brig answer " + ask.text("ask_id") + " allow|"), tree::out);
            assertEquals(200, answer(captain, ask, "deny").status());
        }
        assertEquals(lead.id(), child.view().text("parent"));
        assertEquals(
                "UNAUTHENTICATED",
                admin.with(other.captainToken())
                        .get("/api/v1/asks?tree=" + lead.id())
                        .code());
        assertEquals(
                "NOT_FOUND",
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"mock\"},\"parent\":\"nobody\"}")
                        .text("code"));
    }
}
