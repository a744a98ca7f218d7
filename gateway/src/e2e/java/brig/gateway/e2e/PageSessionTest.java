package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One session as a conversation: cards, threads, Markdown, places that links lead to; and how everything is found by name. */
@Timeout(240)
class PageSessionTest {
    private static final String DRAWN =
            "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

    private static final String HIDE = "Object.defineProperty(document, 'hidden', {get: () => true});"
            + "window.told = []; window.Notification = class { static permission = 'granted';"
            + " static requestPermission = async () => 'granted'; constructor(title, {body}) { told.push(`${title}: ${body}`); } }";

    private static Chromium chromium;
    private static Product product;
    private static Story story;
    private static Spawned done;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        story = new Story(product, "0");
        done = story.begin("add-discounts", false);
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

    @Test
    void shouldShowWorkAsAConversationWithCardsAndThreads() throws IOException {
        try (Page page = chromium.open(done, "")) {
            assertThat(page.locator(".sent")).containsText(Story.PROMPT);
            assertThat(page.locator(".event.done")).isVisible();
            assertThat(page.locator(".tool .edit .added")).hasCount(3);
            assertThat(page.locator(".tool .preview")).containsText("pass 2");
            assertThat(page.locator(".line.fence")).hasCount(2);
            assertThat(page.locator(".line.code")).hasText("total([{price: 20, count: 2}], 0.1); // 36");
            assertThat(page.locator(".line.item code").first()).hasText("total(items, discount = 0)");
            page.keyboard().press("g");
            assertThat(page.locator(".line strong")).hasText("discount");
            Locator thread = page.locator(".thread:has-text('Find every caller')");
            assertThat(thread.locator(".outcome")).containsText("breaks neither");
            assertThat(page.locator(".log")).not().containsText("Neither passes a second argument.");
            thread.locator(".head").click();
            assertThat(page.locator(".at.in1:has-text('Neither passes a second argument.')"))
                    .isVisible();
            assertThat(page.locator(".tool:has-text('Agent')")).hasCount(0);
            Locator rail = page.locator(".rail");
            assertThat(rail).containsText("$0.412");
            assertThat(rail.locator(".files li")).hasCount(2);
            Chromium.shoot(page, "session");
            rail.locator("a:has-text('Review')").click();
            assertThat(page.locator(".changes tr.added").first()).isVisible();
        }
    }

    @Test
    void shouldLeadToAFrameThatIsInAFoldedThread() throws IOException {
        String logs = product.brig("logs", "--json", done.id()).out();
        long seq = logs.lines()
                .filter(line -> line.contains("Neither passes a second"))
                .map(line -> line.replaceAll(".*\"seq\":(\\d+).*", "$1"))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow();
        try (Page page = chromium.open(product, "/session/add-discounts/frame/" + seq)) {
            assertThat(page.locator(".linked")).containsText("Neither passes a second argument.");
            assertThat(page.locator(".linked")).isInViewport();
            assertThat(page).hasURL(product.url() + "/#/session/" + done.id() + "/frame/" + seq);
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            page.locator(".at:has(.edit)").hover();
            page.locator(".at:has(.edit) .anchor").click();
            assertThat(page.locator(".linked .edit")).isVisible();
            page.keyboard().press("Control+k");
            page.keyboard().type("link place");
            page.keyboard().press("Enter");
            assertThat(page.locator(".notice")).containsText("Link copied.");
            assertThat(page).hasURL(Pattern.compile(".*/frame/\\d+"));
        }
    }

    /** Scenario: a link leads to what a sub-agent says that still runs; then it is over, and its thread would fold. */
    @Test
    void shouldKeepWhatALinkLedToInSightWhenItsThreadIsOver() throws IOException {
        try (Tracked session = Tracked.begin(product, "ends-later")) {
            session.count(1, 10, "");
            session.write(
                    11, "'type':'subagent','agent_id':'a1','subagent_type':'search','depth':1,'status':'spawned'");
            for (int seq = 12; seq < 15; seq++) {
                session.write(seq, "'type':'chunk','agent':'a1','stream':'stdout','content':'\\nfound " + seq + "'");
            }
            try (Page page = chromium.open(product, "/session/" + session.id() + "/frame/13")) {
                assertThat(page.locator(".linked")).containsText("found 1");
                session.write(
                        15, "'type':'subagent','agent_id':'a1','depth':1,'status':'completed','summary':'Found.'");
                session.count(16, 17, "");
                assertThat(page.locator(".log")).containsText("line 17");
                assertThat(page.locator(".linked")).containsText("found 1");
            }
        }
    }

