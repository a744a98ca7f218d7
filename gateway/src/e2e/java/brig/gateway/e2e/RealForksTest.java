package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real agents go on with a copy of their own conversation in a fork. */
@Timeout(240)
@Tag("slow")
class RealForksTest {
    private static Path log;
    private static ScriptedModel model;
    private static Product product;
    private static Path repository;

    @BeforeAll
    static void start() throws IOException {
        if (ScriptedModel.isHere()) {
            product = FarAgents.prepare();
            log = product.folder().resolve("model.log");
            model = new ScriptedModel(log);
            product.with("NODE_PATH=" + RealAgents.places()).serve();
            repository = Files.createDirectories(product.workspaces().resolve("shop"));
            Run made = Run.of(
                    List.of(
                            "sh",
                            "-ec",
                            "cd " + repository + " && git init -q . && echo one > a.txt && git add . && "
                                    + "git -c user.name=t -c user.email=t@example.org commit -qm first"
                                    + (Product.isRoot() ? " && chown -R 59617:59617 ." : "")),
                    "",
                    product.folder());
            assertEquals(0, made.exitCode(), made::err);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            model.close();
        }
    }

    private static List<JsonObject> frames(String id, String type) throws IOException {
        return product.brig("logs", "--json", id)
                .out()
                .lines()
                .map(line -> JsonObject.read(line.getBytes(StandardCharsets.UTF_8)))
                .filter(frame -> frame.text("type", "").equals(type))
                .toList();
    }

    private static JsonObject frame(String id, String type) throws IOException {
        return frames(id, type).getFirst();
    }

    private static void fork(String id, String name, String message, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("fork", id, "--task-id", name));
        words.addAll(List.of(more));
        words.addAll(List.of("--", message));
        Run run = product.brig(words.toArray(String[]::new));
        assertEquals(0, run.exitCode(), run::err);
        awaitTurn(name);
    }

    private static void awaitTurn(String id) throws IOException {
        Await.until("the turn of " + id + " is over", () -> !frames(id, "done").isEmpty());
    }

    /** What the model was asked with that message. */
    private static List<String> asked(String message) throws IOException {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(message)).toList();
        }
    }

    /** The file in which the agent keeps that session, or by which Brig knows that it does. */
    private static Path file(String session) throws IOException {
        try (Stream<Path> files = Files.walk(product.workspaces().resolve(".brig-homes"))) {
            return files.filter(file -> file.getFileName().toString().matches(".*" + session + "(\\.jsonl)?"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Says that in a session that had one turn. */
    private static void say(String id, String message) throws IOException {
        try (Wire captain = product.dial()) {
            captain.sendLine("{\"action\":\"attach\",\"id\":\"" + id + "\",\"role\":\"captain\"}")
                    .sendLine(Spawned.user(message));
            Await.until(
                    "the turn of " + id + " is over", () -> frames(id, "done").size() == 2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldGoOnWithACopyOfTheConversation(String agent) throws IOException {
        assumeTrue(ScriptedModel.isHere(), "no node");
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        String first = "first-" + agent;
        List<String> words = new ArrayList<>(List.of("spawn", "--task-id", first, "-r", repository.toString()));
        words.addAll(agent.equals("codex") ? List.of("--model=scripted", agent) : List.of(agent));
        words.addAll(List.of("--", "remember PINEAPPLE-" + agent + " #scenario:text:3"));
        Run run = product.brig(words.toArray(String[]::new));
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        awaitTurn(first);
        String session = frame(first, "session").text("session_id");
        Path own = file(session);
        byte[] before = Files.readAllBytes(own);

        fork(first, "copy-" + agent, "and go on, " + agent + " #scenario:text:2");
        JsonObject forked = frame("copy-" + agent, "forked");
        assertEquals("agent", forked.text("conversation"), forked::toString);
        assertEquals("", forked.text("summary", ""));
        List<String> told = asked("and go on, " + agent);
        assertTrue(
                told.stream().anyMatch(line -> line.contains("PINEAPPLE-" + agent) && line.contains("tok0 tok1 tok2")),
                told::toString);
        assertFalse(told.toString().contains("This session is a fork"), told::toString);
        assertNotEquals(session, frame("copy-" + agent, "session").text("session_id"));
        assertArrayEquals(before, Files.readAllBytes(own), "the other session keeps its conversation as it was");

        fork("copy-" + agent, "again-" + agent, "once more, " + agent + " #scenario:text:2");
        assertEquals("agent", frame("again-" + agent, "forked").text("conversation"));
        assertTrue(asked("once more, " + agent).stream().anyMatch(line -> line.contains("PINEAPPLE-" + agent)));

        fork(first, "early-" + agent, "from the beginning, " + agent + " #scenario:text:2", "--at", "0");
        assertEquals("none", frame("early-" + agent, "forked").text("conversation"), "nothing had happened yet");
        assertFalse(asked("from the beginning, " + agent).toString().contains("PINEAPPLE"));

        say(first, "only here, " + agent + " #scenario:text:2");
        List<String> here = asked("only here, " + agent);
        assertTrue(here.stream().anyMatch(line -> line.contains("PINEAPPLE-" + agent)), here::toString);
        assertFalse(here.toString().contains("and go on, " + agent), "it knows nothing of what its copies were told");
        for (String id : List.of(first, "copy-" + agent, "again-" + agent, "early-" + agent)) {
            assertEquals(0, product.brig("terminate", id).exitCode());
        }
    }
}
