package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Other hosts, as a person chooses and sees them: on the page, and by a command. */
@Timeout(240)
@Tag("slow")
class PageHostsTest {
    private static final String NAME = "build1";

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** A captain's list has what is chosen by, and not the way there. */
    private static void requireCaptainsChoice(Product product) throws IOException {
        String token = product.web()
                .post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"alice\"}")
                .json()
                .text("token", "");
        String listed =
                product.web().with(token).get("/api/v1/hosts").response().body();
        assertTrue(listed.contains("\"name\":\"build1\"") && listed.contains("\"labels\":[\"far\"]"), listed);
        assertFalse(listed.contains("\"ssh\""), listed);
    }

    @Test
    void shouldStartWhereAPersonChoosesAndShowWhatIsOutOfReach() throws IOException {
        SshHost host = SshHost.start(NAME);
        try (RemoteSite site = RemoteSite.start(Map.of(), host);
                Chromium chromium = Chromium.start();
                Page page = chromium.open(site.product(), "/")) {
            requireCaptainsChoice(site.product());
            button(page, "Start…").click();
            Locator place = page.locator("[name=place]");
            assertThat(place.locator("option")).hasText(new String[] {"this host", NAME, "any with far"});
            page.locator("[name=agent]").selectOption("shell");
            page.locator("[name=prompt]").fill("echo begun there; sleep 600");
            page.locator("[name=task_id]").fill("far-away");
            place.selectOption("on far");
            Locator mode = page.locator("[name=mode]");
            Locator path = page.locator("label:has([name=path])");
            mode.selectOption("copy");
            assertThat(path).containsText("Folder to copy on that host");
            place.selectOption("host " + NAME);
            assertThat(path).containsText("Folder to copy on " + NAME);
            mode.selectOption("worktree");
            assertThat(path).containsText("Repository on this host");
            mode.selectOption("");
            place.selectOption("on far");
            Chromium.shoot(page, "start-host");
            PageAccessTest.requireAccessible(page);
            button(page, "Start").click();
            assertThat(page.locator(".log")).containsText("begun there");
            assertThat(page.locator(".entry")).containsText("on " + NAME);
            assertTrue(site.product().brig("status").out().contains("hosts        1 up\n"));

            host.stopServer();
            host.killSessions();
            page.navigate(page.url().replaceAll("#.*", "#/"));
            Locator tile = page.locator(".tile:has-text('far-away')");
            assertThat(tile.locator(".does")).hasText("out of reach");
            assertThat(tile).containsText("shell on " + NAME);
            for (ColorScheme colours : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(colours));
                PageAccessTest.requireAccessible(page);
                Chromium.shoot(page, "out-of-reach-" + colours);
            }
            site.awaitState(NAME, "down");
            String status = site.product().brig("status").out();
            assertTrue(status.contains("hosts        1 down (build1: "), status);
            assertEquals(List.of(), chromium.faults());
        }
    }
}
