package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the page is told without asking: of sessions that come and go, of those that are in sight, as fast as it draws. */
@Timeout(240)
@Tag("slow")
class PageListsTest {
    private static final int SESSIONS = 60;
    private static final String MODEL = """
            async (id) => {
                const base = document.querySelector('script[type=module]').src;
                const {modelOf} = await import(base.replace('main.js', 'watch.js'));
                const model = modelOf(id);
                return model ? `${model.lastSeq} ${model.doubled} ${model.jumps}` : 'none';
            }""";
    private static final Pattern SENT =
            Pattern.compile("^brig_frames_sent_total\\{[^}]*websocket[^}]*} ([0-9.E]+)$", Pattern.MULTILINE);

    private static Chromium chromium;
    private static Product product;

    private final List<Tracked> sessions = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
    }

    @AfterEach
    void requireNoFaults() throws IOException {
        for (Tracked session : sessions) {
            session.close();
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

    private Tracked track(String taskId) throws IOException {
        sessions.add(Tracked.begin(product, taskId));
        return sessions.getLast();
    }

    private static String model(Page page, Tracked session) {
        return (String) page.evaluate(MODEL, session.id());
    }

    private static void awaitModel(Page page, Tracked session, String wanted) {
        page.waitForCondition(() -> model(page, session).equals(wanted));
    }

    @Test
    void shouldBeToldOfSessionsAndAskForNone() throws IOException {
        List<String> requests = new ArrayList<>();
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            assertThat(page.locator(".gauges")).isVisible();
            page.onRequest(request -> requests.add(request.url().replaceAll(".*/api/v1/", "")));
            Spawned waits = product.idle("pushed");
            Locator entry = page.locator(".entry:has-text('pushed')");
            assertThat(entry.locator(".does")).hasText("· idle");
            assertThat(page.locator(".tile:has-text('pushed')")).isVisible();
            product.ask("{\"action\":\"terminate\",\"id\":\"" + waits.id() + "\"}");
            assertThat(entry.locator(".does")).containsText("ended");
            assertThat(page.locator(".past")).containsText("pushed");
            assertTrue(requests.stream().allMatch("status"::equals), requests::toString);
            page.waitForFunction("asked => performance.getEntriesByType('resource').length >= asked", requests.size());
            requests.clear();
            page.waitForFunction("since => performance.now() - since > 6000", page.evaluate("performance.now()"));
            assertTrue(requests.size() <= 1, requests::toString);
        }
    }

    @Test
    void shouldStreamTheTilesThatAreInSightAndGoOnWhereTheyWere() throws IOException {
        List<Tracked> all = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            all.add(track("tile-%02d".formatted(i)));
            all.getLast().count(1, 3, "");
        }
        for (Tracked session : all) {
            session.awaitRecorded(3);
        }
        Tracked newest = all.getLast();
        Tracked oldest = all.getFirst();
        try (Page page = chromium.open(product, "/")) {
            Locator first = page.locator(".tile:has-text('tile-59') .lines");
            Locator last = page.locator(".tile:has-text('tile-00') .lines");
            assertThat(page.locator(".tile")).hasCount(SESSIONS);
            assertThat(first).containsText("line 3");
            assertThat(last).not().containsText("line");
            long read = all.stream()
                    .filter(session -> !model(page, session).equals("none"))
                    .count();
            assertTrue(read >= 3 && read <= SESSIONS / 2, () -> read + " tiles are streamed");
            assertEquals(1, newest.readers(product));
            assertEquals(0, oldest.readers(product));

            last.scrollIntoViewIfNeeded();
            assertThat(last).containsText("line 3");
            page.waitForCondition(() -> newest.readers(product) == 0);
            assertEquals(1, oldest.readers(product));
            newest.count(4, 400, "");
            newest.awaitRecorded(400);
            oldest.count(4, 5, "");
            oldest.awaitRecorded(5);
            assertThat(last).containsText("line 5");
            assertEquals("3 0 0", model(page, newest));

            first.scrollIntoViewIfNeeded();
            assertThat(first).containsText("line 400");
            newest.count(401, 402, "");
            newest.awaitRecorded(402);
            assertThat(first).containsText("line 402");
            awaitModel(page, newest, "402 0 0");
        }
    }

    /** Scenario: the page's only thread stands still while an agent writes far more than a browser should keep. */
    @Test
    void shouldKeepAtTheGatewayWhatAPageHasNoTimeFor() throws IOException {
        Tracked session = track("floods");
        session.count(1, 2, "");
        session.awaitRecorded(2);
        List<Route> held = new ArrayList<>();
        try (Page page = chromium.open(product, "/session/" + session.id())) {
            assertThat(page.locator(".log")).containsText("line 2");
            page.route("**/held", held::add);
            page.evaluate("setTimeout(() => { const asked = new XMLHttpRequest();"
                    + " asked.open('GET', '/held', false); asked.send(); }, 0)");
            page.waitForCondition(() -> !held.isEmpty());
            long before = sent();
            session.count(3, 1002, "x".repeat(10_000));
            session.awaitRecorded(1002);
            long meanwhile = sent() - before;
            assertTrue(meanwhile > 0 && meanwhile < 100, () -> meanwhile + " frames of 10 kB were sent");
            held.getFirst().fulfill(new Route.FulfillOptions().setStatus(204));
            awaitModel(page, session, "1002 0 0");
            assertThat(page.locator(".log")).containsText("line 1002");
        }
    }

    private static long sent() throws IOException {
        Matcher found = SENT.matcher(product.web().get("/metrics").response().body());
        assertTrue(found.find());
        return (long) Double.parseDouble(found.group(1));
    }

    @Test
    void shouldTellTheSameByEventsToWhoMaySeeThem() throws IOException {
        Tracked session = track("by-events");
        String watcher = product.web()
                .post("/api/v1/tokens", "{\"role\":\"watcher\",\"session\":\"by-events\"}")
                .json()
                .text("token");
        try (Events events = product.web().with(watcher).follow("/api/v1/sessions?ended=5", "")) {
            JsonObject all = events.message();
            assertEquals(
                    List.of("by-events"),
                    all.objects("sessions").stream()
                            .map(view -> view.text("task_id", ""))
                            .toList());
            track("unseen");
            session.count(1, 1, "");
            session.awaitRecorded(1);
            session.close();
            JsonObject changed = events.message();
            assertEquals("sessions_changed", changed.text("type"));
            assertEquals(session.id(), changed.objects("sessions").getFirst().text("spawn_id", ""));
        }
    }
}
