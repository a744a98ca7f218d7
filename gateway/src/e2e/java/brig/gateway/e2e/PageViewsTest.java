package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the page shows of a session is of that session, wherever the person was before. */
@Timeout(240)
class PageViewsTest {
    private static final String MODULES =
            "const base = document.querySelector('script[type=module]').src; const load = (name) => import(base.replace('main.js', name));";
    /** Draws a row that no row can be. */
    private static final String BREAK = "async () => {" + MODULES + """
            const [{modelOf}, {state, changed}] = [await load('watch.js'), await load('store.js')];
            modelOf(state.route.session).live.transcript.rows.push({kind: 'line', key: 'broken', seq: 1, get text() { throw new Error('broken'); }});
            changed();
            }""";
    /** A connection on which one subscription is answered when it was left, and three follow each other before the first is answered. */
    private static final String RESUBSCRIBE = "async () => {" + MODULES + """
            let socket;
            class Socket {
                static OPEN = 1;
                readyState = 1;
                constructor() { socket = this; }
                send() {}
                close() {}
            }
            const ask = window.fetch;
            window.fetch = async (path, ...more) => path.endsWith('/tickets') ? new Response('{"ticket":"t"}') : ask(path, ...more);
            window.WebSocket = Socket;
            const feed = new (await load('feed.js')).Feed({}, []);
            const seen = [];
            const reader = (name) => ({from: () => 1, wish: {}, gap() {}, aside() {}, ended() {}, lost() {},
                welcome: ({from}) => seen.push(`${name} from ${from}`), frame: ({seq}) => seen.push(`${name} ${seq}`)});
            feed.start();
            while (!socket) {
                await new Promise(requestAnimationFrame);
            }
            socket.onopen();
            const say = (...lines) => socket.onmessage({data: [{type: 'session', spawn_id: 'spn_x'}, ...lines].map((line) => JSON.stringify(line)).join('\\n')});
            feed.follow('spn_x', reader('nobody'));
            feed.unfollow('spn_x');
            say({type: 'authenticated', from: 40}, {type: 'chunk', seq: 40});
            for (const name of ['first', 'second', 'third']) {
                feed.unfollow('spn_x');
                feed.follow('spn_x', reader(name));
            }
            say({type: 'authenticated', from: 30}, {type: 'chunk', seq: 30});
            socket.onmessage({data: '{"type":"error","id":"spn_x","code":"MAX_SUBSCRIPTIONS"}'});
            say({type: 'chunk', seq: 31});
            say({type: 'authenticated', from: 1}, {type: 'chunk', seq: 1});
            say({type: 'chunk', seq: 2});
            feed.stop();
            return seen.join(', ');
            }""";

    /** How often what was changed is asked for again because a call of a tool is over. */
    private static final String SETTLED = "async () => {" + MODULES + """
            const model = new (await load('model.js')).Model('x');
            model.welcome({epoch: 'e', from: 1});
            ['running', 'completed'].forEach((status, index) => model.frame({type: 'tool', seq: index + 1, ts: 1, id: 't', status}));
            return model.settled;
            }""";

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

    private static String open() throws IOException {
        return product.ask("{\"action\":\"open\"}").text("url", "");
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
    }

    /** Scenario: a session is read until it asks, is answered on Home, which shows the rest of it, and is read again. */
    @Test
    void shouldShowAConversationThatHomeShowedBefore() throws IOException {
        var _ = product.idle("another");
        Spawned asks = story.begin("cart", true);
        try (Page page = chromium.open(asks, "")) {
            Locator thread = page.locator(".thread:has-text('Find every caller')");
            assertThat(page.locator("section.waits .detail")).containsText("npm test");
            page.keyboard().press("h");
            page.locator(".wait button:has-text('Allow')").first().click();
            Locator tile = page.locator(".tile:has-text('cart')");
            assertThat(tile.locator(".lines")).containsText("Done: all tests pass.");
            page.locator(".tile:has-text('another')").click();
            assertThat(page.locator("h1")).hasText("another");
            page.keyboard().press("h");
            tile.click();
            assertThat(page.locator("h1")).hasText("cart");
            assertThat(page.locator(".event.done")).isVisible();
            assertThat(page.locator(".line.code")).hasText("total([{price: 20, count: 2}], 0.1); // 36");
            assertThat(page.locator(".rail .id")).hasText(asks.id());
            page.locator(".node[data-agent]:has-text('Find every caller')").click();
            assertThat(page.locator(".log")).not().containsText("Done: all tests pass.");
            page.keyboard().press("Escape");
            assertThat(page.locator(".log")).containsText("Done: all tests pass.");
            page.keyboard().press("g");
            thread.locator(".head").click();
            assertThat(thread).containsText("A second, optional argument breaks neither.");
            page.keyboard().press("h");
            assertThat(tile.locator(".lines")).containsText("Done: all tests pass.");
            assertThat(tile.locator(".lines")).not().containsText("```");
            assertThat(tile.locator(".lines a")).hasCount(0);
        }
    }

