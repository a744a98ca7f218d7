package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import brig.workeragent.TestGateway.Frame;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the real programs and their sub-agents ask waits for a person, and no way of its end makes them hang. One process
 * of each program goes through all ways. {@link AskReport} has the table of them.
 */
@Timeout(240)
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class AgentAsksTest {
    private static final long WAIT_MS = 4000;
    private static final String RAN = "ran-42";
    private static final String RUN = "shell:touch file; echo ran-$((6 * 7))";
    /** Turns with the result of a tool, by role, or by type where they have none. */
    private static final Set<String> RESULTS = Set.of("user", "tool", "function_call_output");

    private static final AskReport REPORT = new AskReport();

    @AfterAll
    static void report() throws IOException {
        REPORT.write();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode", RealAgents.CLAUDE_ACP})
    void shouldGoOnHoweverAnAskEnds(String agent) throws Exception {
        Map<String, ?> profile = Map.of("permissions", "ask", "asks", Map.of("waitMs", WAIT_MS));
        try (AgentFixture fixture = RealAgents.open(agent, profile);
                Walled worker = new Walled(fixture, agent, Map.of())) {
            for (boolean child : List.of(false, true)) {
                Asker asker = new Asker(fixture, worker, agent, child);
                asker.asksForATool();
                asker.putsAQuestion();
                asker.takesBack();
                asker.isCancelled();
            }
            worker.seen.clear();
            worker.say("#scenario:text:3");
            assertEquals("0", worker.untilDone().text("exit_code"));
            assertTrue(worker.said(null).contains("tok2"), worker.said(null));
        }
    }

    /** A program, or a sub-agent of it. */
    private record Asker(AgentFixture fixture, Walled worker, String agent, boolean child) {
        void asksForATool() throws IOException {
            long start = System.nanoTime();
            Frame allowed = ask(RUN);
            assertTrue(allowed.text("detail").contains("touch file"), allowed::toString);
            answer(allowed, "option", "allow");
            Map<String, Object> late = tryAnswer(allowed, "option", "deny");
            assertTrue(late.toString().contains("ASK_SETTLED"), late::toString);
            worker.untilDone();
            assertTrue(ran(), () -> "it was allowed: " + worker.seen);
            told("answered", "allowed, the tool ran", start);
            told("late", "ASK_SETTLED, the first answer counts", start);

            start = System.nanoTime();
            answer(ask(RUN), "option", "deny");
            worker.untilDone();
            assertFalse(ran(), () -> "it was denied: " + worker.seen);
            told("denied", "the tool did not run", start);

            start = System.nanoTime();
            ask(RUN);
            assertEquals("deadline", nextEnd().text("reason"));
            worker.untilDone();
            assertFalse(ran(), () -> "nobody answered: " + worker.seen);
            told("nobody there", "denied at the deadline", start);
        }

        void putsAQuestion() throws IOException {
            if (agent.equals(RealAgents.CLAUDE_ACP)) {
                return;
            }
            if (child && !agent.equals("opencode")) {
                refusesTheQuestion();
                return;
            }
            long start = System.nanoTime();
            Frame chosen = ask(question(agent));
            assertEquals("question", chosen.text("kind"));
            assertEquals("Which colour?", chosen.text("title"));
            answer(chosen, "option", "2");
            worker.untilDone();
            hears("Blue");
            told("question, answered", "the model has the answer", start);

            answer(ask(question(agent)), "text", "Turquoise");
            worker.untilDone();
            hears("Turquoise");

            start = System.nanoTime();
            ask(question(agent));
            Frame nobody = nextEnd();
            assertEquals("deadline", nobody.text("reason"));
            assertEquals("decline", nobody.text("option"));
            worker.untilDone();
            told("question, nobody there", "declined at the deadline", start);
        }

        /** Claude Code has no such tool in sub-agents, and Codex refuses it there: nobody is asked. */
        private void refusesTheQuestion() throws IOException {
            long start = System.nanoTime();
            say(question(agent));
            worker.untilDone();
            assertEquals(List.of(), worker.all(FrameType.ASK));
            told("question", "refused by the program: not in sub-agents", start);
        }

        /**
         * Claude Code and Codex take an ask back when its sub-agent is stopped, OpenCode when another one of the step is
         * denied. For themselves the former two never did: neither when the other call of a step failed or was denied, nor
         * when another message came.
         */
        void takesBack() throws IOException {
            if (!agent.equals("opencode") && !child) {
                told("withdrawn", "the program does not withdraw", System.nanoTime());
                return;
            }
            long start = System.nanoTime();
            if (agent.equals("opencode")) {
                answer(ask("shells"), "option", "deny");
            } else {
                worker.seen.clear();
                worker.say("#scenario:stop:" + RUN);
                nextAsk();
            }
            worker.untilDone();
            assertFalse(ran(), () -> "it was withdrawn: " + worker.seen);
            List<Frame> ends = worker.all(FrameType.ANSWERED);
            assertEquals(ids(worker.all(FrameType.ASK)), ids(ends), "no ask is left");
            // OpenCode may not come to ask for the second call.
            List<String> reasons = ends.stream().map(end -> end.text("reason")).toList();
            assertTrue(
                    Set.of(List.of("withdrawn"), List.of("person"), List.of("person", "withdrawn"))
                            .contains(reasons),
                    reasons::toString);
            assertEquals(agent.equals("opencode"), reasons.contains("person"));
            told("withdrawn", "settled, no ask is left", start);
        }

        void isCancelled() throws IOException {
            long start = System.nanoTime();
            ask(RUN);
            worker.cancel();
            assertEquals("ended", nextEnd().text("reason"));
            assertEquals("cancelled", worker.untilDone().text("reason"));
            assertFalse(ran(), () -> "it was cancelled: " + worker.seen);
            told("cancelled", "the turn ended", start);
        }

        private void told(String what, String outcome, long start) {
            REPORT.add(agent, child, what, outcome, (System.nanoTime() - start) / 1_000_000);
        }

        private void say(String scenario) throws IOException {
            worker.seen.clear();
            worker.say(RealAgents.prompt(agent, child, scenario));
        }

        private Frame ask(String scenario) throws IOException {
            say(scenario);
            return nextAsk();
        }

        /** ACP does not say which sub-agent asks. */
        private Frame nextAsk() throws IOException {
            Frame asked = worker.until(frame -> {
                assertNotEquals(FrameType.DONE, frame.type(), () -> "nothing was asked: " + worker.seen);
                return frame.type() == FrameType.ASK;
            });
            boolean named = worker.subAgents().containsKey(asked.text("agent"));
            assertEquals(child && !agent.equals(RealAgents.CLAUDE_ACP), named, asked::toString);
            return asked;
        }

        private Frame nextEnd() throws IOException {
            return worker.until(frame -> frame.type() == FrameType.ANSWERED);
        }

        private void answer(Frame ask, String field, String value) throws IOException {
            Map<String, Object> taken = tryAnswer(ask, field, value);
            assertTrue(taken.containsKey("ok"), () -> "the answer came too late: " + taken);
        }

        private Map<String, Object> tryAnswer(Frame ask, String field, String value) throws IOException {
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

        private static Set<String> ids(List<Frame> frames) {
            return frames.stream().map(frame -> frame.text("ask_id")).collect(Collectors.toSet());
        }

        private boolean ran() {
            return worker.seen.stream().anyMatch(frame -> frame.text("output").contains(RAN));
        }

        /** A result of a tool with that word was sent to the model; reminders of the program may follow it. */
        private void hears(String word) throws IOException {
            List<String> results = RealAgents.asked(fixture, worker).stream()
                    .map(body -> body.has("input") ? body.path("input") : body.path("messages"))
                    .flatMap(turns -> StreamSupport.stream(turns.spliterator(), false))
                    .filter(turn -> RESULTS.contains(
                            turn.path("role").asText(turn.path("type").asText())))
                    .map(JsonNode::toString)
                    .toList();
            assertTrue(
                    results.stream().anyMatch(turn -> turn.contains(word)),
                    () -> "the model did not hear " + word + ": " + results + ", the frames are " + worker.seen);
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
        return "calls:" + Base64.getUrlEncoder().withoutPadding().encodeToString(call);
    }
}
