package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person sees on the page, of real workers, in a real browser; each with a picture among the reports. */
@Timeout(240)
class PageTest {
    private static Chromium chromium;
    private static Product product;
    private static Spawned nested;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        product = Product.start();
        nested = product.spawn("mock", "#scenario:subagent-nested", false);
    }

    @AfterEach
    void requireNoFaults() {
        assertEquals(List.of(), chromium.faults());
        assertEquals(Set.of("127.0.0.1"), chromium.hosts(), "nothing is asked elsewhere");
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            chromium.close();
        }
    }

    private static Spawned named(String taskId, String agent, String prompt) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\",\"agent_config\":{\"name\":\"" + agent
                        + "\"},\"prompt\":\"" + prompt + "\"}"));
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void shouldShowEverySessionAtAGlance() throws IOException {
        named("writes", "demo-writer", "so many words come one by one");
        named("waits", "shell", "echo ready");
        product.shell("echo over; exit 3");
        try (Page page = chromium.open(product, "/")) {
            assertThat(page.locator(".link")).hasText("live");
            assertThat(page.locator(".tile:has-text('writes') .lines")).containsText("so many words");
            assertThat(page.locator(".tile:has-text('waits') .lines")).containsText("ready");
            assertThat(page.locator(".gauges"))
                    .containsText(Pattern.compile(
                            "that run.*of 200.*to start.*0 of 256.*connections.*[1-9]\\d* of 12000.*starts sessions",
                            Pattern.DOTALL));
            Locator entry = page.locator(".entry[href*='" + nested.id() + "']");
            assertThat(entry.locator(".name")).hasText("#scenario:subagent-nested");
            assertThat(entry).containsText("mock");
            assertThat(entry).containsText("$0.001");
            assertThat(page.locator(".figure:has-text('Live')"))
                    .containsText(Pattern.compile("Live\\d+\\s.*idle", Pattern.DOTALL));
            assertThat(page.locator(".figure:has-text('Cost')"))
                    .containsText(Pattern.compile("\\$0\\.\\d+.*tokens", Pattern.DOTALL));
            assertThat(page.locator(".past")).containsText("exit code 3");
            assertThat(page.locator(".sessions")).containsText("Ended");
            Chromium.shoot(page, "overview");
        }
    }

    @Test
    @Tag("slow")
    void shouldFilterTheSessionsByWordsThatStandInTheAddress() throws IOException {
        Spawned calm = named("filter-calm", "mock", "#scenario:text:1");
        named("filter-busy", "shell", "echo ready; sleep 600");
        Spawned over = product.shell("echo over");
        try (Page page = chromium.open(product, "/")) {
            Locator entries = page.locator(".entry");
            assertThat(page.locator(".entry:has-text('filter-calm') .does")).hasText("· idle");
            page.keyboard().press("/");
            page.keyboard().type("FILTER");
            assertThat(entries).hasCount(2);
            assertThat(page.locator(".tile")).hasCount(2);
            page.keyboard().type(" shell");
            assertThat(entries).hasCount(1);
            assertThat(page.locator(".entry .name")).hasText("filter-busy");
            page.keyboard().press("Control+a");
            page.keyboard().type("filter idle");
            assertThat(page).hasURL(product.url() + "/#/?find=filter+idle");
            assertThat(entries).hasCount(1);
            assertThat(page.locator(".entry .name")).hasText("filter-calm");
            assertThat(page.locator(".sessions h2").first()).hasText(Pattern.compile("Live 1 of \\d+"));
            Chromium.shoot(page, "filter");
            page.keyboard().press("Enter");
            page.locator(".filter input").blur();
            page.keyboard().press("j");
            assertThat(page).hasURL(product.url() + "/#/session/" + calm.id() + "?find=filter+idle");
            assertThat(page.locator(".log")).containsText("tok0");
            page.keyboard().press("j");
            page.reload();
            assertThat(page).hasURL(product.url() + "/#/session/" + calm.id() + "?find=filter+idle");
            assertThat(entries).hasCount(1);
            assertThat(page.getByLabel("Filter the sessions")).hasValue("filter idle");
            page.getByLabel("Filter the sessions").fill("<img src=x onerror=alert(1)> %?&#");
            assertThat(entries).hasCount(0);
            page.getByLabel("Filter the sessions").fill(over.id());
            assertThat(page.locator(".sessions h2").last()).containsText("Ended 1");
            assertThat(page).hasURL(product.url() + "/#/session/" + calm.id() + "?find=" + over.id());
        }
    }

    @Test
    @Tag("slow")
    void shouldShowColoursAndFoldThoughtsAndTools() throws IOException {
        Spawned coloured = named(
                "colours",
                "shell",
                "printf '\\\\033[31mFAIL\\\\033[0m db \\\\033[38;5;208morange\\\\033[0m\\\\n10%%\\\\r99%%\\\\n'");
        try (Page page = chromium.open(coloured, "")) {
            assertThat(page.locator(".line .fg-ansi-red")).hasText("FAIL");
            assertThat(page.locator(".line span:has-text('orange')").first()).hasCSS("color", "rgb(255, 135, 0)");
            assertThat(page.locator(".line:has-text('99%')")).hasText("99%");
            Chromium.shoot(page, "colours");
        }
        try (Page page = chromium.open(named("thinks", "mock", "#scenario:think"), "")) {
            Locator head = page.locator(".thought .head");
            assertThat(head).hasAttribute("aria-expanded", "false");
            head.click();
            assertThat(page.locator(".thought .body")).containsText("think19");
            button(page, "Follow").click();
            page.getByLabel("thoughts").uncheck();
            assertThat(page.locator(".thought")).hasCount(0);
        }
        try (Page page = chromium.open(named("uses-a-tool", "mock", "#scenario:shell:echo from-a-tool"), "")) {
            page.locator(".tool .head").waitFor();
            page.keyboard().press("/");
            page.keyboard().type("Echo from");
            assertThat(page.locator(".tool .head mark").first()).hasText("echo from");
            assertThat(page.locator(".tool .input")).hasText("$ echo from-a-tool");
            assertThat(page.locator(".tool .input mark")).hasText("echo from");
            assertThat(page.locator(".tool .output")).containsText("from-a-tool");
            Chromium.shoot(page, "tool");
        }
    }

    @Test
    void shouldMakeNoMarkupOfWhatAnAgentSays() throws IOException {
        Spawned hostile = named(
                "hostile",
                "shell",
                "printf '<img src=x onerror=alert(1)><script>alert(2)</script>\\\\033]8;;"
                        + "javascript:alert(3)\\\\007link\\\\033]8;;\\\\007 \\\\033[31m<b>red</b>\\\\033[0m\\\\n'");
        try (Page page = chromium.open(hostile, "")) {
            page.onDialog(dialog -> {
                throw new AssertionError("a script of the agent ran: " + dialog.message());
            });
            assertThat(page.locator(".line").first())
                    .hasText("<img src=x onerror=alert(1)><script>alert(2)</script>link <b>red</b>");
            assertEquals(
                    0, page.locator(".log .line").locator("img, script, b, a").count());
            page.locator("[data-tab=terminal]").click();
            assertThat(page.locator(".xterm-rows")).containsText("<script>alert(2)</script>");
            assertEquals(
                    0, page.locator(".terminal").locator("img, script, b, a").count());
        }
    }

    @Test
    void shouldObeyNoControlSequenceOfAnAgent() throws IOException {
        Spawned hostile = named(
                "commands",
                "shell",
                "printf '\\\\033]0;PWNED\\\\007\\\\033]52;c;UFdORUQ=\\\\007\\\\033]8;;http://127.0.0.1/x\\\\007lead"
                        + "\\\\033]8;;\\\\007 \\\\033[6n\\\\033[c\\\\033P$qm\\\\033\\\\\\\\end\\\\n'");
        List<String> asked = new ArrayList<>();
        try (Page page = chromium.open(hostile, "/terminal")) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            page.evaluate("navigator.clipboard.writeText('mine')");
            page.onDialog(dialog -> {
                asked.add(dialog.message());
                dialog.dismiss();
            });
            page.context().onPage(opened -> asked.add(opened.url()));
            Locator lead = page.locator(".xterm-rows span:has-text('lead')").first();
            assertThat(lead).containsText("lead");
            BoundingBox box = lead.boundingBox();
            page.mouse().move(box.x + 8, box.y + 8);
            page.mouse().click(box.x + 8, box.y + 8);
            assertThat(page.locator(".xterm-rows")).not().containsText("0;276");
            assertEquals("mine", page.evaluate("navigator.clipboard.readText()"));
            assertFalse(page.title().contains("PWNED"), page::title);
            assertEquals(List.of(), asked, "a link leads nowhere");
        }
    }

    @Test
    void shouldSignInByALinkInATabThatShowsThePage() throws IOException {
        try (Page page = chromium.page(Chromium.screen(1360, 820))) {
            page.navigate(product.url() + "/");
            assertThat(page.locator(".welcome")).isVisible();
            // Behind the page's own listener: what it leaves in the address at once.
            page.evaluate("addEventListener('hashchange', () => window.left = location.hash)");
            String link = product.ask("{\"action\":\"open\",\"id\":\"" + nested.id() + "\"}")
                    .text("url", "");
            page.evaluate("(link) => void (location.href = link)", link);
            assertThat(page.locator(".log")).containsText("Nested run over.");
            assertEquals("#/session/" + nested.id(), page.evaluate("window.left"));
            assertThat(page).hasURL(product.url() + "/#/session/" + nested.id());

            page.evaluate("(link) => void (location.href = link)", link);
            assertThat(page.locator(".notice")).containsText("The link was not accepted");
            assertEquals("#/session/" + nested.id(), page.evaluate("location.hash"), "used up, and gone all the same");
            assertThat(page.locator(".log")).containsText("Nested run over.");

            Spawned other = named("shared-in-tab", "shell", "echo for watchers");
            String shared = product.ask("{\"action\":\"open\",\"share\":true,\"expires_seconds\":600,\"id\":\""
                            + other.id() + "\"}")
                    .text("url", "");
            page.evaluate("(link) => void (location.href = link)", shared);
            button(page, "Sign in with the link").click();
            assertThat(page.locator(".log")).containsText("for watchers");
            // The admin sees that session too, below the question.
            assertThat(page.locator(".sidebar .me b")).hasText("watcher");
            assertEquals("watcher", page.evaluate("JSON.parse(localStorage.getItem('brig')).role"));
            assertThat(page.locator(".link")).hasText("live");
        }
    }

    @Test
    @Tag("slow")
    void shouldSearchFollowCopyAndDownload() throws IOException {
        Spawned talks = named(
                "talks", "shell", "printf 'x%.0s' $(seq 2500); echo; for i in $(seq 500); do echo the line $i; done");
        try (Page page = chromium.open(talks, "")) {
            page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            assertThat(page.locator(".log")).containsText("the line 500");
            page.keyboard().press("/");
            page.keyboard().type("LINE 17");
            assertThat(page.locator(".finder input")).hasValue("LINE 17");
            assertThat(page.locator(".finder [role=status]")).hasText("11 of 11");
            assertThat(page.locator(".found")).hasText("the line 179");
            page.keyboard().press("Enter");
            assertThat(page.locator(".found")).hasText("the line 178");
            Chromium.shoot(page, "search");
            page.keyboard().press("Escape");
            assertThat(button(page, "Follow")).hasAttribute("aria-pressed", "false");
            page.keyboard().press("f");
            assertThat(page.locator(".line:has-text('the line 500')")).isInViewport();
            page.locator(".log").hover();
            page.mouse().wheel(0, -2_000);
            assertThat(button(page, "Follow")).hasAttribute("aria-pressed", "false");

            button(page, "Copy").click();
            assertThat(page.locator(".notice")).hasText(Pattern.compile("Copied 50\\d rows."));
            String copied = (String) page.evaluate("navigator.clipboard.readText()");
            assertTrue(copied.contains("x".repeat(2500) + "\nthe line 1\nthe line 2\n"), copied);
            Download download =
                    page.waitForDownload(() -> button(page, "Download").click());
            List<String> frames = Files.readAllLines(download.path());
            long last = 0;
            for (String line : frames) {
                JsonObject frame = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
                long seq = frame.number("seq", 0);
                assertEquals(last + 1, frame.number("from", seq));
                last = seq;
            }
            assertEquals(talks.id() + ".ndjson", download.suggestedFilename());
        }
    }

    @Test
    void shouldDrawTheAgentsAndNarrowToOneOfThem() throws IOException {
        try (Page page = chromium.open(nested, "")) {
            assertThat(page.locator(".node")).hasCount(3);
            assertEquals(
                    true,
                    page.locator(".drawing").evaluate("(one) => one.scrollWidth <= one.clientWidth"),
                    "the tree fits beside the stream");
            List<String> told =
                    product.web().get("/api/v1/sessions/" + nested.id() + "/tree").json().objects("agents").stream()
                            .map(agent -> agent.text("agent_id", "") + " " + agent.text("status", ""))
                            .toList();
            assertEquals(
                    told,
                    page.locator(".node").all().stream()
                            .skip(1)
                            .map(node -> node.getAttribute("data-agent") + " " + node.getAttribute("data-status"))
                            .toList());
            assertThat(page.locator(".log")).containsText("Nested run over.");
            page.locator(".node").nth(2).click();
            assertThat(page.locator(".log")).containsText("Child INNER starts.");
            assertThat(page.locator(".log")).not().containsText("Nested run over.");
            assertThat(page.locator(".log")).not().containsText("Child delegates further.");
            assertThat(page.locator(".details")).containsText("Sub-task agentInner");
            Chromium.shoot(page, "agents");
            page.keyboard().press("Escape");
            assertThat(page.locator(".log")).containsText("Nested run over.");
        }
    }

    @Test
    void shouldTravelInTime() throws IOException {
        try (Page page = chromium.open(nested, "")) {
            assertThat(page.locator(".node")).hasCount(3);
            assertThat(page.locator(".ticks path")).hasAttribute("d", Pattern.compile("M\\d+ 0V4"));
            Locator moment = page.getByLabel("Moment of the session, by frame");
            moment.evaluate("(slider) => { slider.value = 6; slider.dispatchEvent(new Event('input')); }");
            assertThat(page.locator(".scrubber .where")).containsText("frame 6 of");
            assertThat(page.locator(".node")).hasCount(2);
            assertThat(page.locator(".node").nth(1)).hasAttribute("data-status", Pattern.compile("spawned|running"));
            assertThat(page.locator(".log")).not().containsText("Nested run over.");
            Chromium.shoot(page, "time-travel");
            button(page, "Now").click();
            assertThat(page.locator(".log")).containsText("Nested run over.");
            assertThat(page.locator(".node")).hasCount(3);
        }
    }

    private static Path repository(String name) throws IOException {
        Path repository = Files.createDirectories(product.workspaces().resolve(name));
        Run made = Run.of(
                List.of(
                        "sh",
                        "-ec",
                        "cd " + repository
                                + " && git init -q . && printf 'one\\ntwo words here\\nthree\\n' > a.txt && git add . && "
                                + "git -c user.name=t -c user.email=t@example.org commit -qm first && if [ $(id -u) = 0 ]; then chown -R 59617 .; fi"),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        return repository;
    }

    @Test
    @Tag("slow")
    void shouldShowTheChangesOfAForkBesideThoseOfItsOrigin() throws IOException {
        Spawned origin = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"one-way\",\"workspace_mode\":\"worktree\","
                        + "\"repository\":\"" + repository("forked")
                        + "\",\"agent_config\":{\"name\":\"shell\"},"
                        + "\"prompt\":\"sed -i 's/two/2/' a.txt; echo new > b.txt; echo changed\"}"));
        try (Page page = chromium.open(origin, "")) {
            assertThat(page.locator(".log")).containsText("changed");
            product.ask("{\"action\":\"fork\",\"id\":\"one-way\",\"task_id\":\"other-way\",\"once\":true,"
                    + "\"prompt\":\"rm b.txt; echo four >> a.txt\"}");
            Await.until(
                    "the fork has ended",
                    () -> product.ask("{\"action\":\"status\",\"id\":\"other-way\"}")
                            .text("state")
                            .equals("terminated"));
            page.keyboard().press("3");
            assertThat(page.locator("[name=beside]")).hasValue("");
            page.locator("[name=beside]").selectOption("other-way");
            Locator other = page.getByLabel("Changes of other-way", new Page.GetByLabelOptions().setExact(true));
            assertThat(other.locator("tr.added")).containsText(new String[] {"2 words here", "four"});
            assertThat(other.locator("summary")).hasCount(1);
            assertThat(other.getByText("Apply…")).isVisible();
            assertThat(page.locator(".changes").first().locator("summary")).hasCount(2);
            assertThat(page.locator(".changes h2")).hasText(new String[] {"one-way", "other-way"});
            Chromium.shoot(page, "changes-beside");
            page.locator("[name=beside]").selectOption("");
            assertThat(page.locator(".changes")).hasCount(1);
            product.ask("{\"action\":\"discard\",\"id\":\"other-way\"}");
            product.brig("terminate", "one-way");
            Await.until(
                    "the origin has ended",
                    () -> product.ask("{\"action\":\"status\",\"id\":\"one-way\"}")
                            .text("state")
                            .equals("terminated"));
            product.ask("{\"action\":\"discard\",\"id\":\"one-way\"}");
        }
    }

    @Test
    @Tag("slow")
    void shouldShowWhatTheWallEnforcesAndWhatChanged() throws IOException {
        Path repository = repository("project");
        Spawned changes = new Spawned(
                product,
                product.ask(
                        "{\"action\":\"spawn\",\"task_id\":\"changes\",\"workspace_mode\":\"worktree\","
                                + "\"repository\":\"" + repository + "\",\"agent_config\":{\"name\":\"shell\"},"
                                + "\"prompt\":\"sed -i 's/two/2/' a.txt; echo new > b.txt; printf '\\\\0\\\\1' > c.bin; echo changed\"}"));
        try (Page page = chromium.open(changes, "")) {
            assertThat(page.locator(".log")).containsText("changed");
            page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Changes"))
                    .click();
            assertThat(page.locator(".changes details")).hasCount(3);
            assertThat(page.locator(".changes summary:has-text('b.txt')")).containsText("new");
            assertThat(page.locator(".changes summary:has-text('c.bin')"))
                    .hasText(Pattern.compile("c.bin\\s*new\\s*binary\\s*"));
            assertThat(page.locator(".files li")).hasCount(3);
            assertThat(page.locator("tr.removed mark")).hasText("two");
            assertThat(page.locator("tr.added mark")).hasText("2");
            assertThat(page.locator(".changes")).containsText("brig/changes");
            Chromium.shoot(page, "changes");
            button(page, "Apply…").click();
            button(page, "Apply").click();
            assertThat(page.locator(".notice")).containsText("Applied to " + repository);
            assertThat(button(page, "Apply again…")).isVisible();
            assertEquals("one\n2 words here\nthree\n", Files.readString(repository.resolve("a.txt")));
            page.keyboard().press("4");
            assertThat(page.locator(".wall > p").first())
                    .containsText(Pattern.compile("All \\d+ properties that this wall declares hold\\."));
            assertThat(page.locator(".posture tr:has-text('tmp-sized')")).containsText("1 GiB");
            assertThat(page.locator(".posture tr.OK:has-text('no-capabilities')"))
                    .isVisible();
            assertThat(page.locator(".posture tr.FAIL")).hasCount(0);
            assertThat(page.locator(".wall")).containsText("without a way out");
            Chromium.shoot(page, "wall");
            product.ask("{\"action\":\"terminate\",\"id\":\"changes\"}");
            page.keyboard().press("3");
            button(page, "Discard…").click();
            button(page, "Discard").click();
            assertThat(page.locator(".notice")).containsText("Discarded.");
            assertEquals(List.of(), product.ask("{\"action\":\"workspaces\"}").objects("workspaces"));
        }
    }

    @Test
    void shouldServeAPhoneAndTheDark() throws IOException {
        try (Page page = chromium.open(product, Chromium.screen(390, 780).setColorScheme(ColorScheme.DARK), "/")) {
            assertThat(page.locator("body")).hasCSS("background-color", "rgb(18, 19, 20)");
            page.locator(".entry").last().waitFor();
            assertThat(page.locator(".figures")).isVisible();
            assertThat(page.locator(".tiles")).isHidden();
            Chromium.shoot(page, "phone-sessions");
            page.navigate(page.url().replaceAll("#.*", "#/session/" + nested.id()));
            assertThat(page.locator(".log")).containsText("Nested run over.");
            assertThat(page.locator(".sidebar")).isHidden();
            assertTrue(page.locator(".viewer > .head").boundingBox().height < 60, "the head is one line");
            page.getByLabel("Actions").click();
            assertThat(button(page, "Terminate…")).isVisible();
            page.getByLabel("Actions").click();
            assertEquals(390, page.evaluate("document.documentElement.scrollWidth"));
            Chromium.shoot(page, "phone-stream");
            page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Agents"))
                    .click();
            page.locator(".node").nth(1).click();
            assertThat(page.locator(".chip")).isVisible();
            page.locator(".back").click();
            assertThat(page.locator(".sidebar")).isVisible();
            page.getByLabel("Colours: auto").click();
            page.getByLabel("Colours: dark").click();
            assertThat(page.locator("body")).hasCSS("background-color", "rgb(247, 247, 245)");
        }
    }
}
