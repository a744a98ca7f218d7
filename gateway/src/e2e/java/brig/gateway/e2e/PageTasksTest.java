package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person does on the first day, by keyboard alone: the mouse is never touched. */
@Timeout(240)
class PageTasksTest {
    private static final int TABS_MAX = 60;

    private static Chromium chromium;
    private static Product product;
    private static Story story;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        story = new Story(product, "0");
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    /** Tab until that has the focus. */
    private static void tabTo(Page page, Locator wanted) {
        int tabs = 0;
        while (!(boolean) wanted.evaluate("(one) => one === document.activeElement")) {
            assertTrue(tabs++ < TABS_MAX, () -> wanted + " is not reached by Tab");
            page.keyboard().press("Tab");
        }
    }

    private static void choose(Page page, String name, String typed, String value) {
        Locator select = page.locator("[name=" + name + "]");
        tabTo(page, select);
        page.keyboard().type(typed);
        assertThat(select).hasValue(value);
    }

    private static void act(Page page, String command) {
        page.keyboard().press("Control+k");
        assertThat(page.getByLabel("Command or session")).isFocused();
        page.keyboard().type(command);
        page.keyboard().press("Enter");
    }

    @Test
    void shouldDoAFirstDaysFiveTasksByKeyboardAlone() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");

            page.keyboard().press("s");
            assertThat(page.locator("[name=prompt]")).isFocused();
            page.keyboard().type(Story.PROMPT);
            page.keyboard().press("Shift+Tab");
            page.keyboard().type("story-asks");
            assertThat(page.locator("[name=agent]")).hasValue("story-asks");
            choose(page, "permissions", "ask", "ask");
            choose(page, "mode", "a worktree", "worktree");
            tabTo(page, page.locator("[name=path]"));
            page.keyboard().type(story.repository().toString());
            tabTo(page, page.locator("form.start .primary"));
            page.keyboard().press("Enter");
            assertThat(page.locator(".sent")).containsText(Story.PROMPT);

            page.keyboard().press("a");
            assertThat(page.locator("dialog .waits")).containsText("$ npm test");
            page.keyboard().press("1");
            page.keyboard().press("Enter");
            assertThat(page).hasTitle(Pattern.compile("^[^(].*"));
            page.keyboard().press("Escape");
            assertThat(page.locator(".event.done")).isVisible();

            page.keyboard().press("3");
            Locator apply = page.locator(".changes .primary");
            assertThat(apply).isVisible();
            assertThat(page.locator(".changes tr.added mark").first()).hasText(", discount = 0");
            tabTo(page, apply);
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog")).containsText("are taken over into its repository");
            page.keyboard().press("Enter");
            assertThat(page.locator(".notice")).containsText("Applied to");
            assertThat(page.locator(".changes")).containsText("Applied to " + story.repository());
            assertTrue(
                    Files.readString(story.repository().resolve("src/cart.js")).contains("discount = 0"));

            page.keyboard().press("h");
            assertThat(page.locator(".figure:has-text('Cost')")).containsText("$0.412");
            page.keyboard().press("j");
            assertThat(page.locator(".head .cost")).hasText("$0.412");

            act(page, "share");
            page.locator("dialog form").waitFor();
            tabTo(page, page.locator("dialog .primary"));
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog input.link")).hasValue(Pattern.compile(".*/#brig_.*/session/.*"));
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
            assertEquals(List.of(), chromium.faults());
        }
    }
}
