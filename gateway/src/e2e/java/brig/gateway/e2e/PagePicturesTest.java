package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotType;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pictures of docs/page.md and the README, of a real session; {@code docs/images} has copies of what this leaves. */
@Timeout(240)
@Tag("slow")
class PagePicturesTest {
    private static final int WIDTH = 1120;
    private static final int HEIGHT = 700;
    private static final int SECONDS_A_PICTURE = 3;
    private static final int TOUR_BYTES_MAX = 700_000;

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

    private static byte[] picture(Page page) {
        return page.screenshot(
                new Page.ScreenshotOptions().setType(ScreenshotType.JPEG).setQuality(72));
    }

    /** One picture after the other, each for some seconds, without a script. */
    private static String animated(List<byte[]> pictures) {
        int seconds = pictures.size() * SECONDS_A_PICTURE;
        double share = 100.0 / pictures.size();
        StringBuilder svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="A session, from its start to its changes">
                <style>image{opacity:0;animation:shown %ds step-end infinite}@keyframes shown{0%%{opacity:1}%.3f%%{opacity:0}}</style>
                """.formatted(WIDTH, HEIGHT, seconds, share));
        for (int i = 0; i < pictures.size(); i++) {
            svg.append("<image width=\"%d\" height=\"%d\" style=\"animation-delay:%ds\" href=\"data:image/jpeg;base64,"
                            .formatted(WIDTH, HEIGHT, i * SECONDS_A_PICTURE - (i == 0 ? 0 : seconds)))
                    .append(Base64.getEncoder().encodeToString(pictures.get(i)))
                    .append("\"/>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    @Test
    void shouldPictureASessionFromItsStartToItsChanges() throws IOException {
        List<byte[]> tour = new ArrayList<>();
        product.shell("echo 'all 214 tests pass'");
        product.ask(
                "{\"action\":\"spawn\",\"task_id\":\"release-notes\",\"agent_config\":{\"name\":\"demo-writer\"},"
                        + "\"prompt\":\"Version 1.4 takes a discount off the whole cart, counts items, and keeps every caller as it was.\"}");
        try (Page page =
                chromium.open(product, Chromium.screen(WIDTH, HEIGHT).setColorScheme(ColorScheme.LIGHT), "/")) {
            assertThat(page.locator(".tile:has-text('release-notes') .lines")).containsText("done");
            page.keyboard().press("s");
            page.locator("[name=agent] option")
                    .last()
                    .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.ATTACHED));
            page.locator("[name=agent]").selectOption("story-asks");
            page.locator("[name=prompt]").fill(Story.PROMPT);
            page.locator("[name=task_id]").fill("add-discounts");
            page.locator("[name=permissions]").selectOption("ask");
            page.locator("[name=mode]").selectOption("worktree");
            page.locator("[name=path]").fill(story.repository().toString());
            tour.add(picture(page));
            page.locator("form.start .primary").click();
            assertThat(page.locator("section.waits .detail")).containsText("npm test");
            tour.add(picture(page));
            page.locator(".brand").click();
            assertThat(page.locator(".wait .inline")).hasCount(1);
            tour.add(picture(page));
            Chromium.shoot(page, "docs-home");
            page.locator(".wait button:has-text('Allow')").first().click();
            page.keyboard().press("j");
            assertThat(page.locator(".event.done")).isVisible();
            assertThat(page.locator(".rail .files li")).hasCount(2);
            assertThat(page.locator("section.waits")).hasCount(0);
            tour.add(picture(page));
            page.keyboard().press("g");
            assertThat(page.locator(".thread .outcome").first()).isVisible();
            tour.add(picture(page));
            page.keyboard().press("3");
            assertThat(page.locator(".changes tr.added mark").first()).isVisible();
            tour.add(picture(page));
            Chromium.shoot(page, "docs-changes");
            page.keyboard().press("Control+k");
            page.locator("[role=option]").first().waitFor();
            tour.add(picture(page));
            Chromium.shoot(page, "docs-palette");
            page.keyboard().press("Escape");
            page.setViewportSize(1440, 900);
            page.keyboard().press("1");
            page.locator(".thread").first().waitFor();
            Chromium.shoot(page, "docs-session");
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
            page.keyboard().press("f");
            assertThat(page.locator(".event.done")).isInViewport();
            Chromium.shoot(page, "docs-session-dark");
            page.setViewportSize(390, 780);
            assertThat(page.locator(".back")).isVisible();
            Chromium.shoot(page, "docs-phone");
        }
        String svg = animated(tour);
        assertTrue(svg.length() < TOUR_BYTES_MAX, () -> svg.length() + " bytes");
        Files.writeString(Path.of(System.getProperty("brig.reports", "build/reports"), "page/tour.svg"), svg);
        assertEquals(List.of(), chromium.faults());
    }
}
