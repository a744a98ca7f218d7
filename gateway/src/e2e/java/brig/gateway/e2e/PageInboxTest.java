package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What agents ask, on the page: one inbox for all sessions. */
@Timeout(240)
@Tag("slow")
class PageInboxTest {
    private static Chromium chromium;
    private static Product product;

    private final List<String> started = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
    }

    @AfterEach
    void requireNoFaults() throws IOException {
        for (String id : started) {
            product.ask("{\"action\":\"terminate\",\"id\":\"" + id + "\"}");
        }
        assertEquals(List.of(), chromium.faults());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    private Spawned asking(String taskId, String scenario) throws IOException {
        started.add(taskId);
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId
                        + "\",\"agent_config\":{\"name\":\"mock\",\"permissions\":\"ask\"},\"prompt\":\"#scenario:"
                        + scenario + "\"}"));
    }

    private static Locator entry(Page page, String taskId) {
        return page.locator("dialog .waits > li:has-text('" + taskId + "')");
    }

    @Test
    void shouldAnswerAllSessionsFromTheKeyboard() throws IOException {
        var _ = asking("inbox-first", "ask:1:rm -rf build");
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".wait .inline")).containsText("inbox-first");
            assertThat(page).hasTitle("(1) Brig");
            var _ = asking("inbox-second", "ask-edit:src/notes.txt");
            assertThat(page).hasTitle("(2) Brig");
            var _ = asking("inbox-child", "ask-child:curl https://example.org");
            assertThat(page).hasTitle("(3) Brig");
            assertThat(page.locator(".figure.rings")).containsText(Pattern.compile("Waiting\\s*3"));
            assertThat(page.locator(".wait .inline")).hasCount(3);
            page.keyboard().press("a");
            assertThat(entry(page, "inbox-first").locator(".detail")).containsText("$ rm -rf build");
            assertThat(entry(page, "inbox-second").locator(".edit")).containsText("+ second, changed");
            assertThat(entry(page, "inbox-child")).containsText("sub-agent agentA");
            Chromium.shoot(page, "inbox");
            PageAccessTest.requireAccessible(page);
            page.keyboard().press("Enter");
            assertThat(page).hasTitle("(3) Brig");
            page.keyboard().press("j");
            assertThat(page.locator("dialog .waits > .on")).containsText("inbox-second");
            page.keyboard().press("3");
            assertThat(page.locator("dialog button[aria-pressed=true]")).containsText("Deny");
            page.keyboard().press("Enter");
            assertThat(entry(page, "inbox-second").locator(".settled")).containsText("over page: deny");
            assertThat(entry(page, "inbox-second")).hasCount(0);
            assertThat(page).hasTitle("(2) Brig");
            entry(page, "inbox-child")
                    .locator("button:has-text('Allow')")
                    .first()
                    .click();
            assertThat(page).hasTitle("(1) Brig");
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
            page.keyboard().press("/");
            page.keyboard().type("a");
            assertThat(page.getByLabel("Filter the sessions")).hasValue("a");
            assertThat(page.locator("dialog")).hasCount(0);
            product.ask("{\"action\":\"terminate\",\"id\":\"inbox-first\"}");
            assertThat(page).hasTitle("Brig");
        }
    }

    @Test
    void shouldShowTheAsksOfASessionAboveItsStreamAndSayWhoWasFaster() throws IOException {
        Spawned asks = asking("inline", "ask:1:ls");
        try (Page page = chromium.open(asks, "")) {
            Locator own = page.locator("section.waits");
            assertThat(own.locator(".detail")).containsText("$ ls");
            assertThat(page.locator(".event.ask")).containsText("asks: Bash");
            String id = product.ask("{\"action\":\"asks\",\"tree\":\"inline\"}")
                    .objects("asks")
                    .getFirst()
                    .text("ask_id", "");
            product.ask("{\"action\":\"answer_ask\",\"id\":\"" + id + "\",\"option\":\"allow\"}");
            assertThat(own.locator(".settled")).containsText("over spawner: allow");
            assertThat(page.locator(".event.answered")).containsText("over spawner: allow");
            assertThat(page.locator(".log")).containsText("Answers: allow");
            assertThat(own).hasCount(0);
        }
    }

    @Test
    void shouldShowHostileTextAsText() throws IOException {
        var _ = asking("hostile", "ask:1:<img src=x onerror=alert(1)> \\\\33[8mhidden \\u202Egnp.exe");
        try (Page page = chromium.open(product, Chromium.screen(380, 700).setColorScheme(ColorScheme.DARK), "/")) {
            assertThat(page.locator(".wait .inline")).containsText("hostile");
            assertThat(page).hasTitle("(1) Brig");
            page.keyboard().press("a");
            Locator detail = entry(page, "hostile").locator(".detail");
            assertThat(detail).containsText("<img src=x onerror=alert(1)> \\u{1b}[8mhidden \\u{202e}gnp.exe");
            assertThat(detail.locator("img")).hasCount(0);
            Chromium.shoot(page, "inbox-narrow");
            PageAccessTest.requireAccessible(page);
            assertEquals(true, page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        }
    }

    @Test
    void shouldLetWatchersSeeAndNotAnswer() throws IOException {
        var _ = asking("watched", "ask:1:ls");
        String token = product.ask("{\"action\":\"mint_token\",\"role\":\"watcher\",\"session\":\"watched\"}")
                .text("token", "");
        try (Page page = chromium.page(Chromium.screen(1000, 700))) {
            page.navigate(product.url() + "/#" + token);
            assertThat(page).hasTitle(Pattern.compile("^\\(1\\) "));
            page.keyboard().press("a");
            assertThat(entry(page, "watched").locator(".detail")).containsText("$ ls");
            assertThat(page.locator("dialog .answers button")).hasCount(0);
        }
    }
}
