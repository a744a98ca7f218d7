package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page for those who do not see it, or not well: what axe-core finds, and what is said of itself. */
@Timeout(240)
class PageAccessTest {
    private static final String FINDINGS =
            "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
                    + ".filter((one) => ['serious', 'critical'].includes(one.impact)).flatMap((one) => one.nodes.map((node) =>"
                    + " one.id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary))";

    private static Chromium chromium;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        var _ = product.spawn("mock", "#scenario:subagent-nested", false);
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    /** What axe-core finds serious is a failure. */
    static void requireAccessible(Page page) throws IOException {
        page.evaluate(Files.readString(Chromium.PACKAGES.resolve("axe-core/axe.min.js")));
        assertEquals(List.of(), page.evaluate(FINDINGS), page::url);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void shouldHaveNoSeriousFinding(ColorScheme colours) throws IOException {
        try (Page page = chromium.open(product, Chromium.screen(1360, 820).setColorScheme(colours), "/")) {
            assertThat(page.locator(".tile")).hasCount(1);
            requireAccessible(page);
            page.keyboard().press("j");
            assertThat(page.locator(".node")).hasCount(3);
            requireAccessible(page);
            for (String part : List.of("2", "3", "4", "5")) {
                page.keyboard().press(part);
                page.locator(".parts > section").first().waitFor();
                requireAccessible(page);
            }
            page.locator("[data-tab=stream]").click();
            for (String key : List.of("s", "?")) {
                page.keyboard().press(key);
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
