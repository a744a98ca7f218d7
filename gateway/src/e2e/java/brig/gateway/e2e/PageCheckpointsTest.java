package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checkpoints on the page's scrubber, and what a person does with them. */
@Timeout(240)
@Tag("slow")
class PageCheckpointsTest {
    private static final int KEPT_MAX = 3;
    private static final String HOSTILE = "<img src=x onerror=alert(1)>";

    private static Chromium chromium;
    private static Product product;
    private static Path repository;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start(Map.of("worker", Map.of("checkpoints", Map.of("max", KEPT_MAX))));
        repository = Files.createDirectories(product.workspaces().resolve("shop"));
        Run made = Run.of(
                List.of(
                        "sh",
                        "-ec",
                        "cd " + repository + " && git init -q . && echo one > a.txt && git add . && "
                                + "git -c user.name=t -c user.email=t@example.org commit -qm first"
                                + (Product.isRoot() ? " && chown -R 59617:59617 ." : "")),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
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

    private static Spawned spawn(Map<String, ?> more) throws IOException {
        Map<String, Object> request = new HashMap<>(Map.of(
                "action",
                "spawn",
                "workspace_mode",
                "worktree",
                "repository",
                repository.toString(),
                "agent_config",
                Map.of("name", "shell")));
        request.putAll(more);
        return new Spawned(product, product.ask(new String(Json.write(request), StandardCharsets.UTF_8)));
    }

    private static void say(Page page, String script, String said) {
        page.locator(".composer textarea").fill(script);
        page.locator(".composer textarea").press("Enter");
        assertThat(page.locator(".log")).containsText(said);
        assertThat(page.locator(".head .pill").first()).hasText("idle");
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator marks(Page page) {
        return page.locator(".marks button");
    }

    @Test
    void shouldForkFromAMarkCompareAndApplyByKeyboardAlone() throws IOException {
        Spawned origin = spawn(Map.of("task_id", "origin", "checkpoints", "auto"));
        try (Page page = chromium.open(origin, "")) {
            say(page, "echo two > a.txt; echo first-turn", "first-turn");
            product.ask("{\"action\":\"checkpoint\",\"id\":\"origin\"}");
            say(page, "echo three > a.txt; echo later > b.txt; echo second-turn", "second-turn");
            assertThat(marks(page)).hasCount(4);
            Locator byHand = marks(page).nth(2);
            assertThat(byHand).hasAttribute("aria-label", Pattern.compile("Checkpoint \\d+, .*\\d:\\d\\d.*, by hand"));
            assertThat(marks(page).last())
                    .hasAttribute("aria-label", Pattern.compile("Checkpoint \\d+, .*, automatic, before a message"));
            assertThat(page.locator(".marks [tabindex='0']")).hasCount(1);
            assertThat(page.locator(".checkpoint")).hasCount(0);

            marks(page).last().focus();
            page.keyboard().press("ArrowLeft");
            assertThat(byHand).isFocused();
            page.keyboard().press("Enter");
            assertThat(byHand).hasAttribute("aria-pressed", "true");
            assertThat(page.locator(".checkpoint")).containsText(Pattern.compile("Checkpoint \\d+.*by hand"));
            assertThat(page.locator(".log")).containsText("first-turn");
            assertThat(page.locator(".log")).not().containsText("second-turn");
            assertThat(button(page, "Fork from here…")).isVisible();
            PageAccessTest.requireAccessible(page);
            Chromium.shoot(page, "checkpoints");

            button(page, "Fork from here…").focus();
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog [name=prompt]")).isFocused();
            PageAccessTest.requireAccessible(page);
            Chromium.shoot(page, "checkpoints-fork");
            page.keyboard().type("echo forked >> a.txt; cat a.txt");
            page.keyboard().press("Tab");
            page.keyboard().type("other");
            page.keyboard().press("Enter");
            assertThat(page.locator("h1")).hasText("other");
            assertThat(page.locator(".log")).containsText(Pattern.compile("two.*forked", Pattern.DOTALL));

            page.keyboard().press("3");
            page.locator("[name=beside]").selectOption("origin");
            assertThat(page.locator(".changes")).hasCount(2);
            assertThat(page.locator(".changes h2")).hasText(new String[] {"other", "origin"});
            button(page, "Apply…").first().focus();
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog")).containsText("The changes of other");
            page.keyboard().press("Enter");
            assertThat(page.locator(".notice")).containsText("Applied to " + repository);
            assertEquals("two\nforked\n", Files.readString(repository.resolve("a.txt")));
            assertFalse(Files.exists(repository.resolve("b.txt")), "that is the origin's");
        }
    }

    @Test
    void shouldGoBackAndSayWhenACheckpointIsNoLongerKept() throws IOException {
        Spawned session = spawn(Map.of("task_id", "back"));
        try (Page page = chromium.open(session, "")) {
            say(page, "echo one > kept.txt; echo said-one", "said-one");
            product.ask("{\"action\":\"checkpoint\",\"id\":\"back\"}");
            say(page, "echo two > kept.txt; echo said-two", "said-two");
            marks(page).last().click();
            button(page, "Restore…").click();
            assertThat(page.locator("dialog")).containsText("The worktree of back becomes what it was at checkpoint");
            button(page, "Restore").click();
            assertThat(page.locator(".notice")).containsText("what was there before is checkpoint");
            assertThat(page.locator(".log")).containsText("the worktree is what it was at checkpoint");
            assertEquals("one\n", Files.readString(session.workspace().resolve("kept.txt")));
            assertThat(marks(page).last())
                    .hasAttribute("aria-label", Pattern.compile(".*automatic, before going back to \\d+"));

            marks(page).first().click();
            assertThat(page.locator(".checkpoint")).containsText("Checkpoint 0");
            assertThat(button(page, "Restore…")).isVisible();
            for (int i = 0; i < KEPT_MAX; i++) {
                product.ask("{\"action\":\"checkpoint\",\"id\":\"back\"}");
            }
            assertThat(marks(page)).hasCount(3 + KEPT_MAX);
            marks(page).nth(1).click();
            assertThat(page.locator(".checkpoint")).containsText("It is no longer kept.");
            assertThat(button(page, "Restore…")).hasCount(0);
            assertThat(button(page, "Fork from here…")).hasCount(0);
            marks(page).nth(3).click();
            assertThat(button(page, "Restore…")).isVisible();
        }
    }

    @Test
    void shouldOfferAWatcherNothingAndMakeNoMarkupOfATitle() throws IOException {
        Spawned session = spawn(Map.of("prompt", ": '" + HOSTILE + "'; echo ready"));
        product.ask("{\"action\":\"checkpoint\",\"id\":\"" + session.id() + "\"}");
        String shared = product.ask(
                        "{\"action\":\"open\",\"share\":true,\"expires_seconds\":600,\"id\":\"" + session.id() + "\"}")
                .text("url", "");
        try (Page page = chromium.page(Chromium.screen(390, 780).setColorScheme(ColorScheme.DARK))) {
            page.navigate(shared);
            assertThat(marks(page)).hasCount(2);
            marks(page).last().click();
            assertThat(page.locator(".checkpoint")).containsText("by hand");
            assertThat(page.locator(".checkpoint button")).hasCount(0);
            assertEquals(390, page.evaluate("document.documentElement.scrollWidth"));
            Chromium.shoot(page, "checkpoints-watcher");
        }
        try (Page page = chromium.open(session, "")) {
            page.onDialog(dialog -> {
                throw new AssertionError("a script ran: " + dialog.message());
            });
            marks(page).last().click();
            for (String action : List.of("Restore…", "Fork from here…")) {
                button(page, action).click();
                assertThat(page.locator("dialog")).containsText(HOSTILE);
                assertThat(page.locator("dialog img")).hasCount(0);
                page.keyboard().press("Escape");
                assertThat(page.locator("dialog")).hasCount(0);
            }
        }
        assertTrue(chromium.hosts().stream().allMatch("127.0.0.1"::equals), "nothing is asked elsewhere");
    }
}
