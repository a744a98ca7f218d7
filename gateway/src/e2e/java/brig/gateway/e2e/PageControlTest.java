package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a captain does on the page, and what a watcher cannot. */
@Timeout(240)
class PageControlTest {
    private static Chromium chromium;
    private static Outside outside;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        outside = new Outside();
        outside.writePolicy("asks", 60_000);
        product = Product.start(outside.settings("build", "asks"));
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            outside.close();
            chromium.close();
        }
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void shouldStartFromAFormSpeakCancelAndTerminate() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            button(page, "Start…").click();
            assertThat(page.locator("[name=prompt]")).isFocused();
            // The list comes after the form; only a locator waits for it.
            assertThat(page.locator("[name=agent] option").last()).containsText("– not installed");
            List<String> agents = page.locator("[name=agent] option").allTextContents();
            assertTrue(
                    agents.getLast().endsWith("– not installed")
                            && !agents.getFirst().contains("not installed"),
                    () -> "those that can be started come first: " + agents);
            page.locator("[name=agent]").selectOption("shell");
            page.locator("[name=prompt]").fill("echo begun by hand");
            assertThat(page.locator("[name=path]")).hasCount(0);
            page.locator("[name=task_id]").fill("by-hand");
            page.locator("[name=policy]").selectOption("build");
            Chromium.shoot(page, "start");
            button(page, "Start").click();
            assertThat(page.locator(".log")).containsText("begun by hand");
            assertThat(page.locator("h1")).hasText("by-hand");

            Locator message = page.getByLabel("Message to the session");
            message.fill("echo said later; sleep 60");
            message.press("Enter");
            assertThat(message).hasValue("");
            message.press("ArrowUp");
            assertThat(message).hasValue("echo said later; sleep 60");
            assertThat(page.locator(".sent").last()).containsText("echo said later");
            assertThat(page.locator(".sent").first()).containsText("by page");
            page.reload();
            assertThat(page.locator(".sent").first()).containsText("echo begun by hand");
            assertThat(page.locator(".pill").first()).hasText("working");
            assertThat(page.locator(".line:has-text('said later')")).isVisible();
            button(page, "Cancel turn").click();
            assertThat(page.locator(".event:has-text('cancelled')")).isVisible();
            assertThat(button(page, "Cancel turn")).isDisabled();
            Chromium.shoot(page, "input");

            button(page, "Terminate…").click();
            assertThat(page.locator("dialog")).containsText("by-hand and everything that runs in it");
            button(page, "Terminate").last().click();
            assertThat(page.locator(".notice")).hasText("by-hand is terminated.");
            assertThat(page.locator(".event.state:has-text('terminated, as somebody asked')"))
                    .isVisible();
            assertThat(message).isHidden();
            assertThat(page.locator(".sessions h2:has-text('Ended')")).isVisible();
            assertThat(page.locator(".entry:has-text('by-hand') .does"))
                    .hasText(Pattern.compile("· ended \\d+:\\d\\d:\\d\\d, terminated"));
            page.keyboard().press("h");
            assertThat(page.locator(".past tr:has-text('by-hand')")).containsText("terminated");
            assertThat(page.locator(".past tr:has-text('by-hand') .failed")).hasCount(0);
            assertEquals(
                    "terminated",
                    product.web().get("/api/v1/spawns/by-hand").json().text("state"));
        }
    }

    @Test
    void shouldEndWhatTheFilterLeavesAndNothingElse() throws IOException {
        product.idle("batch-1");
        product.idle("batch-2");
        product.idle("stays");
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            page.keyboard().press("/");
            page.keyboard().type("batch");
            assertThat(page.locator(".entry")).hasCount(2);
            button(page, "Terminate these…").click();
            assertThat(page.locator("dialog")).containsText("2 sessions and everything that runs in them");
            assertThat(page.locator("dialog")).containsText("batch-2, batch-1");
            button(page, "Terminate").last().click();
            for (String name : List.of("batch-1", "batch-2")) {
                Await.until(
                        name + " has ended",
                        () -> product.ask("{\"action\":\"status\",\"id\":\"" + name + "\"}")
                                .has("ended_ms"));
            }
            assertEquals(
                    "running",
                    product.ask("{\"action\":\"status\",\"id\":\"stays\"}").text("state"));
        }
    }

    @Test
    void shouldBeFoundByTheNameThatPeopleGaveItAndSayWhereThereIsNone() throws IOException {
        Spawned named = product.idle("has-a-name");
        try (Page page = chromium.open(product, "/")) {
            page.navigate(product.url() + "/#/session/has-a-name");
            assertThat(page).hasURL(product.url() + "/#/session/" + named.id());
            assertThat(page.locator("h1")).hasText("has-a-name");
            for (String nobody : List.of("nobody-has-this", "spn_00000000000000000000none")) {
                page.navigate(product.url() + "/#/session/" + nobody);
                assertThat(page.locator("main h1")).hasText("There is no session " + nobody);
            }
            page.locator("main >> text=All sessions").click();
            assertThat(page.locator(".tiles")).isVisible();
        }
    }

    @Test
    void shouldSayWhyNothingWasStarted() throws IOException {
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            page.keyboard().press("s");
            page.locator("[name=agent]").selectOption("shell");
            page.locator("[name=mode]").selectOption("folder");
            page.locator("[name=path]").fill("/etc");
            button(page, "Start").click();
            assertThat(page.locator(".notice.error")).containsText("/etc");
            assertThat(page.locator("dialog")).isVisible();
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
        }
    }

    @Test
    void shouldBeATerminal() throws IOException {
        Spawned spawned = product.idle("terminal");
        try (Page page = chromium.open(spawned, "/terminal")) {
            Locator screen = page.locator(".xterm-rows");
            assertThat(screen).containsText("›");
            assertThat(page.locator(".terminal > p")).containsText("A line that you type is a message to the agent");
            page.keyboard().type("printf 'a line\\n10%%\\r99%%\\n\\033[38;2;1;2;3mtrue\\033[0m\\n'x");
            page.keyboard().press("Backspace");
            page.keyboard().press("Enter");
            assertThat(screen).containsText("a line99%true");
            assertThat(screen).containsText("› printf");
            assertThat(screen.locator("> div")
                            .filter(new Locator.FilterOptions().setHasText(Pattern.compile("^done\\s*$"))))
                    .hasCount(1);
            assertThat(screen.locator("span:text-is('true')")).hasCSS("color", "rgb(1, 2, 3)");
            Chromium.shoot(page, "terminal");
        }
    }

    @Test
    @Tag("slow")
    void shouldAskAPersonWhatMayBeReached() throws IOException {
        Spawned spawned = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"asks\",\"policy\":\"asks\","
                        + "\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"curl -sS http://" + outside.at("ask.test")
                        + "/one; curl -sS http://" + outside.at("ask.test") + "/two\"}"));
        try (Page page = chromium.open(spawned, "")) {
            Locator ask = page.locator(".waits .inline:has-text('" + outside.at("ask.test") + "')");
            assertThat(ask).containsText(Pattern.compile("\\d+s left"));
            assertThat(page.locator(".entry .badge")).hasText("1");
            Chromium.shoot(page, "ask");
            ask.getByText("Allow this request").click();
            assertThat(page.locator(".line:has-text('hello null')")).isVisible();
            assertThat(page.locator(".event.ask")).hasCount(2);
            ask.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Deny"))
                    .click();
            assertThat(page.locator(".line:has-text('a person refused it')")).isVisible();
            assertThat(ask).hasCount(0);
            page.keyboard().press("4");
            assertThat(page.locator(".requests .blocked")).hasCount(1);
            Chromium.shoot(page, "requests");
        }
    }

    @Test
    @Tag("slow")
    void shouldShareALinkThatShowsOneSessionUntilItIsRevoked() throws IOException {
        Spawned shown = product.idle("shown");
        product.idle("hidden");
        try (Page page = chromium.open(shown, "");
                Page other = chromium.page(Chromium.screen(1000, 700))) {
            button(page, "Share…").click();
            button(page, "Make a link").click();
            String link = page.locator("dialog input.link").inputValue();
            Chromium.shoot(page, "share");
            other.navigate(link);
            assertThat(other.locator("h1")).hasText("shown");
            assertThat(other.locator(".entry")).hasCount(1);
            assertThat(other.locator(".composer, .actions, button:has-text('Start…')"))
                    .hasCount(0);
            assertTrue(!other.url().contains("brig_"), "the secret is not in the address any more");
            assertEquals(
                    List.of(),
                    other.context().cookies().stream()
                            .filter(cookie -> !cookie.httpOnly)
                            .toList());
            assertThat(page.locator(".presence")).containsText("1 other watcher");
            product.ask("{\"action\":\"terminate\",\"id\":\"hidden\"}");
            try (Wire captain = shown.captain()) {
                captain.sendLine(Spawned.user("echo for all who watch"));
                assertThat(other.locator(".log")).containsText("for all who watch");
            }
            Chromium.shoot(other, "watcher");
            button(page, "Revoke").click();
            assertThat(other.locator("[role=alert]")).containsText("expired or was revoked");
            Chromium.shoot(other, "revoked");
            JsonObject tokens = product.ask("{\"action\":\"tokens\",\"session\":\"shown\"}");
            assertTrue(tokens.objects("tokens").stream().anyMatch(token -> token.flag("revoked")));
        }
    }

    @Test
    void shouldBeWorkedWithTheKeyboard() throws IOException {
        product.idle("first");
        product.idle("second");
        try (Page page = chromium.open(product, "/")) {
            page.locator(".entry:has-text('second')").waitFor();
            page.keyboard().press("j");
            assertThat(page.locator("h1")).hasText("second");
            page.keyboard().press("j");
            assertThat(page.locator("h1")).hasText("first");
            page.keyboard().press("k");
            assertThat(page.locator("h1")).hasText("second");
            page.keyboard().press("?");
            assertThat(page.locator("dialog")).containsText("next, previous session");
            Chromium.shoot(page, "keys");
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
            page.keyboard().press("i");
            assertThat(page.getByLabel("Message to the session")).isFocused();
            page.keyboard().type("j");
            assertThat(page.locator("h1")).hasText("second");
            page.keyboard().press("Escape");
            page.keyboard().press("Escape");
            assertThat(page.locator(".tiles")).isVisible();
        }
    }
}
