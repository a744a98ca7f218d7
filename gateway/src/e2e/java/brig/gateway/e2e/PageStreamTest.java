package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams on the page: what is lost with the network, what is long, what is many. */
@Timeout(300)
@Tag("slow")
class PageStreamTest {
    private static final int FRAMES = 100_000;
    /** On a machine that does much else. */
    private static final int READ_MS_MAX = 90_000;

    private static final int SESSIONS = 20;
    private static final int COMPRESSED_BYTES_MAX = 300 * 1024;
    private static final int FIRST_PAINT_MS_MAX = 1_000;
    /** The machine may be busy with something else at one of them. */
    private static final int LOADS = 3;
    /** What the page's own model says of the session that is shown. */
    private static final String MODEL = """
            async () => {
                const base = document.querySelector('script[type=module]').src;
                const {modelOf} = await import(base.replace('main.js', 'watch.js'));
                const {state} = await import(base.replace('main.js', 'store.js'));
                const model = modelOf(state.route.session);
                return String(WHAT);
            }""";

    private static final String LINES =
            "model.live.transcript.rows.filter((row) => row.kind === 'line').map((row) => row.text).join(' ')";
    /** Fetches all that the page may ever need, and says how many bytes that were. */
    private static final String EVERYTHING = """
            async () => {
                const main = document.querySelector('script[type=module]').src;
                for (const name of ['vendor/xterm', 'vendor/diff', 'session']) {
                    await import(main.replace('main', name));
                }
                await fetch(main.replace('main.js', 'vendor/xterm.css'));
                return ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
                    .filter((one) => !one.name.includes('/api/')).reduce((sum, one) => sum + one.encodedBodySize, 0);
            }""";

    private static final String PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    private static final String COUNT_LONG_TASKS = """
            window.longTasks = [];
            new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((task) => Math.round(task.duration))))
                .observe({type: 'longtask'})""";
    private static final String COUNT_FRAMES = """
            () => new Promise((done) => {
                longTasks.length = 0;
                let frames = 0;
                const end = performance.now() + 5000;
                const next = () => {
                    frames++;
                    performance.now() < end ? requestAnimationFrame(next) : done(frames / 5);
                };
                requestAnimationFrame(next);
            })""";
    private static final String TICKS =
            "mkfifo p; exec 3<>p; for i in $(seq %d); do echo $i; read -t %s -u 3; done; true";

    private static Chromium chromium;

    @BeforeAll
    static void start() {
        chromium = Chromium.start();
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
    }

    private static String model(Page page, String what) {
        return (String) page.evaluate(MODEL.replace("WHAT", what));
    }

    private static String numbers(int to) {
        StringBuilder numbers = new StringBuilder("1");
        for (int i = 2; i <= to; i++) {
            numbers.append(' ').append(i);
        }
        return numbers.toString();
    }

