package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people see of budgets: how much is used up, what they answer, and what all of it cost. */
@Timeout(300)
class SpendTest {
    /** At its price of 2026 it costs 0.0231 dollars. */
    private static final String ANSWER = """
            {"model":"claude-opus-5-5","usage":{"input_tokens":500,"cache_read_input_tokens":5500,"output_tokens":1000}}""";

    private static final String ASK =
            "curl -sS -d '{\"model\":\"claude-opus-5-5\",\"max_tokens\":100,\"messages\":[]}' $BRIG_MODEL_URL_PRICED/v1/messages";
    private static final int CALLS_TO_ASK = 4;

    private static Chromium chromium;
    private static HttpServer provider;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        chromium = Chromium.start();
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        provider.createContext("/", exchange -> {
            byte[] body = ANSWER.getBytes(UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        provider.start();
        product = FarAgents.prepare();
        Files.writeString(product.agents().resolve("spends.json"), """
                {"description": "asks a model", "command": ["/bin/bash", "-c", "eval -- \\"$(<{messageFile})\\""],
                 "models": ["priced"], "asModel": true}
                """);
        product.serve();
        String url = "http://127.0.0.1:" + provider.getAddress().getPort();
        assertEquals(0, product.brig("route", "set", "priced", "--url", url).exitCode());
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            provider.stop(0);
            chromium.close();
        }
    }

    private static Spawned spawn(String name) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + name
                        + "\",\"agent_config\":{\"name\":\"spends\"},\"budget\":{\"usd\":0.1,\"on_limit\":\"ask\"}}"));
    }

    /** Asks the model until most of the budget is used up. */
    private static void spend(Wire captain, Frames frames) throws IOException {
        for (int i = 0; i < CALLS_TO_ASK; i++) {
            captain.sendLine(Spawned.user(ASK));
            frames.readUntilType(captain, "done");
        }
    }

    private static JsonObject budget(Spawned session) throws IOException {
        return product.web().get("/api/v1/sessions").json().objects("sessions").stream()
                .filter(view -> view.text("spawn_id", "").equals(session.id()))
                .findFirst()
                .orElseThrow()
                .object("budget");
    }

    private static void shoot(Page page, String name) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        Chromium.shoot(page, name);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        Chromium.shoot(page, name + "-dark");
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
    }

    @Test
    void shouldShowABudgetAndGoOnWhenItIsRaisedOnThePage() throws IOException {
        Spawned session = spawn("pays");
        Frames frames = new Frames();
        try (Wire captain = session.captain();
                Page page = chromium.open(session, "")) {
            Locator bar = page.locator(".rail .purse");
            assertThat(bar).hasAttribute("aria-valuetext", "$0.00 of $0.100");
            spend(captain, frames);
            assertThat(page.locator("section.waits .purse")).hasAttribute("aria-valuenow", "92");
            assertThat(bar).hasAttribute("aria-valuetext", Pattern.compile("\\$0\\.092 of \\$0\\.100"));
            assertThat(page.locator(".rail .stands")).hasText("nearly used up");
            assertThat(page.locator(".head .budget.near")).containsText("$0.092 of $0.100");
            assertThat(page.locator(".event.warning")).containsText("92 % of the budget used: $0.092 of $0.100");
            PageAccessTest.requireAccessible(page);
            shoot(page, "budget-ask");
            page.locator(".bell").click();
            Locator asked = page.locator("dialog li:has-text('pays')");
            assertThat(asked.locator("button").last()).hasText(Pattern.compile("End the session$"));
            shoot(page, "budget-inbox");
            asked.locator("button:has-text('Raise the budget')").click();
            assertThat(bar).hasAttribute("aria-valuenow", "46");
            page.keyboard().press("Escape");
            captain.sendLine(Spawned.user(ASK));
            frames.readUntilType(captain, "done");
            assertThat(bar).hasAttribute("aria-valuetext", Pattern.compile("\\$0\\.1\\d+ of \\$0\\.200"));
            assertEquals(0.2, (double) budget(session).object("limit").value("usd"), 1e-9);
            page.locator(".brand").click();
            assertThat(page.locator(".tile .budget")).containsText("of $0.200");
            shoot(page, "budget-home");
            page.locator(".bar .primary").click();
            page.locator("[name=agent]").selectOption("spends");
            page.locator("[name=task_id]").fill("given");
            page.locator("[name=usd]").fill("2.5");
            page.locator("[name=minutes]").fill("20");
            shoot(page, "budget-start");
            page.locator("form.start .primary").click();
            assertThat(page.locator("h1")).hasText("given");
            assertThat(page.locator(".rail .purses li")).hasText(new Pattern[] {
                Pattern.compile("\\$0\\.00 of \\$2\\.50.*0 %"), Pattern.compile(".* of 20m00s.*")
            });
            page.setViewportSize(390, 780);
            assertThat(page.locator(".head .budget")).isVisible();
            shoot(page, "budget-phone");
        }
        product.brig("terminate", session.id());
    }

    private static String saved(Page page, String kind) throws IOException {
        Download file = page.waitForDownload(
                () -> page.locator(".saves button:has-text('" + kind + "')").click());
        return Files.readString(file.path());
    }

    @Test
    @Tag("slow")
    void shouldShowWhatRequestsCostByDayAndByAll() throws IOException {
        Spawned session = spawn("costs");
        try (Wire captain = session.captain();
                Page page = chromium.open(product, "/")) {
            spend(captain, new Frames());
            page.locator(".figure .what a").click();
            assertThat(page.locator("h1")).hasText("Costs");
            assertThat(page.locator(".chart rect.bar")).hasCount(30);
            assertThat(page.locator(".chart svg"))
                    .hasAttribute("aria-label", Pattern.compile("Cost by day, .* in all, .*"));
            assertThat(page.locator(".past .name")).hasText("spends");
            shoot(page, "costs");
            PageAccessTest.requireAccessible(page);
            page.locator(".choice button:has-text('Session')").click();
            assertThat(page.locator(".past tr:has-text('costs') .budget")).containsText("$0.092 of $0.100");
            page.locator(".choice button:has-text('Model')").click();
            assertThat(page.locator(".past .name")).hasText("claude-opus-5-5");
            assertTrue(saved(page, "CSV").startsWith("model,usd,requests,"), "as brig costs --csv has it");
            assertEquals(
                    "claude-opus-5-5",
                    JsonObject.read(saved(page, "JSON").getBytes(UTF_8))
                            .objects("costs")
                            .getFirst()
                            .text("name"));
            page.locator(".choice button:has-text('today')").click();
            assertThat(page.locator(".chart rect.bar")).hasCount(1);
            page.setViewportSize(390, 780);
            assertEquals(true, page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
            page.locator(".choice button:has-text('30 days')").click();
            assertThat(page.locator(".chart rect.bar")).hasCount(30);
            shoot(page, "costs-phone");
            page.locator(".back").click();
            assertThat(page.locator(".figures")).isVisible();
        }
        Run table = product.brig("costs", "--by", "session");
        assertTrue(table.out().contains("BUDGET") && table.out().contains("$0.09 of $0.10"), table::out);
        product.brig("terminate", session.id());
    }

    @Test
    void shouldCountWhatWasSpentAndNameNobody() throws IOException {
        Spawned session = spawn("miser");
        try (Wire captain = session.captain()) {
            Frames frames = new Frames();
            spend(captain, frames);
            captain.sendLine(Spawned.user(ASK));
            frames.readUntilType(captain, "done");
            captain.sendLine(Spawned.user(ASK));
            frames.readUntil(captain, frame -> frame.has("refused"));
        }
        String metrics = product.web().get("/metrics").response().body();
        assertTrue(metrics.contains("brig_cost_usd_total{agent=\"spends\",source=\"egress\"} "), metrics);
        assertTrue(metrics.contains("brig_budgets{used=\"100\"} 1"), metrics);
        assertTrue(metrics.contains("brig_budget_refusals_total{scope=\"session\"} 1"), metrics);
        for (String name : List.of(session.id(), "spn_", "miser", "claude-opus")) {
            assertFalse(metrics.contains(name), metrics);
        }
        product.brig("terminate", session.id());
    }

    @Test
    void shouldTakeABudgetFromAClientOfModels() throws IOException {
        String body = "{\"model\":\"spends\",\"messages\":[{\"role\":\"user\",\"content\":\"echo bounded\"}]}";
        Web.Answer wrong = product.web().send(completion(body, "5 apples"));
        assertEquals(400, wrong.status());
        String why = wrong.json().object("error").text("message", "");
        assertTrue(why.contains("brig-budget"), why);
        Web.Answer right = product.web().send(completion(body, "0.1usd,20min"));
        assertTrue(right.response().body().contains("bounded"), right::toString);
        JsonObject view = product.web().get("/api/v1/spawns").json().objects("spawns").stream()
                .filter(one -> one.has("budget"))
                .filter(one -> one.object("budget").object("limit").number("wall_ms", 0) == 1_200_000)
                .findFirst()
                .orElseThrow();
        assertEquals("spends", view.text("agent"));
    }

    private static HttpRequest.Builder completion(String body, String budget) throws IOException {
        return product.web()
                .request("/openai/v1/chat/completions")
                .header("Content-Type", "application/json")
                .header("brig-budget", budget)
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    /** @param text what the session wrote, or the facts once more */
    private record Result(JsonObject facts, String text) {}

    /** A client of {@code brig mcp}. */
    private record Mcp(Process process, BufferedReader answers, AtomicInteger calls) implements AutoCloseable {
        static Mcp start() throws IOException {
            Process process = new ProcessBuilder(product.command("mcp"))
                    .directory(product.folder().toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Mcp(process, process.inputReader(UTF_8), new AtomicInteger());
        }

        Result call(String tool, Map<String, ?> arguments) throws IOException {
            Map<String, ?> meta = Map.of(
                    "io.modelcontextprotocol/protocolVersion",
                    "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities",
                    Map.of());
            Map<String, ?> params = Map.of("name", tool, "arguments", arguments, "_meta", meta);
            Map<String, ?> request =
                    Map.of("jsonrpc", "2.0", "id", calls.incrementAndGet(), "method", "tools/call", "params", params);
            process.getOutputStream().write(Json.write(request));
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            JsonObject answer = JsonObject.read(answers.readLine().getBytes(UTF_8));
            assertTrue(answer.has("result"), answer::toString);
            List<JsonObject> content = answer.object("result").objects("content");
            assertFalse(answer.object("result").has("isError"), answer::toString);
            return new Result(
                    JsonObject.read(content.getFirst().text("text", "").getBytes(UTF_8)),
                    content.getLast().text("text", ""));
        }

        @Override
        public void close() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    private static List<JsonObject> asks(Mcp mcp, Map<String, ?> session) throws IOException {
        return mcp.call("status", session).facts().objects("asks");
    }

    @Test
    void shouldEndASessionWhoseCaptainAnswersSoByMcp() throws IOException {
        String id;
        try (Mcp mcp = Mcp.start()) {
            id = mcp.call(
                            "spawn",
                            Map.of("agent", "spends", "task_id", "ends", "repository", "", "budget", "0.1usd,ask"))
                    .facts()
                    .text("session", "");
            Map<String, ?> session = Map.of("session", id);
            try (Wire captain =
                    product.dial().sendLine("{\"action\":\"attach\",\"role\":\"captain\",\"id\":\"" + id + "\"}")) {
                Frames frames = new Frames();
                spend(captain, frames);
                Await.until("it asks", () -> !asks(mcp, session).isEmpty());
                String ask = asks(mcp, session).getFirst().text("ask_id", "");
                mcp.call("answer", Map.of("ask_id", ask, "option", "end"));
                frames.readUntil(captain, frame -> frame.text("state", "").equals("terminated"));
            }
            String text = mcp.call("logs", session).text();
            assertTrue(text.contains("[92 % of the budget is used up: $0.09 of $0.10]"), text);
            assertTrue(text.contains(", options: raise|go_on|end: 92 %"), text);
            assertTrue(text.contains(" settled: end]"), text);
            assertTrue(text.endsWith("[session ended: budget]\n"), text);
        }
        try (Page page = chromium.open(product, "/session/" + id)) {
            assertThat(page.locator(".event.state").last()).containsText("terminated, because of its budget");
        }
    }
}
