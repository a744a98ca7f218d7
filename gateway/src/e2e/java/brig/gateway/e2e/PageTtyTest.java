package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent's own terminal on the page: a captain types into it, a watcher sees it. */
@Timeout(240)
@Tag("slow")
class PageTtyTest {
    /** Not the one that the session began with. */
    private static final Pattern OWN_SIZE = Pattern.compile("[3-6]\\d \\d{2,3}bash");

    private static Chromium chromium;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    private static Spawned terminal(String taskId) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId
                        + "\",\"tty\":{\"cols\":90,\"rows\":20},\"agent_config\":{\"name\":\"shell\"}}"));
    }

    private static void type(Page page, String line) {
        page.keyboard().type(line);
        page.keyboard().press("Enter");
    }

    /** Scenario: two look at one terminal; one may type. Then the page comes back to what is on the screen. */
    @Test
    void shouldTypeAsACaptainAndSeeAsAWatcher() throws IOException {
        Spawned spawned = terminal("types");
        String link = product.ask(
                        "{\"action\":\"open\",\"share\":true,\"expires_seconds\":600,\"id\":\"" + spawned.id() + "\"}")
                .text("url", "");
        try (Page page = chromium.open(spawned, "");
                Page other = chromium.page(Chromium.screen(1000, 700))) {
            Locator screen = page.locator(".xterm-rows");
            assertThat(page.locator(".tty > p")).containsText("What you type goes to the agent");
            assertThat(screen).containsText(Pattern.compile("[$#]"));
            type(page, "echo $((40 + 2))-$TERM");
            assertThat(screen).containsText("42-xterm-256color");
            other.navigate(link);
            assertThat(other.locator(".xterm-rows")).containsText("42-xterm-256color");
            assertThat(other.locator(".tty > p")).containsText("do not type");
            type(other, "echo never");
            type(page, "k\u0001echo seen-by-both");
            type(page, "clear; stty size");
            assertThat(screen).containsText(OWN_SIZE);
            assertThat(other.locator(".xterm-rows")).containsText(OWN_SIZE);
            assertThat(other.locator(".xterm-rows")).not().containsText("never");
            Chromium.shoot(page, "tty");
            page.reload();
            assertThat(page.locator(".xterm-rows")).containsText(OWN_SIZE);
            page.keyboard().press("Shift+Escape");
            page.keyboard().press("Escape");
            assertThat(page.locator(".tile:has-text('types')")).containsText("on a terminal of its own");
        }
    }

    /** Scenario: a program asks everything that a terminal may be asked, and shows what was typed in answer. */
    @Test
    void shouldAnswerNothingThatAProgramAsks() throws IOException {
        Spawned spawned = terminal("asks-much");
        try (Page page = chromium.open(spawned, "")) {
            assertThat(page.locator(".xterm-rows")).containsText(Pattern.compile("[$#]"));
            List<String> sent = new CopyOnWriteArrayList<>();
            page.onWebSocket(socket -> socket.onFrameSent(frame -> sent.add(frame.text())));
            page.reload();
            assertThat(page.locator(".xterm-rows")).containsText(Pattern.compile("[$#]"));
            try (Wire captain = spawned.captain()) {
                captain.sendLine(
                        "{\"type\":\"keys\",\"data\":\"printf '\\\\033[6n\\\\033[c\\\\033[>c\\\\033[=c\\\\033[?6n\\\\033[5n\\\\033[?u\\\\033[>q"
                                + "\\\\033]10;?\\\\007\\\\033]11;?\\\\007\\\\033]4;1;?\\\\007\\\\033[?2026$p\\\\033[18t\\\\033P$qm\\\\033\\\\\\\\\\\\033P+q544e\\\\033\\\\\\\\'; echo over-and-out\\r\"}");
                assertThat(page.locator(".xterm-rows"))
                        .containsText(Pattern.compile("over-and-out[^']*over-and-out|over-and-out\\s*\\S*[$#]"));
            }
            assertTrue(sent.stream().noneMatch(line -> line.contains("\"keys\"")), sent::toString);
        }
    }

    /**
     * Scenario: lines that filled the window, and a program that draws nothing again when the size changes. Terminals break such
     * lines anew, each in its way; the page shows what the agent's terminal has.
     */
    @Test
    void shouldShowEachCellOfTheAgentsTerminalAfterChangesOfSize() throws IOException {
        Spawned spawned = terminal("sized");
        PageTerminal page = PageTerminal.open(chromium, spawned, Chromium.screen(1360, 820));
        try (Page tab = page.page()) {
            assertThat(tab.locator(".xterm-rows")).containsText(Pattern.compile("[$#]"));
            type(
                    tab,
                    "clear; for i in {1..60}; do printf \"line-$i-%.0s\" {1..30}; echo; done; printf '\\033[44mground %.0s' {1..30};"
                            + " printf '世界%.0s' {1..40}; printf '\\033[H\\033[1mtop-left-corner\\033[9;9Hx\\033[0m'; exec sleep 600");
            page.awaitText("x");
            String before = TerminalCells.awaitSame(
                            page, spawned, cells -> cells.main().size() > 100)
                    .size();
            for (int[] size : new int[][] {{1000, 700}, {1360, 820}, {900, 900}, {1200, 500}}) {
                tab.setViewportSize(size[0], size[1]);
                String last = before;
                before = TerminalCells.awaitSame(
                                page, spawned, cells -> !cells.size().equals(last))
                        .size();
            }
        }
    }
}