    @Test
    @Tag("slow")
    void shouldBeDrawnWhereTheBrowserStopsItsFrames() throws IOException {
        var _ = product.idle("seen-anyway");
        try (Page page = chromium.page(Chromium.screen(1000, 700))) {
            page.addInitScript("window.requestAnimationFrame = () => 0");
            page.navigate(open() + "/");
            assertThat(page.locator(".entry:has-text('seen-anyway')")).isVisible();
        }
    }

    /** Scenario: the request for a ticket is lost, as it happens on a network that changes. */
    @Test
    void shouldConnectAgainWhereNothingAnswers() throws IOException {
        try (Page page = chromium.page(Chromium.screen(1000, 700))) {
            page.clock().install();
            page.route("**/api/v1/tickets", lost -> {}, new Page.RouteOptions().setTimes(1));
            String address = open() + "/";
            page.waitForRequest("**/api/v1/tickets", () -> page.navigate(address));
            page.clock().fastForward("00:40");
            assertThat(page.getByText("live", new Page.GetByTextOptions().setExact(true))
                            .first())
                    .isVisible();
        }
    }

    /** Scenario: one session cannot be drawn; the page says so in its place, and shows the others. */
    @Test
    void shouldSayThatASessionCannotBeDrawnAndNotShowAnotherUnderItsName() throws IOException {
        Spawned good = product.idle("good");
        Spawned bad = product.idle("bad");
        try (Page page = chromium.open(bad, "")) {
            assertThat(page.locator(".rail .id")).hasText(bad.id());
            page.locator(".entry:has-text('good')").click();
            assertThat(page.locator(".rail .id")).hasText(good.id());
            page.locator(".entry:has-text('bad')").click();
            assertThat(page.locator(".rail .id")).hasText(bad.id());
            page.evaluate(BREAK);
            assertThat(page.locator("main [role=alert]")).containsText("The page failed while it drew this.");
            assertThat(page.locator(".rail, .log")).hasCount(0);
            page.locator(".entry:has-text('good')").click();
            assertThat(page.locator(".rail .id")).hasText(good.id());
            assertThat(page.locator(".log")).isVisible();
            assertTrue(chromium.faults().stream().allMatch(fault -> fault.contains("broken")));
        }
    }

    /** Scenario: a person goes from one view of a session to another so fast that lines for the first come to the second. */
    @Test
    void shouldTakeOnlyWhatItsOwnSubscriptionBrings() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            assertEquals("third from 1, third 1, third 2", page.evaluate(RESUBSCRIBE));
        }
    }

    /** Scenario: a person opens a card below which there is no room, in a list that follows its end. */
    @Test
    void shouldKeepInPlaceWhatAPersonOpens() throws IOException {
        Spawned done = story.begin("opens", false);
        try (Page page = chromium.open(product, Chromium.screen(1360, 620), "/session/" + done.id())) {
            assertThat(page.locator(".event.done")).isInViewport();
            Locator call = page.locator(".tool:has-text('npm test')");
            for (String card :
                    List.of(".tool .head:has-text('npm test')", ".tool .head:has-text('cart.js') >> nth=-1")) {
                Locator head = page.locator(card);
                head.scrollIntoViewIfNeeded();
                double before = head.boundingBox().y;
                boolean opens = head.getAttribute("aria-expanded").equals("false");
                head.click();
                assertThat(head).hasAttribute("aria-expanded", String.valueOf(opens));
                page.evaluate(
                        "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
                assertEquals(before, head.boundingBox().y, 1, card);
            }
            assertThat(call.locator(".output")).isVisible();
        }
    }

    /** Scenario: a turn is over and a session waits for a person; each part of the page says the same of them. */
    @Test
    void shouldSayOneThingOfHowSessionsAndAgentsStand() throws IOException {
        Spawned over = story.begin("over", false);
        try (Page page = chromium.open(over, "")) {
            assertThat(page.locator(".event.done")).isVisible();
            assertThat(page.locator(".node.idle")).hasCount(1);
            page.locator(".node[data-agent]:has-text('Find every caller')").click();
            assertThat(page.locator(".subagent")).hasCount(2);
            assertThat(page.locator(".subagent .working")).hasCount(0);
            var _ = story.begin("waits", true);
            page.keyboard().press("Escape");
            page.keyboard().press("h");
            assertThat(page.locator(".figure:has-text('Live')")).containsText("1 waiting for you");
            assertThat(page.locator(".figure:has-text('Live')")).not().containsText("at work");
            assertEquals(1, page.evaluate(SETTLED));
        }
    }

    /** Scenario: a person answers on Home and leaves the pointer where the card is. */
    @Test
    void shouldLeaveAnAnsweredCardUnderThePointer() throws IOException {
        var _ = story.begin("points", true);
        try (Page page = chromium.page(Chromium.screen(1360, 820))) {
            page.clock().install();
            page.navigate(product.ask("{\"action\":\"open\"}").text("url", ""));
            Locator card = page.locator(".wait .inline:has-text('points')");
            Locator allow = card.locator("button:has-text('Allow')").first();
            allow.click();
            assertThat(card.locator(".settled")).containsText("over page: allow");
            page.clock().fastForward(6_000);
            page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
            assertThat(card).hasCount(1);
            page.mouse().move(20, 300);
            page.clock().fastForward(2_000);
            assertThat(card).hasCount(0);
        }
    }
}
