package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

/** Scenarios that ask for permission. Their answers are there before they ask, so that nothing waits. */
class MockScenariosTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final MockScenarios scenarios = new MockScenarios(new MockOutput(out));

    private void shouldWrite(String piece) {
        String all = out.toString(UTF_8);
        assertTrue(all.contains(piece), all);
    }

    @Test
    void shouldReportItsAnswersInTheOrderOfItsRequests() throws Exception {
        scenarios.handleAnswer("permission-toolu_2", "allow");
        scenarios.handleAnswer("permission-toolu_1", "deny");
        scenarios.run("#scenario:ask:2:printf 'a\\tb:c\\n'");
        shouldWrite("{\"command\":\"printf 'a\\tb:c\\n'\"}");
        shouldWrite("\"text\":\"Answers: deny, allow\"");
    }

    @Test
    void shouldAskInASubAgent() throws Exception {
        scenarios.handleAnswer("permission-toolu_1", "allow");
        scenarios.run("#scenario:ask-child:ls");
        shouldWrite("\"input\":{\"command\":\"ls\"},\"agent_id\":\"agentA\"");
        shouldWrite("\"text\":\"Answers: allow\"");
    }

    @Test
    void shouldWithdrawARequest() throws Exception {
        scenarios.run("#scenario:ask-withdrawn:0");
        shouldWrite("{\"type\":\"control_cancel_request\",\"request_id\":\"permission-toolu_1\"}");
    }
}
