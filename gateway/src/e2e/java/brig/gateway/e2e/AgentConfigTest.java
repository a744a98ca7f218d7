package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a captain wants an agent to be, by every way in; the mock agent says what it was told. */
@Timeout(90)
class AgentConfigTest {
    private static final String WISHES =
            "\"model\":\"vendor/m:1\",\"tools\":[\"read\",\"Bash\"],\"system_prompt\":\"Be strict.\"";
    private static final String TOLD = "Asked for {model=vendor/m:1, system=Be strict., tools=Read,Bash}";

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of(
                "worker",
                Map.of(
                        "defaultAgent",
                        "mock",
                        "agentNames",
                        Map.of("runner", "shell"),
                        "agentModels",
                        Map.of("mock", "usual"))));
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static String request(String name, String more) {
        return "{\"agent_config\":{\"name\":\"" + name + "\"" + more + "},\"prompt\":\"#scenario:asked\",\"once\":true";
    }

    private static String said(Spawned spawned) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Wire reader = spawned.attach("watcher")) {
            new Frames().readAll(reader).ofType("chunk").forEach(frame -> text.append(frame.text("content", "")));
        }
        return text.toString();
    }

    /** Scenario: a classic client asks for a sub-agent of its own, by the name that it has for it, in the folder that it chose. */
    @Test
    void shouldRunAnyNameAsTheDefaultAgentAndTellItWhatTheCaptainWants() throws IOException {
        Spawned classic = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"code-reviewer-1\",\"workspace\":\""
                        + product.workspaces().resolve("code-reviewer-1") + "\","
                        + request("code-reviewer", "," + WISHES).substring(1) + "}"));
        assertEquals(TOLD, said(classic));
        assertEquals("code-reviewer", classic.view().text("agent"), "the captain's own name for it");
        Spawned web = new Spawned(
                product,
                product.web()
                        .post("/api/v1/spawns?wait=30s", request("mock", "," + WISHES) + "}")
                        .json());
        assertEquals(TOLD, said(web));
        Run run = product.brig(
                "run",
                "mock",
                "--model",
                "vendor/m:1",
                "--tools",
                "read,bash",
                "--system-prompt",
                "Be strict.",
                "--",
                "#scenario:asked");
        assertEquals(TOLD, run.out(), run::err);
        assertEquals(
                "Asked for {model=usual}",
                said(new Spawned(
                        product,
                        product.ask(
                                "{\"action\":\"spawn\"," + request("mock", "").substring(1) + "}"))));
    }

    @Test
    void shouldRefuseByNameWhatTheAgentCannotBeToldBeforeAnythingStarts() throws IOException {
        for (String[] refused : List.of(
                new String[] {"runner", "\"model\":\"m\"", "model"},
                new String[] {"runner", "\"system_prompt\":\"s\"", "system_prompt"},
                new String[] {"runner", "\"tools\":[\"read\"]", "tools"},
                new String[] {"mock", "\"tools\":[\"fly\"]", "tools"},
                new String[] {"mock", "\"model\":\"--evil\"", "model"})) {
            Web.Answer answer = product.web().post("/api/v1/spawns", request(refused[0], "," + refused[1]) + "}");
            assertEquals("400 INVALID_FIELD", answer.status() + " " + answer.code());
            assertTrue(
                    answer.json().text("detail", "").startsWith("field '" + refused[2] + "'"), answer.response()::body);
            JsonObject line = product.ask("{\"action\":\"spawn\","
                    + request(refused[0], "," + refused[1]).substring(1) + "}");
            assertEquals("INVALID_FIELD", line.text("code"));
        }
        assertTrue(
                product.web()
                        .get("/api/v1/spawns?agent=runner")
                        .json()
                        .objects("spawns")
                        .isEmpty(),
                "nothing was begun");
    }

    @Test
    void shouldEndTheLineWhereAPersonReadsTheAnswer() throws IOException {
        String shown = Pty.run(product.command("run", "mock", "--", "#scenario:text:3"));
        assertTrue(shown.contains("tok0 tok1 tok2\n"), shown);
        assertEquals(
                "tok0 tok1 tok2",
                product.brig("run", "mock", "--", "#scenario:text:3").out(),
                "a program gets it as it is");
    }

    /** The program asks something in between: when it has the answer, what it said before is in the stream. */
    private static final String DUMPER = """
            {"description": "Writes about itself", "adapter": "claude", "process": "spawn", "stdin": "lines", "command": ["/bin/sh", "-c",
            "read m; echo '{\\"type\\":\\"system\\",\\"subtype\\":\\"init\\",\\"session_id\\":\\"x\\"}'; \
            echo '{\\"type\\":\\"control_request\\",\\"request_id\\":\\"1\\",\\"request\\":{\\"subtype\\":\\"can_use_tool\\"}}'; read a; \
            echo 'Error handling request { dump' >&2; echo '{\\"type\\":\\"result\\",\\"is_error\\":true,\\"result\\":\\"gave up\\"}'"]}
            """;

    @Test
    void shouldKeepWhatTheAgentsProgramWritesAboutItselfForTheLog() throws IOException {
        Files.writeString(product.agents().resolve("dumper.json"), DUMPER);
        Run run = product.brig("run", "--task-id", "dump", "dumper", "--", "hello");
        assertEquals(1, run.exitCode(), run::toString);
        assertTrue(run.err().contains("gave up") && run.err().contains("brig logs spn_"), run::err);
        assertFalse(run.err().contains("Error handling"), run::err);
        assertTrue(product.brig("logs", "dump").err().contains("Error handling request { dump"));
    }

    @Test
    void shouldNameTheSettingThatAllowsAFolderOrAName() throws IOException {
        JsonObject outside = product.ask("{\"action\":\"spawn\",\"workspace\":\"/mnt/agents/x-1\","
                + request("mock", "").substring(1) + "}");
        assertEquals("WORKSPACE_OUTSIDE_BASE", outside.text("code"));
        assertTrue(outside.text("error", "").contains("worker.workspaceBases"), outside::toString);
        try (Product strict = Product.start()) {
            JsonObject unknown = strict.ask(
                    "{\"action\":\"spawn\"," + request("code-reviewer", "").substring(1) + "}");
            assertEquals("UNKNOWN_AGENT", unknown.text("code"));
            assertTrue(unknown.text("error", "").contains("worker.defaultAgent"), unknown::toString);
        }
    }
}
