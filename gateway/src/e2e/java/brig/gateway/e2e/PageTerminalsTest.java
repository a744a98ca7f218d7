package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.RealAgents;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The terminal programs of the real agents in Chromium, beside a person at a terminal. */
@Timeout(300)
@Order(9)
@Tag("slow")
class PageTerminalsTest {
    private static final String DETACH = "\u0010\u0011";
    private static final String ANSWER = "tok0 tok1 tok2";

    private static Chromium chromium;
    private static ScriptedModel model;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        if (ScriptedModel.isHere()) {
            model = new ScriptedModel();
            product = FarAgents.prepare();
            product.with("NODE_PATH=" + RealAgents.places()).serve();
            product.keepPort();
        }
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            model.close();
        }
        if (chromium != null) {
            chromium.close();
        }
    }

    /**
     * Scenario: one person on the page, one at a terminal. The page's window changes its size, the terminal detaches, the gateway is
     * killed: the page comes back to what everybody sees who comes now.
     *
     * @param option the model, where the agent has no own choice
     * @param ready what its first screen has
     */
    @ParameterizedTest
    @CsvSource({"claude, '', ❯", "codex, scripted, /model", "opencode, '', ctrl+p commands"})
    void shouldShowEachCellThroughChangesOfSizeAndTheGatewaysDeath(String agent, String option, String ready)
            throws IOException {
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        Spawned spawned = spawn(agent, option);
        PageTerminal page = PageTerminal.open(chromium, spawned, Chromium.screen(1360, 820));
        try (Page tab = page.page()) {
            page.awaitText(ready);
            TerminalCells first = TerminalCells.awaitSame(
                    page, spawned, cells -> !cells.size().equals("80x24"));
            String[] size = first.size().split("x", -1);
            try (PersonTerminal other = PersonTerminal.open(
                    Integer.parseInt(size[0]),
                    Integer.parseInt(size[1]),
                    product.command("attach", "--tty", spawned.id()))) {
                other.awaitText(ready);
                ask(page, "#scenario:text:3");
                page.awaitText(ANSWER);
                other.awaitText(ANSWER);
                TerminalCells.awaitSame(page, spawned, cells -> true);
                Await.until("both people see the same", () -> other.screen().equals(screen(page)));
                Chromium.shoot(tab, "tty-" + agent);
                tab.setViewportSize(1040, 640);
                TerminalCells.awaitSame(page, spawned, cells -> !cells.size().equals(first.size()));
                Chromium.shoot(tab, "tty-" + agent + "-smaller");
                other.type(DETACH);
                assertEquals(0, other.awaitEnd());
            }
            product.kill();
            assertThat(tab.locator(".tty > p")).containsText("There is no connection");
            product.serve();
            ask(page, "#scenario:text:5");
            page.awaitText(ANSWER + " tok3 tok4");
            TerminalCells.awaitSame(page, spawned, cells -> true);
            Chromium.shoot(tab, "tty-" + agent + "-again");
            tab.reload();
            page.awaitText(ANSWER + " tok3 tok4");
            TerminalCells.awaitSame(page, spawned, cells -> true);
        }
        assertEquals(0, product.brig("terminate", spawned.id()).exitCode());
    }

    private static Spawned spawn(String agent, String option) throws IOException {
        String with = option.isEmpty() ? "" : ",\"model\":\"" + option + "\"";
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"page-" + agent
                        + "\",\"tty\":true,\"agent_config\":{\"name\":\"" + agent + "\"" + with + "}}"));
    }

    private static String screen(PageTerminal page) {
        TerminalCells cells = page.cells();
        List<String> rows = cells.alternate().isEmpty() ? cells.main() : cells.alternate();
        int height = Integer.parseInt(cells.size().split("x", -1)[1]);
        return String.join("\n", rows.subList(rows.size() - height, rows.size()));
    }

    /** Types a message as a person does: Enter follows when it is there. */
    private static void ask(PageTerminal page, String message) throws IOException {
        assertThat(page.page().locator(".tty > p")).containsText("What you type goes to the agent");
        page.type(message);
        page.awaitText(message);
        page.page().keyboard().press("Enter");
    }
}
