package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.RealAgents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real agents write about themselves while a person is at their terminal, as their profiles are shipped. */
@Timeout(240)
@Order(9)
@Tag("slow")
class RealTranscriptsTest {
    private static ScriptedModel model;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        if (ScriptedModel.isHere()) {
            model = new ScriptedModel();
            product = FarAgents.prepare();
            product.with("NODE_PATH=" + RealAgents.places()).serve();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            model.close();
        }
    }

    /**
     * @param option the model, where the agent has no own choice
     * @param ready what its first screen has
     * @param scenario has the model start a sub-agent, which runs a command
     */
    @ParameterizedTest
    @CsvSource({
        "claude, '', ❯, subagent-fg, Bash",
        "codex, --model=scripted, /model, subagent, exec_command",
        "opencode, '', ctrl+p commands, subagent, bash"
    })
    void shouldTellWhatAnAgentDoesBesideItsTerminal(
            String agent, String option, String ready, String scenario, String tool) throws IOException {
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        String id = "told-" + agent;
        List<String> run = new ArrayList<>(List.of("run", "--tty", "--task-id", id));
        if (!option.isEmpty()) {
            run.add(option);
        }
        run.add(agent);
        try (PersonTerminal person = PersonTerminal.open(100, 30, product.command(run.toArray(String[]::new)))) {
            person.awaitText(ready);
            person.type("#scenario:" + scenario);
            person.awaitText("#scenario:" + scenario);
            person.type("\r");
            // OpenCode asks about the sub-agent's command; the first choice is to allow it. For Claude Code it only
            // prints.
            if (agent.equals("opencode")) {
                Await.until("it waits", () -> activity(id).equals("waiting"));
                person.awaitText("from-child-A");
                person.type("\r");
            }
            person.awaitText("The sub-agent reported back.");
            Await.until("its tree has a sub-agent that ended", () -> tree(id).contains("\"completed\":1"));
            Await.until("its turn is over", () -> activity(id).equals("idle"));
            String frames = frames(id);
            assertTrue(frames.contains("\"type\":\"message\"") && frames.contains("#scenario:" + scenario), frames);
            assertTrue(frames.contains("\"name\":\"" + tool + "\"") && frames.contains("from-child-A"), frames);
            assertTrue(frames.contains("\"stream\":\"text\",\"content\":\"The sub-agent reported back.\""), frames);
            assertTrue(frames.contains("\"input_tokens\""), frames);
            assertEquals(
                    1,
                    frames.lines()
                            .filter(line -> line.contains("\"type\":\"message\""))
                            .count(),
                    frames);
            assertFalse(frames.contains("\"type\":\"done\""), frames);
        }
        assertEquals(0, product.brig("terminate", id).exitCode());
    }

    private static String tree(String id) throws IOException {
        return product.brig("tree", "--json", id).out();
    }

    private static String activity(String id) throws IOException {
        return tree(id).replaceAll("(?s).*?\"activity\":\"([a-z]+)\".*", "$1");
    }

    private static String frames(String id) throws IOException {
        return product.brig("logs", "--json", id)
                .out()
                .lines()
                .filter(line -> !line.contains("\"stream\":\"tty\"") && !line.contains("\"source\":\"egress\""))
                .reduce("", (all, line) -> all + line + "\n");
    }
}
