package brig.gateway.e2e;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assumptions;

/**
 * Debian's Chromium on the page of a product, driven by Playwright with a Node from npm. It notes what no test may see:
 * faults of the page's scripts, what its policy forbade, and which hosts were asked.
 */
final class Chromium implements AutoCloseable {
    static final Path PACKAGES = Path.of(System.getProperty("brig.npm", "none"));
    private static final Path PROGRAM = Path.of("/usr/bin/chromium");
    private static final Path NODE = PACKAGES.resolve("node/bin/node");
    private static final Path SHOTS = Path.of(System.getProperty("brig.reports", "build/reports"), "page");
    private static final int PATIENCE_MS = 60_000;

    private final Playwright playwright;
    private final Browser browser;
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final Set<String> hosts = new ConcurrentSkipListSet<>();

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Starts it; where it is not here the tests that need it are skipped, and say so. */
    static Chromium start() {
        List<Path> missing = List.of(PROGRAM, NODE).stream()
                .filter(file -> !Files.isExecutable(file))
                .toList();
        if (!missing.isEmpty()) {
            System.err.println(
                    "SKIPPED: the page is not tested, for want of " + missing + " (apt-get install chromium npm)");
        }
        Assumptions.assumeTrue(missing.isEmpty(), () -> missing + " is not here");
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
        Playwright playwright = Playwright.create(new Playwright.CreateOptions()
                .setEnv(Map.of("PLAYWRIGHT_NODEJS_PATH", NODE.toString(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        // As root Chromium runs without its sandbox or not at all.
        return new Chromium(
                playwright,
                playwright
                        .chromium()
                        .launch(new BrowserType.LaunchOptions()
                                .setExecutablePath(PROGRAM)
                                .setArgs(List.of("--no-sandbox"))));
    }

    static Browser.NewContextOptions screen(int width, int height) {
        return new Browser.NewContextOptions().setViewportSize(width, height);
    }

    /** A browser of somebody else, with nothing in it. */
    Page page(Browser.NewContextOptions options) {
        BrowserContext context = browser.newContext(options);
        context.setDefaultTimeout(PATIENCE_MS);
        context.onRequest(
                request -> hosts.add(String.valueOf(URI.create(request.url()).getHost())));
        Page page = context.newPage();
        page.onPageError(fault -> faults.add(fault));
        page.onConsoleMessage(message -> {
            // Requests that are refused, or lost with the network, are the page's to tell, and not its fault.
            if (message.type().equals("error")
                    && !message.text().startsWith("Failed to load resource")
                    && !message.text().startsWith("WebSocket connection to")) {
                faults.add(message.text());
            }
        });
        return page;
    }

    /** Opens the page as {@code brig open} does. */
    Page open(Product product, Browser.NewContextOptions options, String path) throws IOException {
        Page page = page(options);
        page.navigate(product.ask("{\"action\":\"open\"}").text("url", "") + path);
        return page;
    }

    Page open(Product product, String path) throws IOException {
        return open(product, screen(1360, 820).setColorScheme(ColorScheme.LIGHT), path);
    }

    /** The page of one session. */
    Page open(Spawned spawned, String part) throws IOException {
        return open(spawned.product(), "/session/" + spawned.id() + part);
    }

    /** Keeps a picture among the reports. */
    static void shoot(Page page, String name) {
        page.screenshot(new Page.ScreenshotOptions().setPath(SHOTS.resolve(name + ".png")));
    }

    /** What went wrong since it was asked last. */
    List<String> faults() {
        List<String> found = List.copyOf(faults);
        faults.clear();
        return found;
    }

    Set<String> hosts() {
        return hosts;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
