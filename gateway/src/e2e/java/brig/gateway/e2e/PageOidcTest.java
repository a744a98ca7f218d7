package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in by an issuer in a real browser, which has the cookies and follows the redirects. */
@Timeout(240)
@Tag("slow")
class PageOidcTest {
    @TempDir
    private Path folder;

    @Test
    void shouldSignAPersonInWhoStartsASession() throws IOException {
        try (Chromium chromium = Chromium.start();
                IssuerServer server = new IssuerServer();
                Product product = Product.start(server.settings(folder));
                Page page = chromium.page(Chromium.screen(1360, 820).setColorScheme(ColorScheme.LIGHT));
                Page guest = chromium.page(Chromium.screen(390, 780).setColorScheme(ColorScheme.DARK))) {
            page.navigate(product.url());
            assertThat(page.locator(".welcome")).containsText("Sign in with Example");
            PageAccessTest.requireAccessible(page);
            server.issuer().is("ann@example.org", "engineers");
            page.locator("text=Sign in with Example").click();
            assertThat(page.locator(".me")).hasText("oidc:ann@example.org captain");
            assertEquals(product.url() + "/#/", page.url(), "the ticket is gone");
            page.keyboard().press("s");
            assertThat(page.locator("[name=prompt]")).isFocused();
            page.keyboard().type("echo by ann");
            page.locator("[name=agent]").selectOption("shell");
            page.locator("form.start .primary").click();
            assertThat(page.locator(".log")).containsText("by ann");
            assertEquals(
                    "oidc:ann@example.org",
                    product.web()
                            .get("/api/v1/spawns")
                            .json()
                            .objects("spawns")
                            .getFirst()
                            .text("captain"));
            Await.until(
                    "the audit names her",
                    () -> Files.readAllLines(product.log()).stream()
                            .anyMatch(line -> line.contains("spawn") && line.contains("captain=oidc:ann@example.org")));

            server.issuer().is("eve@example.org", "nobodies");
            guest.navigate(product.url());
            guest.locator("text=Sign in with Example").click();
            assertThat(guest.locator("body")).containsText("oidc:eve@example.org has no role here");
            PageAccessTest.requireAccessible(guest);
            server.issuer().is("bob@example.org", "guests");
            guest.locator("text=Back to Brig").click();
            guest.locator("text=Sign in with Example").click();
            assertThat(guest.locator(".me")).hasText("oidc:bob@example.org watcher");
            assertThat(guest.locator("text=Start…")).hasCount(0);

            page.locator("text=Sign out").first().click();
            page.locator("dialog button:has-text('Sign out')").click();
            assertThat(page.locator("text=Sign in with Example")).isVisible();
            Await.until(
                    "the token is revoked",
                    () -> Files.readAllLines(product.log()).stream().anyMatch(line -> line.contains("sign_out")));
            assertEquals(List.of(), chromium.faults());
        }
    }
}
