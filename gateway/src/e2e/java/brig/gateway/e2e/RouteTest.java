package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code brig route}: it counts at once, the key is nowhere but in its file, and errors name the cure. */
@Timeout(180)
@Order(8)
@Tag("slow")
class RouteTest {
    private static final String KEY = "planted-key-of-a-route-8834";
    private static final int REFUSED = 125;

    /** Stands for a provider: answers with this status, and notes what it was sent as a key. */
    private static final ConcurrentLinkedQueue<String> KEYS = new ConcurrentLinkedQueue<>();

    /** Of the model, as Anthropic's API has it: at its price of 2026 it costs 0.0231 dollars. */
    private static final String ANSWER = """
            {"model":"claude-opus-5-5","usage":{"input_tokens":500,"cache_read_input_tokens":5500,"output_tokens":1000}}""";

    private static volatile int status = 200;

    private static Path folder;
    private static HttpServer provider;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        folder = TestFolders.create("brig-routes-");
        Files.writeString(folder.resolve("key"), KEY + "\n");
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        provider.createContext("/", exchange -> {
            KEYS.add(exchange.getRequestURI().getPath() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization")
                    + " "
                    + exchange.getRequestHeaders().getFirst("X-api-key"));
            boolean asked = exchange.getRequestURI().getPath().endsWith("/messages");
            byte[] body = (asked ? ANSWER : "{\"data\":[]}").getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        provider.start();
        product = Product.start(
                Map.of("worker", Map.of("routesDir", folder.resolve("routes").toString())));
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
        provider.stop(0);
        TestFolders.delete(folder);
    }

    private static String url() {
        return "http://127.0.0.1:" + provider.getAddress().getPort();
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static Run withVariable(String variable, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("env", variable));
        command.addAll(product.command(arguments));
        return Run.of(command, "", product.folder());
    }

    private static void assertNowhere(Run run) {
        assertFalse((run.out() + run.err()).contains(KEY), "the key is shown: " + run);
    }

    /** An agent that needs the model "none", which nobody has set. */
    private static void writeAgent(String name, String model) throws IOException {
        Files.writeString(product.agents().resolve(name + ".json"), """
                {"description": "asks a model", "command": ["/bin/true"], "models": ["%s"]}
                """.formatted(model));
    }

    @Test
    void shouldKnowBeforeASpawnThatThereIsNoRouteAndSayWhatMendsIt() throws IOException {
        writeAgent("asks-none", "none");
        Run run = product.brig("run", "asks-none", "--", "hi");
        assertEquals(REFUSED, run.exitCode(), run::err);
        assertTrue(
                run.err().contains("MODEL_ROUTE_MISSING")
                        && run.err().matches("(?s).*\n  brig --config \\S+ route set none --key-file FILE\n.*"),
                run::err);
        assertFalse(product.brig("sessions", "--all").out().contains("asks-none"), "nothing was started");
        JsonObject agent = product.brig("agents", "--json").json().objects("agents").stream()
                .filter(one -> one.text("name", "").equals("asks-none"))
                .findFirst()
                .orElseThrow();
        assertEquals("no_route", agent.text("state"));
        assertTrue(product.brig("agents").out().contains(" route set none --key-file FILE"));
        Run test = product.brig("route", "test", "none");
        assertEquals(REFUSED, test.exitCode(), test::out);
    }

    @Test
    void shouldBringTheKeyToTheProviderAndNowhereElseWithoutARestart() throws IOException {
        writeAgent("asks-one", "one");
        Run set = product.brig(
                "route", "set", "one", "--key-file", folder.resolve("key").toString(), "--url", url() + "/");
        assertEquals(0, set.exitCode(), set::err);
        assertNowhere(set);
        Path kept = folder.resolve("secrets/route-one");
        assertEquals(KEY + "\n", Files.readString(kept));
        assertEquals("rw-------", mode(kept));
        assertEquals("rwx------", mode(kept.getParent()));
        assertFalse(Files.readString(folder.resolve("routes/one.json")).contains(KEY));
        Run test = product.brig("route", "test", "one");
        assertEquals(0, test.exitCode(), test::err);
        assertEquals(url() + " answered 200", test.out().strip());
        assertTrue(KEYS.contains("/v1/models Bearer " + KEY + " null"), KEYS::toString);
        Run list = product.brig("route", "list");
        assertTrue(list.out().contains(url()) && list.out().contains(kept.toString()), list::out);
        assertNowhere(list);
        assertNowhere(test);
        assertEquals(0, product.brig("run", "asks-one", "--", "hi").exitCode());
        assertFalse(Files.readString(product.log()).contains(KEY), "not in the log");

        assertEquals(0, product.brig("route", "rm", "one").exitCode());
        assertFalse(Files.exists(kept));
        assertEquals(REFUSED, product.brig("run", "asks-one", "--", "hi").exitCode());
        assertEquals(REFUSED, product.brig("route", "rm", "one").exitCode());
    }

    @Test
    void shouldSumWhatRequestsToModelsCost() throws IOException {
        Files.writeString(product.agents().resolve("asks-two.json"), """
                {"description": "asks a model", "command": ["/bin/bash", "-c", "eval -- \\"$(<{messageFile})\\""],
                 "models": ["two"]}
                """);
        assertEquals(0, product.brig("route", "set", "two", "--url", url()).exitCode());
        Run first = product.brig(
                "run",
                "asks-two",
                "--task-id",
                "costly",
                "--",
                "curl -sS -X POST $BRIG_MODEL_URL_TWO/v1/messages; curl -sS -X POST $BRIG_MODEL_URL_TWO/v1/messages");
        assertEquals(0, first.exitCode(), first::err);
        JsonObject costs = product.brig("costs", "--by", "model", "--spawn", "costly", "--json")
                .json();
        JsonObject sum = costs.objects("costs").getFirst();
        assertEquals("claude-opus-5-5", sum.text("name"));
        assertEquals(2, sum.number("requests", 0));
        assertEquals(0, sum.number("unpriced", 0));
        assertEquals(11_000, sum.number("cached_input_tokens", 0));
        assertEquals(0.0462, (double) costs.object("total").value("cost"), 1e-9);
        assertEquals(sum.value("cost"), costs.object("total").value("cost"));
        Run table = product.brig("costs");
        assertTrue(table.out().contains("asks-two") && table.out().contains("0.0462"), table::out);
        assertTrue(product.brig("costs", "--csv").out().startsWith("agent,usd,"));
        Run wrong = product.brig("costs", "--by", "nobody");
        assertTrue(wrong.exitCode() != 0 && wrong.err().contains("session"), wrong::err);
    }

    @Test
    void shouldTakeTheKeyOfAVariableAndSayWhenItIsRefused() throws IOException {
        Run set = withVariable("MY_KEY=" + KEY, "route", "set", "claude", "--env", "MY_KEY", "--url", url() + "/v1");
        assertEquals(0, set.exitCode(), set::err);
        assertNowhere(set);
        assertEquals(0, product.brig("route", "test", "claude").exitCode());
        assertTrue(KEYS.contains("/v1/models null " + KEY), KEYS::toString);
        status = 401;
        try {
            Run test = product.brig("route", "test", "claude");
            assertEquals(1, test.exitCode(), test::err);
            assertTrue(test.out().contains("answered 401: the key is refused"), test::out);
            assertEquals(
                    401,
                    product.brig("route", "test", "claude", "--json").json().number("status", 0));
        } finally {
            status = 200;
        }
    }

    @Test
    void shouldLeadToAModelOfThisHostWithoutAKey() throws IOException {
        assertEquals(
                0,
                product.brig("route", "set", "opencode", "--url", url().replace("127.0.0.1", "localhost"))
                        .exitCode());
        assertEquals(0, product.brig("route", "test", "opencode").exitCode());
        assertTrue(product.brig("route", "list").out().contains("none"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "route set codex --url http://llm.example.org --key-file KEY | --allow-plaintext",
                "route set codex                                             | --key-file",
                "route set own --key-file KEY                                | --url",
                "route set codex --env planted-key-typed-by-mistake          | --env",
                "route set codex --key-file /dev/null                        | no key",
                "route set codex --key-file /nowhere/at/all                  | cannot be read",
                "route set codex --key-file KEY --url ftp://x                | http",
                "route set codex --key-file KEY --url http://u:p@x           | http",
                "route set ../codex --key-file KEY                           | NAME",
                "route test ../codex                                         | NAME",
                "route rm ../codex                                           | NAME"
            })
    void shouldNameTheCureAndWriteNothingWhenItIsRefused(String line, String cure) throws IOException {
        Run run = product.brig(
                line.replace("KEY", folder.resolve("key").toString()).split(" +"));
        assertEquals(REFUSED, run.exitCode(), run::out);
        assertTrue(run.err().contains(cure), run::err);
        assertFalse(run.err().contains("typed-by-mistake"), "what may be a key is not repeated: " + run.err());
        assertFalse(Files.exists(folder.resolve("routes/codex.json"))
                || Files.exists(folder.resolve("secrets/route-codex")));
    }

    @Test
    void shouldSayAtTheStartWhatCannotBeUsed() throws IOException {
        Path agents = Files.createDirectory(folder.resolve("broken"));
        Files.writeString(agents.resolve("wrong.json"), "{\"descriptio\": \"d\", \"command\": [\"p\"]}");
        try (Product own =
                Product.prepare(Map.of("worker", Map.of("agentDirs", List.of("", "/nowhere", agents.toString()))))) {
            own.serve();
            for (String fault : List.of(
                    "worker.agentDirs: there is no folder /nowhere",
                    "wrong.json: field 'descriptio' is not known here")) {
                Await.until(
                        "it is said",
                        () -> said(own).contains("brig: ") && said(own).contains(fault));
                assertTrue(own.brig("agents").out().contains(fault));
                assertTrue(own.brig("doctor").out().contains(fault));
            }
        }
    }

    private static String said(Product own) {
        try {
            return Files.readString(own.log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