    private static Spawned named(Product product, String taskId, String agent, String prompt) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\",\"agent_config\":{\"name\":\"" + agent
                        + "\"},\"prompt\":\"" + prompt + "\"}"));
    }

    /** Scenario: a worker counts; the network goes and comes, then the gateway is killed and started again. */
    @Test
    void shouldLoseAndDoubleNoLineWithoutNetworkAndWithoutGateway() throws IOException {
        try (Product product = Product.start(Map.of("http", Map.of("port", (long) FreePorts.next())))) {
            Spawned counts = named(product, "counts", "shell", TICKS.formatted(400, "0.05"));
            try (Page page = chromium.open(counts, "")) {
                Locator link = page.locator(".link");
                assertThat(page.locator(".log")).containsText("10");
                page.context().setOffline(true);
                assertThat(link).containsText("connection lost");
                Chromium.shoot(page, "lost");
                page.context().setOffline(false);
                assertThat(link).hasText("live");
                product.kill();
                assertThat(link).containsText("connection lost");
                product.serve();
                assertThat(link).hasText("live");
                assertThat(page.locator(".event.done")).isVisible();
                assertEquals(numbers(400), model(page, LINES));
                assertEquals("0 0", model(page, "model.doubled + ' ' + model.jumps"));
                assertThat(page.locator(".entry:has-text('counts') .does")).hasText("· idle");
                product.idle("later");
                assertThat(page.locator(".entry:has-text('later') .does")).hasText("· idle");
                Chromium.shoot(page, "found-again");
            }
        }
    }

    @Test
    void shouldStayUsableWithAHundredThousandFrames() throws IOException {
        try (Product product = Product.start()) {
            Spawned talks = named(product, "talks", "mock", "#scenario:text:" + FRAMES);
            Spawned lines = named(product, "lines", "shell", "seq " + FRAMES);
            try (Wire reader = talks.attach("watcher")) {
                new Frames().readUntilType(reader, "done");
            }
            try (Page page = chromium.open(talks, "")) {
                assertThat(page.locator(".event.done"))
                        .isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(READ_MS_MAX));
                assertTrue(Integer.parseInt(model(page, "model.lastSeq")) >= FRAMES);
                assertEquals("0 0", model(page, "model.doubled + ' ' + model.jumps"));
                assertTrue(
                        (int) page.evaluate("document.querySelectorAll('*').length") < 3_000,
                        "only what is in sight is there");
            }
            try (Page page = chromium.open(lines, "")) {
                assertThat(page.locator(".line:has-text('" + FRAMES + "')")).isInViewport();
                page.keyboard().press("g");
                assertThat(page.locator(".line").first()).isInViewport();
                page.keyboard().press("/");
                page.keyboard().type("77777");
                assertThat(page.locator(".found")).hasText("77777");
                assertThat(page.locator(".found")).isInViewport();
                assertTrue((int) page.evaluate("document.querySelectorAll('*').length") < 3_000);
                Chromium.shoot(page, "long");
            }
        }
    }

    @Test
    void shouldBeThereSoonWithLittleAndFromHereOnly() throws IOException {
        try (Product product = Product.start()) {
            product.idle("waits");
            double paintMs = Double.MAX_VALUE;
            int bytes = 0;
            for (int i = 0; i < LOADS; i++) {
                try (Page page = chromium.open(product, "/")) {
                    assertThat(page.locator(".tile")).hasCount(1);
                    paintMs = Math.min(paintMs, ((Number) page.evaluate(PAINT)).doubleValue());
                    bytes = ((Number) page.evaluate(EVERYTHING)).intValue();
                }
            }
            System.err.println(
                    "page: first paint after " + Math.round(paintMs) + " ms, " + bytes + " bytes with all its parts");
            assertTrue(bytes > 50_000 && bytes < COMPRESSED_BYTES_MAX, bytes + " bytes");
            assertTrue(paintMs < FIRST_PAINT_MS_MAX, "first paint after " + paintMs + " ms");
            assertEquals(Set.of("127.0.0.1"), chromium.hosts());
        }
    }

    /** What the machine allows is reported; that every session is live is required. */
    @Test
    void shouldShowTwentySessionsAtFiftyTokensASecond() throws IOException {
        try (Product product = Product.start();
                Page page = chromium.page(Chromium.screen(1600, 1600))) {
            for (int i = 0; i < SESSIONS; i++) {
                named(
                        product,
                        "writes-" + i,
                        "shell",
                        TICKS.formatted(100_000, "0.02").replace("echo $i", "printf 'token%d ' $i"));
            }
            page.addInitScript(COUNT_LONG_TASKS);
            page.navigate(product.ask("{\"action\":\"open\"}").text("url", ""));
            assertThat(page.locator(".tile .lines:has-text('token')")).hasCount(SESSIONS);
            Object frames = page.evaluate(COUNT_FRAMES);
            System.err.println("page: " + SESSIONS + " sessions with 50 tokens a second each: " + frames
                    + " frames a second, long tasks in 5 s (ms): " + page.evaluate("longTasks.join(' ')"));
            List<String> before = page.locator(".tile .lines").allInnerTexts();
            page.locator(".tile .lines").nth(SESSIONS - 1).hover();
            assertThat(page.locator(".tile .lines").first())
                    .not()
                    .containsText(Pattern.compile(Pattern.quote(before.getFirst()) + "$"));
            Chromium.shoot(page, "twenty");
        }
    }
}
