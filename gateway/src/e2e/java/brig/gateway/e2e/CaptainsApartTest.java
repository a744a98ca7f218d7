package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two captains, and every way in which one can name what is the other's: it is refused, and nothing happens to it. What an
 * operation takes is said here for each; one that is new and not here fails the test.
 */
@Timeout(120)
class CaptainsApartTest {
    private static final int UID = 4243;
    private static final Path SCRIPT = Path.of(System.getProperty("brig.tests", "gateway/src/e2e"), "perl/ask.pl");
    private static final String SHELL = "\"agent_config\":{\"name\":\"shell\"}";

    private static Product product;
    private static Web alice;
    private static Web bob;
    private static Spawned hers;
    private static String tokenOfHers;
    private static String askOfHers;
    private static long lastSeq;

    /** What an operation's answer to the wrong captain is. */
    private enum Verdict {
        /** The request names the session, and is refused for that. */
        REFUSED,
        /** It is for admins. */
        ADMINS,
        /** It lists, and the other's is not in the list. */
        UNLISTED,
        /** No request of it can name anything of a captain's. */
        NAMES_NOTHING
    }

    /** @param query behind the path, @param body of the request: {@code HERS} is the session, {@code FOLDER} where it works */
    private record Way(Verdict verdict, String query, String body) {
        Way(Verdict verdict) {
            this(verdict, "", "{}");
        }
    }

    private static final Map<String, Way> WAYS = new TreeMap<>();

    private static void way(Way way, String... operations) {
        Arrays.stream(operations).forEach(operation -> WAYS.put(operation, way));
    }

