package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code brig setup} for an ordinary user with an empty home: a script in place of npm links the agents of the tests, and
 * a scripted model is where the user's variables lead.
 */
@Timeout(240)
@Tag("slow")
class SetupTest {
    private static final Path AGENTS = Path.of(System.getProperty("brig.agents", ""));
    private static final String CLAUDE = "@anthropic-ai/claude-code";
    private static final String USER = "4711";
    private static final String KEY = "planted-key-of-a-setup";
    private static final int SECONDS_MAX = 120;
    /** As npm does it: the last word is package@version, and the prefix is an option. */
    private static final String NPM = """
            #!/bin/sh
            [ "$1" = --version ] && { echo 11.0.0; exit; }
            for word; do case $word in --prefix=*) folder=${word#--prefix=}/node_modules;; esac; done
            package=${word%%@*}
            mkdir -p "$folder/$(dirname "$package")"
            ln -s "%s/$package" "%s/$package"-linux-* "$folder/$(dirname "$package")/"
            """;

    private Path home;
    private Path bin;
    private ScriptedModel model;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(ScriptedModel.isHere() && Files.isDirectory(AGENTS.resolve(CLAUDE)), "no node, or no agents");
        Product.requireRoot("to be another user");
        home = TestFolders.create("brig-home-");
        bin = Files.createDirectory(home.resolve("bin"));
        Files.createDirectory(home.resolve("run"));
        npm(NPM.formatted(AGENTS, AGENTS));
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", Integer.valueOf(USER));
            }
        }
        model = new ScriptedModel();
    }

    @AfterEach
    void stop() throws IOException {
        if (model != null) {
            model.close();
            TestFolders.delete(home);
        }
    }

    private void npm(String script) throws IOException {
        Path npm = Files.writeString(bin.resolve("npm"), script);
        Files.setPosixFilePermissions(npm, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> command(String server, String... words) {
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "--", "env", "-i"));
        command.addAll(Product.javaOptions());
        command.addAll(List.of(
                "HOME=" + home,
                "XDG_RUNTIME_DIR=" + home.resolve("run"),
                "PATH=" + bin + ":/usr/bin:/bin",
                "TERM=xterm",
                "ANTHROPIC_API_KEY=" + KEY,
                "ANTHROPIC_BASE_URL=" + server,
                Product.BRIG));
        command.addAll(List.of(words));
        return command;
    }

    private Run brig(String server, String... words) throws IOException {
        Path outside = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir")));
        Run run = Run.of(command(server, words), "", outside, SECONDS_MAX);
        assertFalse(run.toString().contains(KEY), run::toString);
        return run;
    }

    /** The user's files, without those of the test, and of every worker-agent. */
    private List<String> left() throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .map(file -> home.relativize(file).toString())
                    .filter(file -> !file.matches("(bin|run|\\.local/state/brig|\\.local/share/brig/workspaces)/.*"))
                    .toList();
        }
    }

    @Test
    void shouldLeadFromAnEmptyHomeToAnAnswerAndBack() throws IOException {
        try (PersonTerminal person = PersonTerminal.open(220, 60, command(model.url(), "setup"))) {
            person.awaitText("install which agents?");
            person.awaitText("claude, codex, opencode, all or none [claude]");
            person.type("\n");
            person.awaitText("1 the key in ANTHROPIC_API_KEY, at the server of ANTHROPIC_BASE_URL");
            person.type("1\n");
            person.awaitText("send one short message to claude behind the wall? [Y/n]");
            person.type("y\n");
            assertEquals(0, person.awaitEnd(), person::output);
            String shown = person.output();
            assertTrue(shown.contains("No scenario in the prompt; hello."), shown);
            assertTrue(shown.contains("run claude -- ") && shown.contains("run --tty claude"), shown);
            assertFalse(shown.contains(KEY), shown);
        }
        Path secret = home.resolve(".config/brig/secrets/route-claude");
        assertEquals(
                PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(secret), "the key's file");
        assertTrue(Files.isDirectory(home.resolve(".local/share/brig/agents")));

        JsonObject again = brig(model.url(), "setup", "--yes", "--json").json();
        for (String nothingNew : List.of("installed", "routes", "trials", "failures")) {
            assertEquals(List.of(), again.elements(nothingNew), nothingNew);
        }
        assertEquals("ready", again.objects("agents").getFirst().text("state"));

        Run undone = brig(model.url(), "setup", "--undo");
        assertEquals(0, undone.exitCode(), undone::err);
        assertTrue(undone.out().contains("removed " + home.resolve(".local/share/brig/agents")), undone::out);
        assertEquals(List.of(), left());
    }

    /** Scenario: the server refuses the key, then it lists its models and never answers a message. */
    @Test
    void shouldSayCauseAndRemedyOfAFailedTrialAndKeepWhatWasSetByHand() throws IOException {
        AtomicBoolean refuses = new AtomicBoolean(true);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v1/models", exchange -> {
            exchange.sendResponseHeaders(refuses.get() ? 401 : 200, -1);
            exchange.close();
        });
        server.createContext(
                "/v1/messages", exchange -> exchange.getRequestBody().readAllBytes());
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        try {
            assertFailedTrial(url, "answered 401: key or login is refused", "route set claude --key-file FILE");
            refuses.set(false);
            assertFailedTrial(url, "no answer within 5 s", "run claude -- hello");
        } finally {
            server.stop(0);
        }
        assertEquals(
                0, brig(url, "route", "set", "claude", "--url", model.url()).exitCode());
        assertEquals(0, brig(url, "setup", "--undo").exitCode());
        assertEquals(List.of(".config/brig/routes/claude.json"), left());
    }

    private void assertFailedTrial(String server, String cause, String mend) throws IOException {
        Run run = brig(server, "setup", "--yes", "--trial", "--trial-seconds", "5", "--json");
        assertEquals(1, run.exitCode(), run::err);
        JsonObject trial = run.json().objects("trials").getFirst();
        assertTrue(trial.text("cause", "").contains(cause), trial::toString);
        assertTrue(trial.text("mend", "").contains(mend), trial::toString);
    }

    /** Scenario: it is ended while npm works, and another one is refused meanwhile. */
    @Test
    void shouldLeaveNoHalfWhenItIsEnded() throws IOException, InterruptedException {
        npm("#!/bin/sh\n[ \"$1\" = --version ] && { echo 11; exit; }\nmkdir -p node_modules/x\necho $$ >" + home
                + "/run/works\nexec sleep 1000\n");
        Process setup = new ProcessBuilder(command(model.url(), "setup", "--install", "claude"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            Path works = home.resolve("run/works");
            Await.until("npm works", () -> Files.exists(works) && Files.size(works) > 0);
            long npm = Long.parseLong(Files.readString(works).strip());
            Run second = brig(model.url(), "setup", "--install", "claude", "--json");
            assertEquals("ALREADY_RUNNING", second.json().text("code"), second::toString);
            setup.destroy();
            assertTrue(setup.waitFor(SECONDS_MAX, TimeUnit.SECONDS));
            Await.until("npm is gone", () -> ProcessHandle.of(npm).isEmpty());
        } finally {
            setup.descendants().forEach(ProcessHandle::destroyForcibly);
            setup.destroyForcibly();
        }
        assertEquals(List.of(), left());
        assertEquals(
                List.of(),
                Processes.with(home.resolve(".local/share/brig/agents/.new").toString(), ""));
    }
}