    /** Scenario: a sub-agent is done, its session goes on; a person scrolls up and opens what the sub-agent said. */
    @Test
    @Tag("slow")
    void shouldShowAThreadThatIsOpenedWhileTheSessionGoesOn() throws IOException {
        try (Tracked session = Tracked.begin(product, "goes-on")) {
            session.count(1, 60, "");
            session.write(
                    61, "'type':'subagent','agent_id':'a1','subagent_type':'search','depth':1,'status':'spawned'");
            for (int seq = 62; seq < 100; seq++) {
                session.write(
                        seq,
                        "'type':'chunk','agent':'a1','stream':'text','content':'found " + seq
                                + "\\n\\n- one\\n- two\\n- three\\n\\n" + "many words ".repeat(60) + "\\n\\n'");
            }
            session.write(100, "'type':'subagent','agent_id':'a1','depth':1,'status':'completed','summary':'Found.'");
            session.count(101, 300, "");
            try (Page page = chromium.open(product, "/session/" + session.id())) {
                Locator log = page.locator(".log");
                assertThat(log).containsText("line 300");
                Locator head = page.locator(".thread .head");
                log.focus();
                page.keyboard().press("Home");
                page.waitForFunction("() => document.querySelector('.log').scrollTop === 0");
                Await.until("the thread is drawn", () -> {
                    log.evaluate("(log) => log.scrollBy(0, 100)");
                    page.evaluate(DRAWN);
                    return head.count() > 0;
                });
                assertThat(head).hasAttribute("aria-expanded", "false");
                head.click();
                assertThat(head).hasAttribute("aria-expanded", "true");
                Locator first = page.locator(".row:has-text('found 62')").first();
                assertThat(first).isInViewport();
                session.count(301, 400, "");
                session.awaitRecorded(400);
                assertThat(first).isInViewport();
                assertThat(head).isInViewport();
                Chromium.shoot(page, "thread-opened");
            }
        }
    }

    /** Types into the palette, once it has the keyboard. */
    private static void look(Page page, String words) {
        page.keyboard().press("Control+k");
        assertThat(page.getByLabel("Command or session")).isFocused();
        page.keyboard().type(words);
    }

    @Test
    void shouldFindSessionsAndCommandsByAFewLetters() throws IOException {
        product.idle("quiet-one");
        try (Page page = chromium.open(product, "/")) {
            page.locator(".entry:has-text('quiet-one')").waitFor();
            page.keyboard().press("Control+k");
            assertThat(page.getByLabel("Command or session")).isFocused();
            PageAccessTest.requireAccessible(page);
            Chromium.shoot(page, "palette");
            page.keyboard().type("qui");
            assertThat(page.locator("[role=option]").first()).containsText("quiet-one");
            page.keyboard().press("Enter");
            assertThat(page.locator("h1")).hasText("quiet-one");
            look(page, "wall");
            page.keyboard().press("Enter");
            assertThat(page.locator(".wall")).isVisible();
            look(page, "terminate");
            page.keyboard().press("ArrowDown");
            page.keyboard().press("ArrowUp");
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog")).containsText("quiet-one and everything that runs in it");
            page.keyboard().press("Escape");
            look(page, "zzz");
            assertThat(page.locator("dialog")).containsText("Nothing is called that.");
        }
    }

    /** Scenario: the browser tells that the palette was closed when it is open again. */
    @Test
    void shouldKeepADialogueThatWasOpenedBeforeTheEndOfTheLastOneWasTold() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            page.locator(".filter input").waitFor();
            look(page, "zz");
            page.evaluate("""
                    () => new Promise((resolve) => {
                        const dialog = document.querySelector('dialog');
                        dialog.addEventListener('close', () => setTimeout(resolve));
                        dialog.close();
                        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true}));
                    })""");
            assertThat(page.getByLabel("Command or session")).isFocused();
            assertThat(page.getByLabel("Command or session")).hasValue("");
        }
    }

    @Test
    void shouldNotifyOnlyWhoAskedForIt() throws IOException {
        try (Page page = chromium.page(Chromium.screen(1360, 820))) {
            page.addInitScript(HIDE);
            page.navigate(product.ask("{\"action\":\"open\"}").text("url", ""));
            var _ = story.begin("first-ask", true);
            assertThat(page).hasTitle(Pattern.compile("^\\(1\\) "));
            assertEquals(List.of(), page.evaluate("told"));
            look(page, "notif");
            page.keyboard().press("Enter");
            assertThat(page.locator(".notice")).containsText("Notifications are on");
            var _ = story.begin("second-ask", true);
            assertThat(page).hasTitle(Pattern.compile("^\\(2\\) "));
            assertEquals(List.of("An agent asks: second-ask"), page.evaluate("told"));
        }
    }

    /** Scenario: what an agent says has links and markup; only addresses of the web become links, and none is markup. */
    @Test
    void shouldMakeLinksOfAddressesOfTheWebAlone() throws IOException {
        product.addProfile(
                "says",
                "shell",
                Map.of(
                        "adapter",
                        "claude",
                        "process",
                        "spawn",
                        "stdin",
                        "lines",
                        "command",
                        List.of(
                                "/bin/bash",
                                "-c",
                                "read -r _; printf '%s\\n' \"$0\"; read -r _",
                                "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"[a](javascript:alert(1)) "
                                        + "[b](https://example.org/x) <img src=x onerror=alert(2)> **<b>bold</b>** `<i>`\"}]},\"parent_tool_use_id\":null,\"session_id\":\"s\"}")));
        Spawned says = product.spawn("says", "go", false);
        try (Page page = chromium.open(says, "")) {
            Locator line = page.locator(".line.text");
            assertThat(line)
                    .hasText("[a](javascript:alert(1)) b (example.org) <img src=x onerror=alert(2)> <b>bold</b> <i>");
            assertThat(line.locator("a")).hasCount(1);
            assertThat(line.locator("a")).hasAttribute("rel", "noopener noreferrer nofollow");
            assertThat(line.locator("img, b, i")).hasCount(0);
        }
    }
}
