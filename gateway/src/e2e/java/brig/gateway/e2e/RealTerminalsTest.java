package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The terminal programs of the real agents, as their profiles are shipped, in front of two people. */
@Timeout(240)
@Order(9)
@Tag("slow")
class RealTerminalsTest {
    private static final String DETACH = "\u0010\u0011";
    private static final long PRESSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

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
     */
    @ParameterizedTest
    @CsvSource({"claude, '', ❯", "codex, --model=scripted, /model", "opencode, '', ctrl+p commands"})
    void shouldAnswerAPersonAndShowTheSameToAnother(String agent, String option, String ready) throws IOException {
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        List<String> run = new ArrayList<>(List.of("run", "--tty", "--task-id", "tty-" + agent));
        if (!option.isEmpty()) {
            run.add(option);
        }
        run.add(agent);
        try (PersonTerminal one = open(run.toArray(String[]::new))) {
            one.awaitText(ready);
            one.type("#scenario:text:3");
            one.awaitText("#scenario:text:3");
            one.type("\r");
            one.awaitText("tok0 tok1 tok2");
            try (PersonTerminal other = open("attach", "--tty", "tty-" + agent)) {
                other.awaitText("tok0 tok1 tok2");
                other.awaitSameAs(one);
                other.type(DETACH);
                assertEquals(0, other.awaitEnd());
            }
            one.type(DETACH);
            assertEquals(0, one.awaitEnd());
            assertTrue(one.output().contains("detached; the session goes on"), one::output);
        }
        assertEquals(0, product.brig("terminate", "tty-" + agent).exitCode());
    }

    /**
     * @param ready what its first screen has
     * @param asked what it asks
     */
    @ParameterizedTest
    @CsvSource({"claude, ❯, Do you want to proceed?", "opencode, ctrl+p commands, Permission required"})
    void shouldAskThePersonBeforeItRunsACommand(String agent, String ready, String asked) throws IOException {
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        String id = "asks-" + agent;
        try (PersonTerminal one = open("run", "--tty", "--task-id", id, agent)) {
            one.awaitText(ready);
            one.type(FarAgents.calls(List.of(FarAgents.command(agent, "touch made-by-it"))));
            one.awaitText("#scenario:calls:");
            one.type("\r");
            one.awaitText(asked);
            Path made = product.workspaces().resolve(id).resolve("made-by-it");
            assertFalse(Files.exists(made), one::screen);
            // The question may be drawn before the agent takes keys for it: a person presses again.
            long[] pressedAt = {System.nanoTime()};
            one.type("\r");
            Await.until("the command ran", one::screen, () -> {
                if (System.nanoTime() - pressedAt[0] > PRESSED_AGAIN_NANOS && one.shows(asked)) {
                    one.type("\r");
                    pressedAt[0] = System.nanoTime();
                }
                return Files.exists(made);
            });
        }
        assertEquals(0, product.brig("terminate", id).exitCode());
    }

    private static PersonTerminal open(String... arguments) throws IOException {
        return PersonTerminal.open(100, 30, product.command(arguments));
    }
}