    static {
        way(
                new Way(Verdict.REFUSED),
                "showSpawn",
                "endSpawn",
                "showPosture",
                "rebind",
                "pauseSpawn",
                "resumeSpawn",
                "showDiff",
                "apply",
                "discardWorkspace",
                "checkpoint",
                "listCheckpoints",
                "restore",
                "fork",
                "showEgress",
                "stream",
                "attach",
                "showTree",
                "cancel",
                "getPort",
                "headPort",
                "postPort",
                "putPort",
                "patchPort",
                "deletePort",
                "optionsPort");
        way(new Way(Verdict.REFUSED, "", "{\"decision\":\"allow\",\"host\":\"example.org\"}"), "decideEgress");
        way(new Way(Verdict.REFUSED, "", "{\"content\":\"echo mine\"}"), "input");
        way(
                new Way(
                        Verdict.REFUSED,
                        "",
                        "{\"type\":\"session.created\",\"spawn_id\":\"HERS\",\"session_id\":\"ses_1\"}"),
                "postEvent");
        way(new Way(Verdict.REFUSED, "?session_id=HERS", ""), "listEvents");
        way(new Way(Verdict.REFUSED, "?spawn_id=HERS", ""), "listAudit", "listCosts");
        way(new Way(Verdict.REFUSED, "?session=HERS", ""), "listTokens", "revokeToken");
        way(new Way(Verdict.REFUSED, "", "{\"session\":\"HERS\"}"), "mintToken", "issueTicket");
        way(new Way(Verdict.REFUSED, "?wait=30s", "{" + SHELL + ",\"workspace\":\"FOLDER\"}"), "spawn");
        way(
                new Way(
                        Verdict.REFUSED,
                        "",
                        "{\"model\":\"shell\",\"input\":\"echo mine\",\"previous_response_id\":\"resp_HERS_1\"}"),
                "modelRespond");
        way(
                new Way(Verdict.ADMINS),
                "metrics",
                "agentStatus",
                "clusterStatus",
                "pause",
                "drain",
                "resume",
                "shutdown",
                "doctor",
                "prune");
        way(new Way(Verdict.REFUSED, "?tree=HERS", ""), "listAsks");
        way(new Way(Verdict.REFUSED, "", "{\"option\":\"allow\"}"), "answerAsk");
        way(
                new Way(Verdict.UNLISTED),
                "listSpawns",
                "listSessions",
                "listWorkspaces",
                "status",
                "listHosts",
                "listSandboxes");
        way(new Way(Verdict.ADMINS), "checkHost", "removeHost", "upgradeHost");
        way(new Way(Verdict.ADMINS, "", "{\"ssh\":\"me@box\"}"), "addHost");
        // A client's own name of a talk counts for its captain only. What a WebSocket names comes later: see below.
        way(
                new Way(Verdict.NAMES_NOTHING),
                "page",
                "pageFile",
                "live",
                "ready",
                "openapi",
                "asyncapi",
                "multiplex",
                "spawner",
                "signInWays",
                "beginSignIn",
                "endSignIn",
                "signIn",
                "signOut",
                "listModels",
                "showModel",
                "modelChat",
                "agents",
                // Only the secret in a link names an ask.
                "answerPage",
                "answerByPage");
    }

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of("allowedUids", List.of((long) UID))).offering("shell", "mock");
        alice = captain("alice");
        bob = captain("bob");
        hers = new Spawned(
                product,
                alice.post("/api/v1/spawns?wait=30s", "{\"task_id\":\"hers\"," + SHELL + "}")
                        .json());
        Files.writeString(hers.workspace().resolve("left.txt"), "hers\n");
        tokenOfHers = product.web()
                .post("/api/v1/tokens", "{\"session\":\"hers\"}")
                .json()
                .text("id", "");
        alice.post(
                "/api/v1/spawns?wait=30s",
                "{\"prompt\":\"#scenario:ask\",\"agent_config\":{\"name\":\"mock\",\"permissions\":\"ask\"}}");
        Await.until("her agent asks", () -> !asks(alice).isEmpty());
        askOfHers = asks(alice).getFirst().text("ask_id", "");
        Await.until("its first frame is there", () -> hers.view().number("last_seq", -1) > 0);
        lastSeq = hers.view().number("last_seq", -1);
    }

    private static List<JsonObject> asks(Web web) throws IOException {
        return web.get("/api/v1/asks").json().objects("asks");
    }

    private static Web captain(String name) throws IOException {
        return product.web()
                .with(product.web()
                        .post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"" + name + "\"}")
                        .json()
                        .text("token", ""));
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    @AfterEach
    void requireUntouched() throws IOException {
        JsonObject view = hers.view();
        assertEquals("running", view.text("state"));
        assertEquals(lastSeq, view.number("last_seq", -1), "nobody spoke to it");
        assertEquals("hers\n", Files.readString(hers.workspace().resolve("left.txt")));
        assertEquals(
                List.of(askOfHers),
                asks(alice).stream().map(ask -> ask.text("ask_id")).toList());
        assertEquals(List.of(), asks(bob));
    }

    private static String named(String text, String name) {
        return text.replace("HERS", name).replace("FOLDER", hers.workspace().toString());
    }

    private static void requireRefused(String what, Web.Answer answer) {
        assertTrue(
                List.of(401, 403, 404, 409).contains(answer.status()),
                () -> what + ": " + answer.status() + " " + answer.response().body());
    }

    private static void check(OpenApi.Described operation, String name) throws IOException {
        String id = operation.node().path("operationId").asText();
        Way way = WAYS.get(id);
        String path = named(
                operation
                                .path()
                                .replace(
                                        "{id}",
                                        switch (id) {
                                            case "revokeToken" -> tokenOfHers;
                                            case "answerAsk" -> askOfHers;
                                            default -> "HERS";
                                        })
                                .replace("{port}", "8080")
                                .replace("{path}", "x")
                                .replace("{name}", "box")
                        + way.query(),
                name);
        // An answer's id has the spawn_id in it, and no other name.
        String inBody = id.equals("modelRespond") ? hers.id() : name;
        boolean hasBody = !operation.node().path("requestBody").isMissingNode();
        Web.Answer answer = bob.send(bob.request(path)
                .header("Content-Type", "application/json")
                .method(
                        operation.method(),
                        hasBody ? BodyPublishers.ofString(named(way.body(), inBody)) : BodyPublishers.noBody()));
        switch (way.verdict()) {
            case REFUSED -> requireRefused(id, answer);
            case ADMINS -> assertEquals(403, answer.status(), id);
            case UNLISTED -> {
                assertEquals(200, answer.status(), id);
                assertFalse(answer.response().body().contains(hers.id()), id);
            }
            case NAMES_NOTHING -> throw new AssertionError("is not asked");
        }
    }

    @Test
    void shouldRefuseWhatIsAnotherCaptainsInEveryOperationOfTheDocument() throws IOException {
        OpenApi api =
                new OpenApi(product.web().get("/api/v1/openapi.json").response().body());
        TreeSet<String> described = new TreeSet<>();
        for (OpenApi.Described operation : api.operations()) {
            String id = operation.node().path("operationId").asText();
            described.add(id);
            if (WAYS.containsKey(id) && WAYS.get(id).verdict() != Verdict.NAMES_NOTHING) {
                check(operation, hers.id());
                check(operation, "hers");
            }
        }
        assertEquals(WAYS.keySet(), described, "each operation has its place in this test, and no other");
    }

    @Test
    void shouldRefuseEveryWayToNameTheFolderOfAnotherCaptainsSession() throws IOException {
        String folder = hers.workspace().toString();
        for (String place : List.of(
                "\"workspace\":\"" + folder + "\"",
                "\"workspace\":\"" + folder + "/sub\"",
                "\"workspace\":\"" + folder + "/../hers\"",
                "\"workspace_mode\":\"copy\",\"workspace\":\"" + folder + "\"",
                "\"workspace_mode\":\"worktree\",\"repository\":\"" + folder + "\"",
                "\"workspace_mode\":\"snapshot\",\"repository\":\"" + folder + "/sub\"")) {
            for (String share : List.of("", ",\"share_workspace\":true")) {
                Web.Answer answer = bob.post("/api/v1/spawns?wait=30s", "{" + SHELL + "," + place + share + "}");
                assertEquals(
                        "WORKSPACE_IN_USE",
                        answer.code(),
                        () -> place + " " + answer.response().body());
                assertFalse(answer.response().body().contains(hers.id()), "nothing is told of it");
            }
        }
        assertFalse(Files.exists(hers.workspace().resolve("sub")), "nothing is made in it");
        Web.Answer name = bob.post("/api/v1/spawns", "{\"task_id\":\"hers\"," + SHELL + "}");
        assertEquals("TASK_ID_IN_USE", name.code());
    }

    @Test
    void shouldLetACaptainDoOverHttpWhatItMayDoOnTheSpawnerSocket() throws IOException {
        Web.Answer rebound = alice.post("/api/v1/spawns/hers/rebind", "");
        assertEquals(
                hers.id(),
                rebound.json().text("spawn_id"),
                () -> rebound.response().body());
        // A plain folder is not kept as a workspace, but only its captain is told so.
        assertEquals("NOT_FOUND", alice.delete("/api/v1/workspaces/hers").code());
        assertEquals("UNAUTHENTICATED", bob.delete("/api/v1/workspaces/hers").code());
        assertEquals(200, alice.get("/api/v1/workspaces").status());
        assertEquals(2, alice.get("/api/v1/status").json().object("spawns").number("running", 0));
        assertFalse(bob.get("/api/v1/status").json().object("spawns").has("running"));
    }

    @Test
    void shouldShareOnlyWhenItIsSaid() throws IOException {
        String place =
                "{" + SHELL + ",\"once\":true,\"prompt\":\"cat left.txt\",\"workspace\":\"" + hers.workspace() + "\"";
        for (Web owner : List.of(alice, product.web())) {
            assertEquals(
                    "WORKSPACE_IN_USE",
                    owner.post("/api/v1/spawns?wait=30s", place + "}").code());
            Spawned second = new Spawned(
                    product,
                    owner.post("/api/v1/spawns?wait=30s", place + ",\"share_workspace\":true}")
                            .json());
            try (Wire reader = second.captain()) {
                Frames frames = new Frames();
                frames.readAll(reader);
                assertEquals("hers\n", frames.text());
            }
        }
    }

    @Test
    void shouldKeepWhatASessionLeftForItsCaptain() throws IOException {
        String request = "{\"task_id\":\"over\"," + SHELL + ",\"once\":true,\"prompt\":\"echo hers > kept.txt\"}";
        Spawned over = new Spawned(
                product, alice.post("/api/v1/spawns?wait=30s", request).json());
        try (Wire reader = over.captain()) {
            new Frames().readAll(reader);
        }
        for (String place : List.of("\"task_id\":\"over\"", "\"workspace\":\"" + over.workspace() + "\"")) {
            Web.Answer answer = bob.post("/api/v1/spawns?wait=30s", "{" + SHELL + "," + place + "}");
            assertEquals(
                    "WORKSPACE_IN_USE",
                    answer.code(),
                    () -> place + " " + answer.response().body());
        }
        Spawned again = new Spawned(
                product, alice.post("/api/v1/spawns?wait=30s", request).json());
        try (Wire reader = again.captain()) {
            new Frames().readAll(reader);
        }
    }

    @Test
    void shouldRefuseWhatIsAnotherCaptainsOnSocketsOfManySessionsAndOfOne() throws IOException {
        try (Socket socket = bob.socket("/api/v1/ws")) {
            for (String name : List.of(hers.id(), "hers")) {
                for (String action : List.of(
                        "subscribe", "unsubscribe", "send", "cancel", "terminate", "take_control", "release_control")) {
                    JsonObject answer = socket.sendLine(
                                    "{\"action\":\"" + action + "\",\"id\":\"" + name + "\",\"content\":\"echo mine\"}")
                            .message();
                    assertEquals("UNAUTHENTICATED", answer.text("code"), () -> action + " " + answer);
                }
            }
        }
        try (Wire wire = Wire.unix(hers.socket()).sendLine("{\"auth\":\"" + bob.token() + "\"}")) {
            assertEquals("UNAUTHENTICATED", wire.message().text("code"));
        }
    }

    private static List<String> asOther(Path socket, List<String> lines) throws IOException {
        String id = String.valueOf(UID);
        List<String> command = new ArrayList<>(List.of(
                "setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--", "perl", "-", socket.toString()));
        command.addAll(lines);
        Run run = Run.of(command, Files.readString(SCRIPT), product.folder());
        assertEquals(0, run.exitCode(), run::err);
        return run.out().lines().toList();
    }

    /** Actions of the spawner socket that another captain may not ask for, with what else each takes. */
    private static Map<String, String> actionsOfASession() {
        Map<String, String> actions = new LinkedHashMap<>();
        for (String action : List.of(
                "status",
                "tree",
                "terminate",
                "rebind",
                "pause",
                "resume",
                "attach",
                "diff",
                "apply",
                "discard",
                "egress")) {
            actions.put(action, "\"id\":\"HERS\"");
        }
        for (String action : List.of("checkpoint", "checkpoints", "restore", "fork")) {
            actions.put(action, "\"id\":\"HERS\"");
        }
        actions.put("pull_image", "\"from\":\"/usr\",\"name\":\"mine\"");
        actions.put("remove_image", "\"name\":\"mine\"");
        actions.put("discard_root", "\"id\":\"root_" + "0".repeat(24) + "\"");
        actions.put("port", "\"id\":\"HERS\",\"port\":8080");
        actions.put("shell", "\"id\":\"HERS\",\"rows\":24,\"columns\":80,\"term\":\"xterm\"");
        actions.put("audit", "\"spawn_id\":\"HERS\"");
        actions.put("costs", "\"spawn_id\":\"HERS\"");
        actions.put("follow_asks", "\"tree\":\"HERS\"");
        actions.put("asks", "\"tree\":\"HERS\"");
        actions.put("answer_ask", "\"id\":\"" + askOfHers + "\",\"option\":\"allow\"");
        actions.put("mint_token", "\"session\":\"HERS\"");
        actions.put("tokens", "\"session\":\"HERS\"");
        actions.put("open", "\"id\":\"HERS\",\"share\":true");
        actions.put("spawn", SHELL + ",\"workspace\":\"FOLDER\"");
        actions.put("prune", "\"dry_run\":true");
        actions.put("doctor", "");
        actions.put("test_route", "\"route\":\"claude\"");
        actions.put("add_host", "\"name\":\"box\",\"ssh\":\"me@box\"");
        for (String action : List.of("check_host", "remove_host", "upgrade_host")) {
            actions.put(action, "\"name\":\"box\"");
        }
        return actions;
    }

    @Test
    void shouldTakeAnotherUserOfTheHostForAnotherCaptain() throws IOException {
        Product.requireRoot("to be another user");
        Map<String, String> actions = actionsOfASession();
        List<String> lines = new ArrayList<>();
        actions.forEach((action, more) -> lines.add(
                named("{\"action\":\"" + action + "\"" + (more.isEmpty() ? "" : ",") + more + "}", hers.id())));
        List<String> answers = asOther(product.spawner(), lines);
        for (int i = 0; i < lines.size(); i++) {
            String code = JsonObject.read(answers.get(i).getBytes(StandardCharsets.UTF_8))
                    .text("code", "");
            assertTrue(
                    List.of("UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "WORKSPACE_IN_USE")
                            .contains(code),
                    lines.get(i) + " -> " + answers.get(i));
        }
        for (String answer : asOther(
                product.spawner(),
                List.of(
                        "{\"action\":\"list\"}",
                        "{\"action\":\"workspaces\"}",
                        "{\"action\":\"follow_sessions\",\"ended\":9}"))) {
            assertFalse(answer.contains(hers.id()) || answer.contains("\"code\""), answer);
        }
        assertTrue(asOther(
                        product.runtime().resolve("http.sock"),
                        List.of("GET /api/v1/spawns/hers HTTP/1.1\r\nHost: localhost"))
                .getFirst()
                .contains(" 401 "));
        TreeSet<String> known = new TreeSet<>(actions.keySet());
        // These name no session, or are asked above; a token is taken back by who sees it.
        known.addAll(List.of(
                "list",
                "follow_sessions",
                "workspaces",
                "track",
                "agents",
                "gateway",
                "hosts",
                "cluster",
                "sandboxes",
                "images",
                "revoke_token"));
        String all = product.ask("{\"action\":\"fly\"}").text("error", "").replaceAll(".*known are ", "");
        assertEquals(
                known, new TreeSet<>(List.of(all.split(", | and ", -1))), "each action has its place in this test");
    }
}
