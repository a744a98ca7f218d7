package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links to one place of a session, for oneself and for others; and who a browser is when it opens one. */
@Timeout(240)
@Tag("slow")
class PageLinksTest {
    private static final String ROLE = "JSON.parse(localStorage.getItem('brig')).role";

    private static Chromium chromium;
    private static Product product;
    private static Spawned done;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        done = new Story(product, "0").begin("linked", false);
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
    }

    private static Locator button(Page page, String name) {
        return page.locator("button:has-text('" + name + "')");
    }

    /** Scenario: somebody shows one call of a tool to a person without an account, and takes the link back later. */
    @Test
    void shouldLeadOthersToOneCallAndTakeTheLinkBackLater() throws IOException {
        try (Page page = chromium.open(done, "");
                Page other = chromium.page(Chromium.screen(1000, 700))) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            assertThat(page.locator(".event.done")).isVisible();
            Locator call = page.locator(".at.k-tool:has-text('npm test')");
            call.hover();
            call.locator(".anchor").click();
            assertThat(page.locator(".notice")).containsText("Link copied.");
            String place = (String) page.evaluate("navigator.clipboard.readText()");
            assertTrue(place.matches(".*/#/session/" + done.id() + "/frame/\\d+"), place);
            assertEquals(place, page.url());

            other.navigate(place);
            assertThat(other.locator(".welcome")).containsText("for those who are signed in here");
            button(page, "Share…").click();
            button(page, "Make a link").click();
            String link = page.locator("dialog input.link").inputValue();
            assertTrue(link.endsWith(place.substring(place.indexOf("/session/"))), link);
            Chromium.shoot(page, "share-place");
            other.navigate("about:blank");
            other.navigate(link);
            assertThat(other.locator(".linked .head")).hasAttribute("aria-expanded", "true");
            assertThat(other.locator(".linked .output")).containsText("takes a tenth off");

            page.reload();
            button(page, "Share…").click();
            assertThat(page.locator("dialog .links li")).hasCount(1);
            PageAccessTest.requireAccessible(page);
            Chromium.shoot(page, "share-again");
            button(page, "Revoke").click();
            assertThat(page.locator("dialog .links li")).hasCount(0);
            assertThat(other.locator("[role=alert]").first()).containsText("expired or was revoked");
            page.goBack();
            assertThat(page.locator("dialog")).hasCount(0);
        }
    }

    /** Scenario: an admin opens a link that was made for others, in the browser that is signed in. */
    @Test
    void shouldAskBeforeASharedLinkReplacesWhoIsSignedIn() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            String shared = product.ask(
                            "{\"action\":\"open\",\"share\":true,\"expires_seconds\":600,\"id\":\"" + done.id() + "\"}")
                    .text("url", "");
            page.evaluate("(link) => void (location.href = link)", shared);
            assertThat(page.locator("dialog")).containsText("You are signed in here as");
            Chromium.shoot(page, "who-to-be");
            button(page, "Stay").click();
            assertThat(page.locator("dialog")).hasCount(0);
            assertThat(page.locator("h1")).hasText("linked");
            assertEquals("admin", page.evaluate(ROLE));
            page.evaluate("(link) => void (location.href = link)", shared);
            button(page, "Sign in with the link").click();
            assertThat(page.locator(".sidebar .me b")).hasText("watcher");
            assertThat(page.locator(".link")).hasText("live");
            assertThat(page.locator(".event.done")).isVisible();
            button(page, "Sign out").click();
            assertThat(page.locator("dialog")).containsText("This browser forgets who you are");
            page.keyboard().press("Escape");
            assertEquals("watcher", page.evaluate(ROLE));
            assertThat(page).hasTitle(Pattern.compile("^linked · Brig$"));
        }
    }
}
