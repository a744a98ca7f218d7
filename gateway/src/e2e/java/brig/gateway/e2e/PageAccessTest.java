package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page for those who do not see it, or not well: what axe-core finds, and what is said of itself. */
@Timeout(240)
@Tag("slow")
class PageAccessTest {
    private static final String FINDINGS =
            "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
                    + ".flatMap((one) => one.nodes.map((node) =>"
                    + " `${one.id} (${one.impact}): ${node.html.slice(0, 160)} ${node.failureSummary}`))";
    private static final List<String> PARTS = List.of("2", "3", "4", "5");

    private static Chromium chromium;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        product.ask("{\"action\":\"spawn\",\"task_id\":\"nested\",\"agent_config\":{\"name\":\"mock\"},"
                + "\"prompt\":\"#scenario:subagent-nested\"}");
        product.shell("echo over; exit 3");
        Story story = new Story(product, "0");
        story.begin("worked", false);
        story.begin("asks", true);
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    /** Whatever axe-core finds is a failure. */
    static void requireAccessible(Page page) throws IOException {
        page.evaluate(Files.readString(Chromium.PACKAGES.resolve("axe-core/axe.min.js")));
        assertEquals(List.of(), page.evaluate(FINDINGS), page::url);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void shouldHaveNoFindingInAnyView(ColorScheme colours) throws IOException {
        try (Page page = chromium.open(product, Chromium.screen(1360, 820).setColorScheme(colours), "/")) {
            assertThat(page.locator(".tile")).hasCount(3);
            assertThat(page.locator(".wait .inline")).hasCount(1);
            assertThat(page.locator(".past")).isVisible();
            requireAccessible(page);
            for (String session : List.of("nested", "worked", "asks")) {
                page.navigate(product.url() + "/#/session/" + session);
                assertThat(page.locator(".rail")).containsText("declared properties hold");
                requireAccessible(page);
            }
            page.navigate(product.url() + "/#/costs");
            assertThat(page.locator(".chart")).isVisible();
            requireAccessible(page);
            page.navigate(product.url() + "/#/session/worked");
            assertThat(page.locator("h1")).hasText("worked");
            for (String part : PARTS) {
                page.keyboard().press(part);
                page.locator(".parts > section").first().waitFor();
                requireAccessible(page);
            }
            page.locator("[data-tab=stream]").click();
            for (String key : List.of("s", "a", "?", "Control+k")) {
                page.keyboard().press(key);
                page.locator("dialog").waitFor();
                requireAccessible(page);
                page.keyboard().press("Escape");
                assertThat(page.locator("dialog")).hasCount(0);
            }
            for (String name : List.of("Share…", "Terminate…")) {
                page.locator(".actions button:has-text('" + name + "')").click();
                page.locator("dialog").waitFor();
                requireAccessible(page);
                page.keyboard().press("Escape");
                assertThat(page.locator("dialog")).hasCount(0);
            }
        }
        try (Page page = chromium.page(Chromium.screen(800, 600).setColorScheme(colours))) {
            page.navigate(product.url());
            assertThat(page.locator(".welcome")).containsText("brig open");
            requireAccessible(page);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void shouldHaveNoFindingOnAPhone(ColorScheme colours) throws IOException {
        try (Page page = chromium.open(product, Chromium.screen(390, 780).setColorScheme(colours), "/")) {
            assertThat(page.locator(".wait .inline")).hasCount(1);
            requireAccessible(page);
            Chromium.shoot(page, "phone-home-" + colours);
            page.navigate(product.url() + "/#/session/worked");
            assertThat(page.locator("h1")).hasText("worked");
            assertThat(page.locator(".event.done")).isVisible();
            requireAccessible(page);
            Chromium.shoot(page, "phone-session-" + colours);
            for (String part : PARTS) {
                page.keyboard().press(part);
                page.locator(".parts > section").first().waitFor();
                requireAccessible(page);
                assertEquals(true, page.evaluate("document.documentElement.scrollWidth <= innerWidth"), part);
            }
        }
    }

    private static List<String> tabs(Page page) {
        return page.locator("[role=tab]").allInnerTexts().stream()
                .map(String::strip)
                .toList();
    }

    /** Scenario: a terminal takes all keys, Tab too; a keyboard alone gets out of it and back, and a watcher is never caught. */
    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void shouldHaveNoFindingOnATerminalAndLetTheKeyboardOut(ColorScheme colours) throws IOException {
        Spawned spawned = new Spawned(
                product, product.ask("{\"action\":\"spawn\",\"tty\":true,\"agent_config\":{\"name\":\"shell\"}}"));
        String link = product.ask(
                        "{\"action\":\"open\",\"share\":true,\"expires_seconds\":600,\"id\":\"" + spawned.id() + "\"}")
                .text("url", "");
        try (Page page = chromium.open(
                        product, Chromium.screen(1360, 820).setColorScheme(colours), "/session/" + spawned.id());
                Page watcher = chromium.page(Chromium.screen(390, 780).setColorScheme(colours))) {
            Locator keys = page.locator(".xterm-helper-textarea");
            assertThat(keys).isFocused();
            assertThat(page.locator(".xterm-rows")).containsText(Pattern.compile("[$#]"));
            page.keyboard()
                    .type(
                            "clear; for i in 0 1 2 3 4 5 6 7; do printf '\\033[3%dmtext\\033[9%dmtext\\033[4%dmtext\\033[0m\\n' $i $i $i; done;"
                                    + " echo all-$((1+1))");
            page.keyboard().press("Enter");
            assertThat(page.locator(".xterm-rows")).containsText("all-2");
            requireAccessible(page);
            assertEquals(List.of("Terminal", "Agents", "Changes", "Wall"), tabs(page));
            assertThat(page.locator("[role=tab][aria-selected=true]")).hasText("Terminal");
            page.keyboard().type("echo th\t");
            page.keyboard().press("Tab");
            assertThat(keys).isFocused();
            page.keyboard().press("Shift+Escape");
            assertThat(page.locator("#main")).isFocused();
            page.keyboard().press("Tab");
            assertThat(page.locator(".actions button").first()).isFocused();
            page.keyboard().press("4");
            assertThat(page.locator("[role=tab][aria-selected=true]")).hasText("Wall");
            page.keyboard().press("1");
            assertThat(keys).isFocused();
            watcher.navigate(link);
            assertThat(watcher.locator(".xterm-rows")).containsText("all-2");
            requireAccessible(watcher);
            watcher.locator(".xterm-helper-textarea").focus();
            watcher.keyboard().press("Shift+Tab");
            assertThat(watcher.locator(".xterm-helper-textarea")).not().isFocused();
            watcher.locator(".xterm-helper-textarea").focus();
            watcher.keyboard().press("Escape");
            assertThat(watcher.locator("#main")).isFocused();
        }
        product.ask("{\"action\":\"terminate\",\"id\":\"" + spawned.id() + "\"}");
        Await.until(
                "it is among those that ended",
                () -> spawned.view().text("state", "").equals("terminated"));
    }

    @Test
    void shouldTellWhatHappensAndNotEachLine() throws IOException {
        Spawned waits = product.idle("tells");
        try (Page page = chromium.open(waits, "");
                Wire captain = waits.captain()) {
            assertThat(page.locator("[role=log]")).hasAttribute("aria-live", "off");
            assertThat(page.locator(".log")).containsText("running");
            captain.sendLine(Spawned.user("echo not told; exit 3"));
            assertThat(page.locator("div.sr[aria-live=polite]")).containsText("exit code 3");
            assertThat(page.locator("div.sr[aria-live=polite]")).not().containsText("not told");
            page.keyboard().press("Shift+Tab");
            product.ask("{\"action\":\"terminate\",\"id\":\"tells\"}");
            assertThat(page.locator("div.sr[aria-live=polite]")).containsText("terminated");
        }
    }
}
