package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents as models, as clients of OpenAI's API see them. */
@Timeout(120)
class ModelTest {
    private static final String CHAT = "/openai/v1/chat/completions";
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.prepare(Map.of()).offering("shell", "mock");
        Map<String, Object> asking = new LinkedHashMap<>(
                Json.parseObject(Files.readAllBytes(product.agents().resolve("mock.json"))));
        asking.put("permissions", "ask");
        Files.write(product.agents().resolve("asking.json"), Json.write(asking));
        product.serve();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static String chat(String model, boolean stream, String... saidByTurns) {
        List<Map<String, Object>> messages = new ArrayList<>();
        for (String said : saidByTurns) {
            messages.add(Map.of("role", messages.size() % 2 == 0 ? "user" : "assistant", "content", said));
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("model", model);
        body.put("stream", stream);
        body.put("stream_options", stream ? Map.of("include_usage", true) : null);
        body.put("messages", messages);
        return new String(Json.write(body), StandardCharsets.UTF_8);
    }

    private static Web.Answer post(String path, String body, String... headers) throws IOException {
        HttpRequest.Builder request = product.web()
                .request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return product.web().send(headers.length == 0 ? request : request.headers(headers));
    }

    private static String content(Web.Answer answer) {
        assertEquals(200, answer.status(), () -> answer.response().body());
        return answer.json().objects("choices").getFirst().object("message").text("content", "");
    }

    /** The pieces of a streamed answer. */
    private static List<JsonObject> pieces(Web.Answer answer) {
        assertEquals(200, answer.status(), () -> answer.response().body());
        List<String> data = answer.response()
                .body()
                .lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> line.substring(6))
                .toList();
        assertEquals("[DONE]", data.getLast());
        return data.subList(0, data.size() - 1).stream()
                .map(text -> JsonObject.read(text.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static String joined(List<JsonObject> pieces, String name) {
        StringBuilder text = new StringBuilder();
        for (JsonObject piece : pieces) {
            piece.objects("choices")
                    .forEach(choice -> text.append(choice.object("delta").text(name, "")));
        }
        return text.toString();
    }

    private static JsonObject error(Web.Answer answer) {
        return answer.json().object("error");
    }

    private static List<JsonObject> sessions() throws IOException {
        return product.web().get("/api/v1/sessions").json().objects("sessions");
    }

    private static boolean isOver(String spawnId) {
        try {
            return product.web()
                    .get("/api/v1/spawns/" + spawnId)
                    .json()
                    .text("state", "")
                    .equals("terminated");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The spawn that an answer was given by stands in its id. */
    private static String spawnOf(String id) {
        return id.replaceFirst("^[a-z]+[-_](spn_[0-9a-z]{24})_\\d+$", "$1");
    }

    @Test
    void shouldListAgentsAsModelsAndNoOtherPrograms() throws IOException {
        JsonObject list = product.web().get("/openai/v1/models").json();
        assertEquals("list", list.text("object"));
        assertEquals(
                List.of("asking", "claude", "codex", "mock", "opencode", "shell"),
                list.objects("data").stream()
                        .map(model -> model.text("id", ""))
                        .sorted()
                        .toList());
        assertEquals(
                "claude", product.web().get("/openai/v1/models/claude").json().text("id"));
        for (String program : List.of("replay", "codex-exec", "demo-writer", "gpt-9")) {
            Web.Answer unknown = product.web().get("/openai/v1/models/" + program);
            assertEquals(
                    "404 UNKNOWN_AGENT", unknown.status() + " " + error(unknown).text("code"));
            assertEquals(
                    "UNKNOWN_AGENT",
                    error(post(CHAT, chat(program, false, "hi"))).text("code"));
        }
    }

    @Test
    void shouldAnswerEveryPathBelowItsOwnInTheFormOfTheApi() throws IOException {
        for (String path :
                List.of("/openai/v1/embeddings", "/openai/v1/", "/openai/v2/models", "/openai/v1/chat/completions/x")) {
            Web.Answer none = post(path, "{}");
            assertEquals("404 NOT_FOUND", none.status() + " " + error(none).text("code"), path);
            assertEquals("application/json", none.header("Content-Type"));
        }
        Web.Answer wrong = product.web().get(CHAT);
        assertEquals(
                "405 METHOD_NOT_ALLOWED", wrong.status() + " " + error(wrong).text("code"));
    }

    @Test
    void shouldTellAWrongKeyFromOneThatDoesNotReachThatFar() throws IOException {
        for (String key : List.of(
                "", "sk-wrong", "brig_" + "A".repeat(43), product.idle("keyed").captainToken())) {
            Web.Answer refused = product.web().with(key).post(CHAT, chat("shell", false, "id"));
            assertEquals(
                    "401 UNAUTHENTICATED",
                    refused.status() + " " + error(refused).text("code"));
        }
        String watcher = product.web()
                .post("/api/v1/tokens", "{\"role\":\"watcher\"}")
                .json()
                .text("token", "");
        assertEquals(403, product.web().with(watcher).get("/openai/v1/models").status());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n | 2",
                "response_format | {\"type\":\"json_object\"}",
                "tool_choice | \"required\"",
                "tool_choice | {\"type\":\"function\"}",
                "logprobs | true",
                "modalities | [\"audio\"]"
            })
    void shouldRefuseByNameWhatAnAgentCannotDo(String name, String value) throws IOException {
        Web.Answer refused =
                post(CHAT, chat("shell", false, "id").replaceFirst("\\{", "{\"" + name + "\":" + value + ","));
        assertEquals(400, refused.status());
        assertTrue(error(refused).text("message", "").startsWith("field '" + name + "'"), refused.response()::body);
    }

    @Test
    void shouldTellTheAgentWhatTheSystemSays() throws IOException {
        String body = "{\"model\":\"mock\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
                + "{\"role\":\"developer\",\"content\":\"No jokes.\"},{\"role\":\"user\",\"content\":\"#scenario:asked\"}]}";
        assertEquals("Asked for {system=Be brief.\n\nNo jokes.}", content(post(CHAT, body)));
        assertEquals(
                "Asked for {system=Be brief.}",
                post(
                                "/openai/v1/responses",
                                "{\"model\":\"mock\",\"instructions\":"
                                        + "\"Be brief.\",\"input\":\"#scenario:asked\"}")
                        .json()
                        .objects("output")
                        .getLast()
                        .objects("content")
                        .getFirst()
                        .text("text"));
        Web.Answer cannot = post(CHAT, body.replace("mock", "shell"));
        assertTrue(error(cannot).text("message", "").startsWith("field 'system_prompt'"), cannot.response()::body);
    }

    @Test
    void shouldShowCommandsAndTheirOutputBesideTheWords() throws IOException {
        List<JsonObject> pieces = pieces(post(CHAT, chat("mock", true, "#scenario:shell:echo walled")));
        assertEquals("\n$ echo walled\nwalled\n", joined(pieces, "reasoning_content"));
        assertEquals("The command finished.", joined(pieces, "content"));
    }

    @Test
    void shouldStreamWhatTheAgentSaysAndEndItsWorker() throws IOException {
        List<JsonObject> pieces = pieces(post(CHAT, chat("mock", true, "#scenario:text:5")));
        assertTrue(joined(pieces, "content").contains("tok0 tok1 tok2 tok3 tok4"), () -> joined(pieces, "content"));
        assertTrue(pieces.size() >= 7, "piece by piece");
        assertEquals(
                "stop",
                pieces.get(pieces.size() - 2).objects("choices").getFirst().text("finish_reason"));
        assertTrue(pieces.getLast().object("usage").number("total_tokens", 0) > 0);
        Await.until("its worker ends", () -> isOver(spawnOf(pieces.getFirst().text("id", ""))));
    }

    @Test
    void shouldAnswerWholeWhereNoStreamIsWanted() throws IOException {
        Web.Answer answer = post(CHAT, chat("shell", false, "echo out; echo warned >&2; exit 3"));
        assertEquals("out\n", content(answer));
        JsonObject message = answer.json().objects("choices").getFirst().object("message");
        String beside = message.text("reasoning_content", "");
        assertTrue(beside.contains("warned\n") && beside.contains("[exit code 3]"), beside);
    }

    @Test
    void shouldTellToolsAndSubAgentsBesideTheWords() throws IOException {
        List<JsonObject> pieces = pieces(post(CHAT, chat("mock", true, "#scenario:subagent")));
        String beside = joined(pieces, "reasoning_content");
        assertTrue(beside.contains("[sub-agent general-purpose: "), beside);
    }

    @Test
    void shouldGoOnWithTheWorkerOfATalkThatIsNamed() throws IOException {
        Web.Answer first = post(CHAT, chat("shell", false, "echo 42 > kept"), "x-session-id", "ses_1");
        Web.Answer second =
                post(CHAT, chat("shell", false, "echo 42 > kept", "", "cat kept; exit"), "x-session-id", "ses_1");
        assertEquals("42\n", content(second));
        assertEquals(spawnOf(first.json().text("id", "")), spawnOf(second.json().text("id", "")));
        Web.Answer other = post(CHAT, chat("shell", false, "ls"), "x-session-id", "ses_2");
        assertEquals("", content(other));
    }

    @Test
    void shouldTellANewWorkerAllOfTheTalk() throws IOException {
        assertTrue(content(post(CHAT, chat("mock", false, "What is 6 x 7?", "42", "And twice that?")))
                .contains("Our talk so far:\n\nUser: What is 6 x 7?\n\nYou: 42\n\nNow:\nAnd twice that?"));
    }

    @Test
    void shouldRefuseInTheFormOfTheApi() throws IOException {
        Web.Answer nobody = product.web().with("").post(CHAT, chat("shell", false, "id"));
        assertEquals(401, nobody.status());
        assertEquals("UNAUTHENTICATED", error(nobody).text("code"));
        Web.Answer unknown = post(CHAT, chat("gpt-9", true, "hi"));
        assertEquals(
                "UNKNOWN_AGENT",
                error(unknown).text("code"),
                () -> unknown.response().body());
        assertEquals("invalid_request_error", error(unknown).text("type"));
        assertEquals(
                "INVALID_FIELD",
                error(post(CHAT, "{\"model\":\"shell\",\"messages\":[]}")).text("code"));
        assertEquals("MALFORMED_JSON", error(post(CHAT, "{\"model\":")).text("code"));
        assertEquals(
                "INVALID_FIELD",
                error(post(CHAT, chat("shell", false, "id"), "brig-apply", "always"))
                        .text("code"));
        assertEquals(
                "INVALID_FIELD",
                error(post(CHAT, chat("shell", false, "id"), "x-session-id", "x".repeat(300)))
                        .text("code"));
        assertEquals(
                "WORKSPACE_OUTSIDE_BASE",
                error(post(CHAT, chat("shell", false, "id"), "brig-repository", "/etc"))
                        .text("code"));
    }

    @Test
    void shouldTellAFailureOfTheModelAsAnError() throws IOException {
        Web.Answer failed = post(CHAT, chat("mock", false, "#scenario:error:429"));
        assertEquals(429, failed.status(), () -> failed.response().body());
        assertEquals("MODEL_ERROR", error(failed).text("code"));
        assertEquals(400, post(CHAT, chat("mock", false, "#scenario:error:400")).status());
        assertEquals(
                502, post(CHAT, chat("mock", false, "#scenario:error:401")).status(), "it is not the client's key");
        JsonObject last =
                pieces(post(CHAT, chat("mock", true, "#scenario:error:429"))).getLast();
        assertEquals("MODEL_ERROR", last.object("error").text("code"));
    }

    /** Scenario: a client closes its request; one that is killed does the same. */
    @Test
    void shouldEndTheWorkerWhenItsClientGoesAway() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        HttpResponse<InputStream> answer = client.send(
                product.web()
                        .request(CHAT)
                        .header("x-session-id", "ses_gone")
                        .POST(HttpRequest.BodyPublishers.ofString(chat("shell", true, "echo begun; exec sleep 600")))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        byte[] begun = new byte[4096];
        StringBuilder seen = new StringBuilder();
        while (seen.indexOf("begun") < 0) {
            seen.append(new String(begun, 0, answer.body().read(begun), StandardCharsets.UTF_8));
        }
        String spawnId = seen.toString().replaceFirst("(?s).*?chatcmpl-(spn_[0-9a-z]{24})_.*", "$1");
        assertTrue(sessions().stream()
                .anyMatch(session -> session.text("spawn_id", "").equals(spawnId)));
        client.shutdownNow();
        answer.body().close();
        Await.until("its worker ends", () -> isOver(spawnId));
    }

    @Test
    void shouldAnswerAsAResponseAndGoOnFromIt() throws IOException {
        JsonObject first = post("/openai/v1/responses", "{\"model\":\"shell\",\"input\":\"echo 7 > kept; echo done\"}")
                .json();
        assertEquals("completed", first.text("status"), first::toString);
        assertEquals(
                "done\n",
                first.objects("output").getLast().objects("content").getFirst().text("text"));
        Web.Answer second = post(
                "/openai/v1/responses",
                "{\"model\":\"shell\",\"stream\":true,\"input\":\"cat kept\"," + "\"previous_response_id\":\""
                        + first.text("id") + "\"}");
        List<String> events = second.response()
                .body()
                .lines()
                .filter(line -> line.startsWith("event: "))
                .map(line -> line.substring(7))
                .toList();
        assertEquals(
                List.of(
                        "response.created",
                        "response.output_item.added",
                        "response.content_part.added",
                        "response.output_text.delta",
                        "response.output_text.done",
                        "response.content_part.done",
                        "response.output_item.done",
                        "response.completed"),
                events);
        assertTrue(second.response().body().contains("\"delta\":\"7\\n\""));
        assertEquals(
                "INVALID_FIELD",
                error(post(
                                "/openai/v1/responses",
                                "{\"model\":\"shell\",\"input\":\"x\",\"previous_response_id\":\"resp_of_another\"}"))
                        .text("code"));
    }

    /** A repository that belongs to the workers' user, with one commit of a file. */
    private static Path repository(String name) throws IOException {
        Path folder = Files.createDirectories(product.workspaces().resolve(name));
        Files.writeString(folder.resolve("a.txt"), "one\ntwo\nthree\n");
        String owner =
                Product.isRoot() ? "chown -R 59617:59617 . && setpriv --reuid 59617 --regid 59617 --clear-groups " : "";
        Run made = Run.of(
                List.of(
                        "sh",
                        "-ec",
                        "cd " + folder + " && " + owner + "env HOME=/nonexistent sh -ec "
                                + "'git init -q -b main . && git add . && git -c user.name=t -c user.email=t@t commit -qm one'"),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        return folder;
    }

    @Test
    void shouldBringChangesBackAsAPatchThatTheCaptainApplies() throws IOException {
        Path repository = repository("asked");
        Web.Answer answer = post(
                CHAT,
                chat("shell", false, "sed -i s/two/2/ a.txt; printf '\\0\\1' > bin; echo edited"),
                "brig-repository",
                repository.toString(),
                "x-session-id",
                "ses_ask");
        String said = content(answer);
        String spawnId = spawnOf(answer.json().text("id", ""));
        assertTrue(
                said.startsWith("edited\n") && said.contains("-two\n+2\n") && said.contains("brig apply " + spawnId),
                said);
        assertEquals("one\ntwo\nthree\n", Files.readString(repository.resolve("a.txt")), "the host is untouched");
        assertEquals(0, product.brig("apply", "--check", spawnId).exitCode());
        assertEquals("one\ntwo\nthree\n", Files.readString(repository.resolve("a.txt")), "looking changes nothing");
        Run applied = product.brig("apply", spawnId);
        assertEquals(0, applied.exitCode(), applied::err);
        assertEquals("one\n2\nthree\n", Files.readString(repository.resolve("a.txt")));
        assertEquals(2, Files.size(repository.resolve("bin")));
        assertTrue(product.brig("apply", spawnId).err().contains("has all of it already"));
        String again = content(post(
                CHAT,
                chat("shell", false, "x", "y", "sed -i s/three/3/ a.txt"),
                "brig-repository",
                repository.toString(),
                "x-session-id",
                "ses_ask"));
        assertTrue(again.contains("-three\n+3\n") && !again.contains("-two"), "only what is new: " + again);
    }

    @Test
    void shouldTakeChangesOverByItselfWhereThatIsAskedForAndTheyFit() throws IOException {
        Path repository = repository("auto");
        String said = content(post(
                CHAT,
                chat("shell", false, "sed -i s/two/2/ a.txt"),
                "brig-repository",
                repository.toString(),
                "brig-apply",
                "auto"));
        assertTrue(said.contains("Brig took these changes over into " + repository), said);
        assertEquals("one\n2\nthree\n", Files.readString(repository.resolve("a.txt")));
        assertEquals(
                "2\n",
                content(post(
                        CHAT,
                        chat("shell", false, "grep 2 a.txt"),
                        "brig-repository",
                        repository.toString(),
                        "x-session-id",
                        "ses_auto")),
                "what is not committed is there");
        Files.writeString(repository.resolve("a.txt"), "one\nmine\nthree\n");
        Web.Answer answer = post(
                CHAT,
                chat("shell", false, "grep 2 a.txt", "2", "sed -i s/2/zwei/ a.txt"),
                "brig-repository",
                repository.toString(),
                "x-session-id",
                "ses_auto",
                "brig-apply",
                "auto");
        String conflict = content(answer);
        assertTrue(
                conflict.contains(
                        "they conflict with what is there (patch failed: a.txt:1; a.txt: patch does not apply)"),
                conflict);
        assertEquals("one\nmine\nthree\n", Files.readString(repository.resolve("a.txt")));
        Run refused = product.brig("apply", spawnOf(answer.json().text("id", "")));
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("a.txt: patch does not apply"), refused::err);
    }

    /** The agent has its worktree for itself: what it makes there must not lead anywhere else. */
    @Test
    void shouldTakeOverNothingThatLeadsOutOfTheRepository() throws IOException {
        Path repository = repository("hostile");
        Path outside = Files.createDirectory(product.folder().resolve("outside"));
        Files.createSymbolicLink(repository.resolve("link"), outside);
        String said = content(post(
                CHAT,
                chat("shell", false, "mkdir link; echo x > link/planted; mkdir -p sub/.git; echo x > sub/.git/config"),
                "brig-repository",
                repository.toString(),
                "brig-apply",
                "auto"));
        assertTrue(said.contains("conflict") || said.contains("beyond a symbolic link"), said);
        assertFalse(Files.exists(outside.resolve("planted")));
        assertFalse(Files.exists(repository.resolve("sub/.git")));
    }

    @Test
    @Tag("slow")
    void shouldWorkWithTheOfficialClient() throws IOException {
        Path packages = Path.of(System.getProperty("brig.npm", ""));
        boolean there = Files.isDirectory(packages.resolve("openai")) && Files.isExecutable(Path.of("/usr/bin/node"));
        if (!there) {
            System.err.println(
                    "SKIPPED: OpenAI's own client is not tested, for there is no node in /usr/bin, or npm could not "
                            + "install it in " + packages);
        }
        assumeTrue(there);
        Path script = Path.of("src/e2e/resources/openai-client.mjs").toAbsolutePath();
        Run run = Run.of(
                List.of(
                        "env",
                        "BRIG_URL=" + product.url() + "/openai/v1",
                        "BRIG_TOKEN=" + product.adminToken(),
                        "OPENAI=" + packages.resolve("openai/index.mjs"),
                        "node",
                        script.toString()),
                "",
                product.folder());
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("15 checks passed\n", run.out());
    }
}
