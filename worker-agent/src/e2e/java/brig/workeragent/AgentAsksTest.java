package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import brig.workeragent.TestGateway.Frame;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real programs and their sub-agents ask waits for a person, and no way of its end makes them hang. */
@Timeout(120)
@Order(1)
class AgentAsksTest {
    private static final long WAIT_MS = 5000;
    private static final String RAN = "ran-42";
    private static final String RUN = "#scenario:shell:touch file; echo ran-$((6 * 7))";
    private AgentFixture fixture;

    private Walled open(String agent) throws IOException {
        fixture = RealAgents.open(agent, Map.of("permissions", "ask", "asks", Map.of("waitMs", WAIT_MS)));
        return new Walled(fixture, agent, Map.of());
    }

    @AfterEach
    void close() throws IOException {
        if (fixture != null) {
            fixture.close();
        }
    }

    /** Sends that message and waits for what is asked then. OpenCode asks also whether it may delegate. */
    private Frame ask(Walled worker, String content) throws IOException {
        worker.seen.clear();
        worker.say(content);
        Frame asked = nextAsk(worker);
        if (asked.text("title").equals("task")) {
            answer(worker, asked, "option", "allow");
            return nextAsk(worker);
        }
        return asked;
    }

    private static Frame nextAsk(Walled worker) throws IOException {
        return worker.until(frame -> {
            assertNotEquals(FrameType.DONE, frame.type(), () -> "nothing was asked: " + worker.seen);
            return frame.type() == FrameType.ASK;
        });
    }

    private Map<String, Object> answer(Walled worker, Frame ask, String field, String value) throws IOException {
        try (TestGateway control = fixture.control()) {
            return control.ask(new String(
                    Json.write(Map.of(
                            "id",
                            1,
                            "op",
                            "answer",
                            "spawn_id",
                            worker.id(),
                            "ask_id",
                            ask.text("ask_id"),
                            field,
                            value,
                            "by",
                            "tests",
                            "via",
                            "unix")),
                    UTF_8));
        }
    }

    private static String delegated(String agent, String scenario) {
        String type = agent.equals("claude") ? "general-purpose" : "general";
        return "#scenario:delegate:" + type + ":" + scenario.substring("#scenario:".length());
    }

    private static boolean ran(Walled worker) {
        return worker.seen.stream().anyMatch(frame -> frame.text("output").contains(RAN));
    }

    @ParameterizedTest
    @CsvSource({"claude, false", "claude, true", "codex, false", "codex, true", "opencode, false", "opencode, true"})
    void shouldGoOnHoweverAnAskEnds(String agent, boolean child) throws Exception {
        String prompt = child ? delegated(agent, RUN) : RUN;
        try (Walled worker = open(agent)) {
            Frame allowed = ask(worker, prompt);
            assertEquals(child, worker.subAgents().containsKey(allowed.text("agent")), allowed::toString);
            assertTrue(allowed.text("detail").contains("touch file"), allowed::toString);
            assertTrue(answer(worker, allowed, "option", "allow").containsKey("ok"));
            Map<String, Object> late = answer(worker, allowed, "option", "deny");
            assertTrue(late.toString().contains("ASK_SETTLED"), late::toString);
            worker.untilDone();
            assertTrue(ran(worker), () -> "it was allowed: " + worker.seen);

            answer(worker, ask(worker, prompt), "option", "deny");
            worker.untilDone();
            assertTrue(!ran(worker), () -> "it was denied: " + worker.seen);

            ask(worker, prompt);
            Frame nobody = worker.until(frame -> frame.type() == FrameType.ANSWERED);
            assertEquals("deadline", nobody.text("reason"));
            worker.untilDone();
            assertTrue(!ran(worker), () -> "nobody answered: " + worker.seen);

            ask(worker, prompt);
            worker.cancel();
            Frame cancelled = worker.until(frame -> frame.type() == FrameType.ANSWERED);
            assertEquals("ended", cancelled.text("reason"));
            assertEquals("cancelled", worker.untilDone().text("reason"));
            assertTrue(!ran(worker), () -> "it was cancelled: " + worker.seen);

            worker.seen.clear();
            worker.say("#scenario:text:3");
            assertEquals("0", worker.untilDone().text("exit_code"));
            assertTrue(worker.said(null).contains("tok2"), worker.said(null));
        }
    }

    private static String question(String agent) {
        Map<String, Object> asked = Map.of(
                "id", "colour",
                "header", "Colour",
                "question", "Which colour?",
                "multiSelect", false,
                "options",
                        List.of(
                                Map.of("label", "Red", "description", "warm"),
                                Map.of("label", "Blue", "description", "cold")));
        String tool = switch (agent) {
            case "claude" -> "AskUserQuestion";
            case "codex" -> "request_user_input";
            default -> "question";
        };
        byte[] call = Json.write(Map.of("name", tool, "input", Map.of("questions", List.of(asked))));
        return "#scenario:calls:" + Base64.getUrlEncoder().withoutPadding().encodeToString(call);
    }

    /** Sub-agents of Claude Code and of Codex have no tool to ask with. */
    @ParameterizedTest
    @CsvSource({"claude, false", "codex, false", "opencode, false", "opencode, true"})
    void shouldPutItsQuestionsToAPerson(String agent, boolean child) throws Exception {
        String prompt = child ? delegated(agent, question(agent)) : question(agent);
        try (Walled worker = open(agent)) {
            Frame chosen = ask(worker, prompt);
            assertEquals("question", chosen.text("kind"));
            assertEquals("Which colour?", chosen.text("title"));
            assertEquals(child, worker.subAgents().containsKey(chosen.text("agent")), chosen::toString);
            answer(worker, chosen, "option", "2");
            worker.untilDone();
            assertTrue(heard(worker, "Blue"), "the model hears the choice");

            answer(worker, ask(worker, prompt), "text", "Turquoise");
            worker.untilDone();
            assertTrue(heard(worker, "Turquoise"), "the model hears other words");

            ask(worker, prompt);
            Frame nobody = worker.until(frame -> frame.type() == FrameType.ANSWERED);
            assertEquals("deadline", nobody.text("reason"));
            assertEquals("decline", nobody.text("option"));
            worker.untilDone();
        }
    }

    /** Whether a result of a tool with that word was sent to the model. */
    private boolean heard(Walled worker, String word) throws IOException {
        return RealAgents.asked(fixture, worker).stream()
                .map(body -> body.has("input") ? body.path("input") : body.path("messages"))
                .map(turns -> turns.path(turns.size() - 1).toString())
                .anyMatch(last -> last.contains(word) && !last.contains("scenario"));
    }
}
